"""A run with bad input fails, says why, and leaves the results of the last good run alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from harness import ALL_CELLS, CONFIG, RISKS, Project, Run, Snapshot

FINISHED = ("risks.csv", "estimates.csv", "estimates", "selection.json", "final", "report.html")


def misspell_key(project: Project) -> None:
    project.config["sede"] = 1


def misname_file(project: Project) -> None:
    project.task["data"] = "bird.csv"


def lose_a_label(project: Project) -> None:
    project.lines[4] = project.lines[4].rpartition(",")[0] + ","
    project.task["missing_target"] = "refuse"


def ask_for_the_impossible(project: Project) -> None:
    project.config["learners"]["knn"]["grid"]["n_neighbors"] = [1, 5, 9, -3]


BEFORE_ANY_FITTING_JOB: list[tuple[Callable[[Project], None], str]] = [
    (misspell_key, "sede: unknown key 'sede'; did you mean 'seed'?"),
    (misname_file, "tasks.birds: no file at 'bird.csv' (looked in "),
    (lose_a_label, "target 'species' is missing in 1 of 75 rows (first: row 4)"),
]


def failed_run(project: Project, *options: str) -> Run:
    run = project.run(*options)
    assert run.code != 0
    assert "Traceback" not in run.text
    return run


def cells_without_manifests(project: Project) -> Snapshot:
    return {k: v for k, v in project.snapshot("cells").items() if "/manifests/" not in k}


@pytest.mark.parametrize(("spoil", "message"), BEFORE_ANY_FITTING_JOB)
def test_bad_input_stops_a_run_and_overwrites_nothing(
    spoil: Callable[[Project], None], message: str, project: Project
) -> None:
    before = project.snapshot(*FINISHED, "cells")
    spoil(project)
    run = failed_run(project)
    assert message in run.text
    assert "fit_cells" not in run.jobs
    assert project.snapshot(*FINISHED, "cells") == before


def test_a_refused_value_stops_the_fitting_jobs_and_overwrites_no_result(project: Project) -> None:
    """Snakemake removes the manifest of a failed job; all that it listed is still there."""
    before, cells = project.snapshot(*FINISHED), cells_without_manifests(project)
    ask_for_the_impossible(project)
    run = failed_run(project)
    assert (
        """learner 'knn' refuses θ = {"n_neighbors":-3}: The 'n_neighbors' parameter""" in run.text
    )
    assert project.snapshot(*FINISHED) == before
    assert cells_without_manifests(project) == cells

    project.config["learners"]["knn"]["grid"]["n_neighbors"].remove(-3)
    run = project.succeed(RISKS)
    assert (project.fitted(run), project.reused(run)) == (0, ALL_CELLS)
    assert project.snapshot(*FINISHED) == before


LOSSES = {
    "def other(target, label):\n    return 0\n": "loss: my_losses.late cannot be imported: AttributeError",
    "def late(target, label):\n    return (target != label).mean()\n": "examples, and returns one number (declare per: set) (learner 'knn' "
    'with {"n_neighbors":1}, ',
    "def late(target, label):\n    return 0 / 0\n": "my_losses.late gives ZeroDivisionError: division by zero "
    "(learner 'knn' with",
}


def test_a_loss_of_the_users_own_that_fails_is_named_and_fits_nothing(project: Project) -> None:
    before = project.cells()
    project.task["loss"] = "my_losses.late"
    for text, message in LOSSES.items():
        (project.folder / "my_losses.py").write_text(text)
        assert message in failed_run(project).text
        assert project.cells() == before


BARE = "class Bare:\n    def fit(self, X, y): return self\n    def predict(self, X): return X\n"
NOT_ESTIMATORS = {
    "os.path.join": "learners.tree.estimator: cannot be made: os.path.join() gives TypeError",
    "bare.Bare": "learners.tree.estimator: bare.Bare is no estimator: it has no get_params, set_params",
    "bare.none": "learners.tree.estimator: bare.none returns None, not an estimator",
    "nowhere.Mine": "learners.tree.estimator: no module 'nowhere' on Python's path or in ",
}


@pytest.mark.parametrize("path", NOT_ESTIMATORS)
def test_what_is_no_estimator_is_refused_before_the_first_fit(path: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "bare.py").write_text(f"{BARE}def none(): pass\n")
    project.config["learners"]["tree"] = {"estimator": path}
    assert NOT_ESTIMATORS[path] in failed_run(project).text
    assert not project.cells()
    check = project.check("--learners")
    assert check.code == 1
    assert NOT_ESTIMATORS[path] in check.text
    assert "Traceback" not in check.text


def test_a_key_that_stands_twice_stops_a_run(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write_inputs()
    (tmp_path / "more.yaml").write_text("level: 0.9\nseed: 1\nlevel: 0.8\n")
    run = project.run("--configfile", CONFIG, "more.yaml")
    assert run.code != 0
    assert (
        "more.yaml', line 3: the key 'level' stands in line 1 too; remove one of them" in run.text
    )
    assert "Traceback" not in run.text


def test_the_default_config_is_refused_before_snakemake_walks_it(tmp_path: Path) -> None:
    """Ten mappings of ten mappings, ten levels deep: Snakemake would go on for hours."""
    (tmp_path / "config").mkdir()
    lines = ["x0: &x0 {a: 1}"]
    for i in range(1, 11):
        inner = ", ".join(f"k{j}: *x{i - 1}" for j in range(10))
        lines.append(f"x{i}: &x{i} {{{inner}}}")
    (tmp_path / "config" / "config.yaml").write_text("\n".join(lines))
    run = Project(tmp_path).snakemake("--cores", "1")
    assert run.code != 0
    assert "values with all aliases written out; the limit is 200000" in run.text


@pytest.mark.parametrize("number", ["1" * 30, "12" * 20])
def test_a_target_that_repeats_itself_is_a_target_that_is_not_there(
    number: str, project: Project
) -> None:
    run = failed_run(project, f"results/birds/cells/manifests/{number}-of-2.json")
    assert "MissingRuleException" in run.text
    assert "Periodic" not in run.text
