"""The number of cores divides work that is to be done; it is no reason to do any."""

from collections.abc import Callable
from pathlib import Path

import pytest
from harness import ALL_CELLS, RISKS, SELECTION, SETS, Project, Run

MANIFESTS = "results/birds/cells/manifests"


def manifests(batches: int) -> list[str]:
    return [f"{MANIFESTS}/{batch}-of-{batches}.json" for batch in range(1, batches + 1)]


def manifests_read(run: Run) -> list[str]:
    return [path for path in run.inputs["estimate_risks"] if path.startswith(MANIFESTS)]


@pytest.fixture(scope="module")
def on_one_core(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A study that was finished on one core. Not to be changed: copy it."""
    project = Project(tmp_path_factory.mktemp("one"))
    project.succeed(cores=1)
    return project


def test_one_core_after_two_runs_nothing(project: Project) -> None:
    run = project.succeed(cores=1)
    assert not run.jobs
    assert "Nothing to be done" in run.text


def test_more_cores_after_one_run_nothing(on_one_core: Project, tmp_path: Path) -> None:
    project = on_one_core.copy_to(tmp_path / "study")
    for cores in (2, 8):
        assert "Nothing to be done" in project.succeed(cores=cores).text
    assert sorted(path.name for path in (project.folder / MANIFESTS).iterdir()) == ["1-of-1.json"]


def test_what_only_reads_cells_takes_them_as_they_are_divided(
    on_one_core: Project, tmp_path: Path
) -> None:
    project = on_one_core.copy_to(tmp_path / "study")
    project.config["level"] = 0.8
    run = project.succeed(RISKS, cores=8)
    assert set(run.jobs) == {"estimate_risks"}
    assert manifests_read(run) == manifests(1)


def test_a_theta_on_more_cores_is_fitted_in_as_many_batches(
    on_one_core: Project, tmp_path: Path
) -> None:
    project = on_one_core.copy_to(tmp_path / "study")
    before = project.cells()
    project.config["learners"]["knn"]["grid"]["n_neighbors"].append(3)
    run = project.succeed(SELECTION, cores=2)
    assert sorted(run.outputs["fit_cells"]) == manifests(2)
    assert (project.fitted(run), project.reused(run)) == (len(SETS), ALL_CELLS)
    assert before.items() <= project.cells().items()
    assert "Nothing to be done" in project.succeed(SELECTION, cores=1).text


def another_seed(project: Project) -> None:
    project.config["seed"] = 6


def more_folds(project: Project) -> None:
    project.task["kfold"] = {"k": 4}


def another_row(project: Project) -> None:
    project.lines.append("0.5,0.5,a,adelie")


@pytest.mark.parametrize("change", [another_seed, more_folds, another_row])
def test_cells_that_are_fitted_anew_are_divided_anew(
    change: Callable[[Project], None], on_one_core: Project, tmp_path: Path
) -> None:
    project = on_one_core.copy_to(tmp_path / "study")
    change(project)
    run = project.succeed(RISKS, "--dry-run", cores=2)
    assert sorted(run.outputs["fit_cells"]) == manifests(2)


def test_the_configs_number_of_batches_rules(project: Project) -> None:
    project.config["batches"] = 3
    run = project.succeed(RISKS, cores=1)
    assert sorted(run.outputs["fit_cells"]) == manifests(3)
    assert (project.fitted(run), project.reused(run)) == (0, ALL_CELLS)
    del project.config["batches"]
    assert "Nothing to be done" in project.succeed(RISKS, cores=2).text


def test_a_lost_manifest_is_no_finished_set(on_one_core: Project, tmp_path: Path) -> None:
    project = on_one_core.copy_to(tmp_path / "study")
    (project.folder / MANIFESTS / "1-of-1.json").unlink()
    run = project.succeed(*manifests(2), cores=2)
    assert (project.fitted(run), project.reused(run)) == (0, ALL_CELLS)


@pytest.mark.parametrize(("options", "jobs"), [([], 2), (["--jobs", "3"], 1)])
def test_a_cluster_is_known_by_its_nodes(options: list[str], jobs: int, tmp_path: Path) -> None:
    run = Project(tmp_path).succeed(RISKS, "--dry-run", *options, cores=8)
    assert sorted(run.outputs["fit_cells"]) == manifests(jobs)


def test_a_job_of_a_cluster_takes_what_the_main_process_planned(tmp_path: Path) -> None:
    """Whatever cores either has; and it refuses to go by another config."""
    project = Project(tmp_path)
    remote = RISKS, "--dry-run", "--mode", "remote"
    project.succeed(RISKS, "--dry-run", "--jobs", "3", cores=8)
    before = sorted(project.folder.rglob("*"))
    assert sorted(project.succeed(*remote, cores=8).outputs["fit_cells"]) == manifests(1)
    project.config["level"] = 0.8
    run = project.run(*remote)
    assert run.code != 0
    assert "was planned with another config, other code or other libraries" in run.text
    assert sorted(project.folder.rglob("*")) == before
