"""A rerun fits what a change makes necessary, and nothing else."""

import itertools
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from harness import (
    ALL_CELLS,
    ESTIMATES,
    METRICS,
    REPO,
    RISKS,
    SELECTION,
    SETS,
    TASK,
    UNSEALED,
    Project,
    Run,
    Snapshot,
    small_config,
)

from heldout.cells.manifest import read_manifests
from heldout.cells.store import Cell, Store
from heldout.execution.forkserver.client import ADDRESS

FOUR_FOLDS = ("k4.r1.f01", "k4.r1.f02", "k4.r1.f03", "k4.r1.f04")
THETA_FOLDERS = (
    "knn/n_neighbors=1",
    "knn/n_neighbors=5",
    "knn/n_neighbors=9",
    "tree/max_depth=1",
    "tree/max_depth=3",
    "majority/default",
)


SPECIES = ("adelie", "chinstrap", "gentoo")
COSTS = {a: {b: 1 + i for b in SPECIES if b != a} for i, a in enumerate(SPECIES)}


def cells_of(folders: tuple[str, ...], sets: tuple[str, ...] = SETS) -> set[str]:
    return {f"{folder}/{held_out}" for folder, held_out in itertools.product(folders, sets)}


def set_neighbors(*values: int) -> Callable[[Project], None]:
    def change(project: Project) -> None:
        project.config["learners"]["knn"]["grid"]["n_neighbors"] = list(values)

    return change


def set_task(**keys: object) -> Callable[[Project], None]:
    return lambda project: project.task.update(keys)


def set_own_loss(project: Project) -> None:
    text = "def late(target, label):\n    return 3.0 * (target != label)\n"
    (project.folder / "my_losses.py").write_text(text)
    project.task["loss"] = "my_losses.late"


def add_learner(project: Project) -> None:
    project.config["learners"]["bayes"] = {"estimator": "sklearn.naive_bayes.GaussianNB"}
    project.task["learners"].append("bayes")


def change_level(project: Project) -> None:
    project.config["level"] = 0.8


def change_row(project: Project, row: int) -> None:
    """Give a row of the table (counted from 0) another bill."""
    project.lines[row + 1] = "3.125," + project.lines[row + 1].split(",", 1)[1]


def open_rows(project: Project) -> set[int]:
    return set(np.load(project.results / "data" / "rows.npy")["source"].tolist())


def change_open_row(project: Project) -> None:
    change_row(project, min(open_rows(project)))


def change_sealed_row(project: Project) -> None:
    change_row(project, min(set(range(len(project.lines) - 1)) - open_rows(project)))


@dataclass(frozen=True)
class Change:
    """A change, the cells that it makes necessary, and whether a fitting job has to look."""

    apply: Callable[[Project], None]
    cells: set[str]
    fitting_jobs: bool = True


CHANGES = {
    "a θ added": Change(set_neighbors(1, 3, 5, 9), cells_of(("knn/n_neighbors=3",))),
    "a θ removed": Change(set_neighbors(1, 5), set()),
    "the grid reordered": Change(set_neighbors(9, 1, 5), set()),
    "a learner added": Change(add_learner, cells_of(("bayes/default",))),
    "the loss changed": Change(set_task(loss="brier"), set()),
    "the loss is a matrix of costs": Change(set_task(loss={"costs": COSTS}), set()),
    "the loss is a function": Change(set_own_loss, set()),
    "the loss is a score": Change(set_task(loss="f1_macro"), set()),
    "metrics added": Change(
        set_task(metrics=["accuracy", "roc_auc_ovr", "f1_macro"]), set(), fitting_jobs=False
    ),
    "the level changed": Change(change_level, set(), fitting_jobs=False),
    "the rule changed": Change(set_task(select={"rule": "one_se"}), set(), fitting_jobs=False),
    "K changed": Change(set_task(kfold={"k": 4}), cells_of(THETA_FOLDERS, FOUR_FOLDS)),
    "a row changed": Change(change_open_row, cells_of(THETA_FOLDERS)),
}


def rerun(project: Project, *options: str) -> tuple[Run, set[str]]:
    """Run again, and say which cells were written."""
    before = project.cells()
    run = project.succeed(*options)
    return run, {name for name, time in project.cells().items() if before.get(name) != time}


def test_a_cold_run_fits_every_cell_once(cold_run: tuple[Project, Run]) -> None:
    project, run = cold_run
    assert set(project.cells()) == cells_of(THETA_FOLDERS)
    assert (project.fitted(run), project.reused(run)) == (ALL_CELLS, 0)


def test_nothing_runs_if_nothing_changed(project: Project) -> None:
    run, written = rerun(project)
    assert not run.jobs
    assert written == set()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_only_what_a_change_makes_necessary_is_fitted(change: Change, project: Project) -> None:
    change.apply(project)
    targets = [SELECTION, METRICS] if "metrics" in project.task else [SELECTION]
    run, written = rerun(project, *targets)
    assert run.jobs
    assert written == change.cells
    assert project.fitted(run) == len(change.cells)
    assert ("fit_cells" in run.jobs) == change.fitting_jobs


WORST_CLASS = """
import numpy as np


def worst_class(target, label):
    return max(np.mean(label[target == one] != one) for one in set(target))


worst_class.per = "set"
worst_class.bound = 1
"""


def risks_in(project: Project) -> Snapshot:
    return project.snapshot("risks.csv", "estimates/unsealed.csv", "selection.json")


def test_from_loss_to_score_to_function_and_back_nothing_is_fitted(project: Project) -> None:
    """The predictions of a cell are enough for each; back at the first one, so are its results."""
    (project.folder / "my_scores.py").write_text(WORST_CLASS)
    first, found = risks_in(project), {}
    own = {"function": "my_scores.worst_class", "bound": 1}
    for loss in ("cross_entropy", "roc_auc_ovr", "balanced_accuracy", own, "zero_one"):
        project.task["loss"] = loss
        run, written = rerun(project, SELECTION, UNSEALED)
        assert (written, project.fitted(run)) == (set(), 0), loss
        found[str(loss)] = risks_in(project)
    assert found.pop("zero_one") == first
    texts = [files["risks.csv"] for files in (first, *found.values())]
    assert len(set(texts)) == 5, "each has risks of its own"


def test_a_job_that_finds_its_cells_does_not_import_scikit_learn(project: Project) -> None:
    poison = project.folder / "poison" / "sklearn"
    poison.mkdir(parents=True)
    (poison / "__init__.py").write_text("raise ImportError('scikit-learn was imported')\n")
    project.put_first(poison.parent)
    project.task["loss"] = "brier"
    manifests = [f"results/{TASK}/cells/manifests/{batch}-of-2.json" for batch in (1, 2)]
    run = project.succeed(*manifests)
    assert run.jobs["fit_cells"] == 2
    assert (project.fitted(run), project.reused(run)) == (0, ALL_CELLS)


def test_a_sealed_row_changes_nothing_outside_the_vault(project: Project) -> None:
    sealed, before, cells = (
        project.snapshot("vault/sealed.parquet"),
        unsealed(project),
        manifest_cells(project),
    )
    change_sealed_row(project)
    run, written = rerun(project)
    assert run.jobs["prepare_data"] == 1
    assert project.snapshot("vault/sealed.parquet") != sealed
    assert written == set()
    assert (project.fitted(run), project.reused(run)) == (0, ALL_CELLS)
    assert unsealed(project) == before
    assert manifest_cells(project) == cells


def unsealed(project: Project) -> Snapshot:
    """All that is made without a look at a sealed row; a manifest also counts a job's fits."""
    names = ("data", "splits", "cells", "risks.csv", "selection.json", "estimates", "final")
    return {k: v for k, v in project.snapshot(*names).items() if "manifests" not in k}


def manifest_cells(project: Project) -> list[object]:
    """What the manifests say about the cells (not how many of them a job had to fit)."""
    folder = project.results / "cells" / "manifests"
    return [json.loads(path.read_text())["cells"] for path in sorted(folder.iterdir())]


# --- the code ------------------------------------------------------------------------------


@pytest.fixture
def library(project: Project) -> Path:
    """A copy of the library for this project alone."""
    folder = project.folder / "lib" / "heldout"
    source = REPO / "workflow" / "heldout"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    project.put_first(folder.parent)
    return folder


def test_a_comment_or_docstring_in_the_fitting_code_changes_nothing(
    project: Project, library: Path
) -> None:
    module = library / "numerics" / "engines" / "generic.py"
    text = module.read_text().replace('"""', '"""In other words: ', 1)
    module.write_text(f"# A comment.\n{text}\n\n# Another one.\n")
    run, written = rerun(project)
    assert not run.jobs
    assert written == set()


def test_a_statement_in_the_fitting_code_fits_everything_anew(
    project: Project, library: Path
) -> None:
    module = library / "numerics" / "engines" / "generic.py"
    module.write_text(module.read_text() + "\n\nTOLERANCE = 1e-9\n")
    run, written = rerun(project, RISKS)
    assert written == cells_of(THETA_FOLDERS)
    assert project.fitted(run) == ALL_CELLS


def test_a_statement_in_the_estimating_code_fits_nothing(project: Project, library: Path) -> None:
    module = library / "estimates" / "risks.py"
    module.write_text(module.read_text() + "\n\nTOLERANCE = 1e-9\n")
    run, written = rerun(project, RISKS)
    assert run.jobs["estimate_risks"] == 1
    assert written == set()


def edit(module: Path, old: str, new: str) -> None:
    text = module.read_text()
    assert text.count(old) == 1, f"{module.name}: {old}"
    module.write_text(text.replace(old, new))


def new_learner(library: Path) -> None:
    entry = '"twins": Entry("sklearn.dummy.DummyClassifier", instead="for classes only"),'
    edit(
        library / "learners/catalogue.py",
        '    "majority": Entry(',
        f'    {entry}\n    "majority": Entry(',
    )


def new_config_key(library: Path) -> None:
    old = '    drop: list[str] = Field(default=[], description="columns never used")\n'
    new = '    colour: str = Field(default="red", description="a new key")\n'
    edit(library / "config/models.py", old, old + new)


def reworded_errors(library: Path) -> None:
    edit(library / "learners/grid.py", "the list of values is empty", "there are no values")
    edit(library / "cells/preflight.py", "an empty list of columns", "no columns")
    edit(library / "errors.py", "f\"; did you mean '", "f\"; perhaps '")


def new_check(library: Path) -> None:
    entry = (
        'Check(code="H900", title="A new check", severity="note", '
        'function="heldout.checks.fits:fits_without_warnings", text="A new question."),'
    )
    edit(library / "checks/about_models.py", "CHECKS = (\n", f"CHECKS = (\n    {entry}\n")


def new_estimator(library: Path) -> None:
    entry = (
        'Estimator(name="again", title="Training, again", role="apparent", target="none", '
        'meaning="The same.", formula="e", caveat="is too small", reference="none", url="none", '
        'kinds=(FULL,), judges=FULL, aims=(THIS_PREDICTOR,), comes_with="training", '
        'fixed="heldout.estimates.fixed:training"),'
    )
    edit(library / "estimates/registry.py", "_ENTRIES = (\n", f"_ENTRIES = (\n    {entry}\n")


def new_engine(library: Path) -> None:
    (library / "numerics/engines/copied.py").write_text(
        "from heldout.numerics.engines import generic\n"
    )
    old = '        Engine(GENERIC, "one θ a fit; any estimator"),\n'
    edit(
        library / "numerics/engines/registry.py",
        old,
        old + '        Engine("copied", "nothing"),\n',
    )


def test_declarations_and_words_fit_no_cell(project: Project, library: Path) -> None:
    """A learner, a config key, a check, an estimator, an engine; and errors in other words."""
    for change in (
        new_learner,
        new_config_key,
        reworded_errors,
        new_check,
        new_estimator,
        new_engine,
    ):
        change(library)
    run, written = rerun(project, RISKS)
    assert run.jobs["estimate_risks"] == 1
    assert ",again," in (project.results / "risks.csv").read_text()
    assert written == set()


def test_another_way_of_slicing_rows_fits_everything_anew(project: Project, library: Path) -> None:
    old = "target, rows = self._target[train], self._rows_of(frame)"
    new = "target, rows = self._target[train][:], self._rows_of(frame)"
    edit(library / "numerics/problem.py", old, new)
    run, written = rerun(project, RISKS)
    assert written == cells_of(THETA_FOLDERS)
    assert project.fitted(run) == ALL_CELLS


# --- the number of jobs --------------------------------------------------------------------


def one_core(project: Project) -> int:
    return 1


def three_batches(project: Project) -> int:
    project.config["batches"] = 3
    return 2


def three_batches_without_a_server(project: Project) -> int:
    """Without the fork server."""
    project.environment[ADDRESS] = ""
    return three_batches(project)


@pytest.mark.parametrize("arrange", [one_core, three_batches, three_batches_without_a_server])
def test_cores_batches_and_the_fork_server_do_not_change_a_bit(
    arrange: Callable[[Project], int], cold: Project, tmp_path: Path
) -> None:
    project = Project(tmp_path, small_config())
    run = project.succeed(ESTIMATES, cores=arrange(project))
    assert run.jobs["fit_cells"] != 2
    tables = ("risks.csv", "estimates.csv", "selection.json", "estimates", "splits", "final")
    assert project.snapshot(*tables) == cold.snapshot(*tables)
    assert len(stored_predictions(cold)) == ALL_CELLS
    assert stored_predictions(project) == stored_predictions(cold)


def stored_predictions(project: Project) -> dict[object, dict[str, bytes]]:
    """What every stored model predicted for its held-out set, to the last bit."""
    store = Store(project.results / "cells")
    manifests = (project.results / "cells" / "manifests").iterdir()
    found: dict[object, dict[str, bytes]] = {}
    for (learner, theta, held_out), record in read_manifests(manifests).items():
        stored = store.predictions(Cell(learner, json.loads(theta), held_out), record.score)
        arrays = stored.arrays().items()
        found[learner, theta, held_out] = {name: array.tobytes() for name, array in arrays}
    return found
