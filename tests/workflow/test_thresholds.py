"""A threshold fits nothing, is chosen with θ, and is part of the final model and of the sealed test."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import inprocess
import joblib
import numpy as np
import pandas as pd
import pytest
from harness import RISKS, TASK, Project, Run
from sklearn.metrics import f1_score

from heldout.errors import HeldoutError
from heldout.execution.rehearse import rehearse
from heldout.execution.study import Study
from heldout.measures.thresholds import TUNED
from heldout.selection.sealed_predictions import read_predictions


class Runs(NamedTuple):
    """A project, its cells before thresholds were tried, and the run that tried them."""

    project: Project
    cells: dict[str, int]
    tuned: Run


def two_classes(project: Project) -> None:
    """Merge two of the three species."""
    project.lines = [line.replace("adelie", "chinstrap") for line in project.lines]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A study fitted without thresholds, and the whole of it with them."""
    project = Project(tmp_path_factory.mktemp("thresholds"))
    two_classes(project)
    keys = {"loss": "f1", "estimators": ["kfold", "nested_cv", "test"]}
    project.task.update(keys)
    project.config["models"] = "selected"
    project.succeed(RISKS)
    cells = project.cells()
    project.task["threshold"] = "tune"
    return Runs(project, cells, project.succeed())


def read(project: Project, name: str) -> Any:
    return json.loads((project.results / name).read_text())


def test_a_threshold_fits_nothing(runs: Runs) -> None:
    project, cells, tuned = runs
    assert cells == project.cells()
    assert tuned.jobs["fit_cells"]
    assert (project.fitted(tuned), project.reused(tuned)) == (0, len(cells))


def test_other_thresholds_do_not_even_look_at_the_cells(runs: Runs, tmp_path: Path) -> None:
    project = runs.project.copy_to(tmp_path / "study")
    before = project.cells()
    project.task["threshold"] = [0.2, 0.6]
    run = project.succeed(RISKS)
    assert run.jobs["estimate_risks"] == 1
    assert "fit_cells" not in run.jobs
    assert project.cells() == before


def test_every_file_of_the_choice_has_the_threshold(runs: Runs) -> None:
    project = runs.project
    selection, card = read(project, "selection.json"), read(project, "final/card.json")
    threshold = selection["theta"]["threshold"]
    assert threshold in TUNED
    assert (card["theta"], card["threshold"]) == (selection["theta"], threshold)
    assert card["positive"] == "gentoo"
    with (project.results / "folds.csv").open() as file:
        chosen = [json.loads(row["theta"])["threshold"] for row in csv.DictReader(file)]
    assert chosen
    assert set(chosen) <= set(TUNED)


def test_the_final_model_decides_by_the_threshold(runs: Runs) -> None:
    project = runs.project
    model = joblib.load(project.results / "final" / "model.joblib")
    table = pd.read_csv(project.folder / "birds.csv")
    proba = model.predict_proba(table)[:, model.classes.index("gentoo")]
    threshold = read(project, "selection.json")["theta"]["threshold"]
    expected = np.where(proba >= threshold, "gentoo", "chinstrap")
    assert (model.predict(table) == expected).all()
    assert len(set(expected)) == 2
    said = project.shell(
        f"python -m heldout predict results/{TASK}/final/model.joblib birds.csv --output said.csv"
    )
    assert said.returncode == 0, said.stderr
    assert (pd.read_csv(project.folder / "said.csv")["prediction"] == expected).all()


def test_the_sealed_test_judges_the_model_with_its_threshold(
    runs: Runs,
) -> None:
    project = runs.project
    sealed = read_predictions(project.results / "vault")
    assert sealed.classes is not None
    assert sealed.predictions.proba is not None
    positive = sealed.classes.index("gentoo")
    threshold = read(project, "selection.json")["theta"]["threshold"]
    above = sealed.predictions.proba[:, positive] >= threshold
    assert ((sealed.predictions.label == positive) == above).all()
    rows = pd.read_csv(project.results / "estimates.csv")
    risk = rows[(rows.learner == "all") & (rows.estimator == "test")].risk.iloc[0]
    assert 1 - risk == pytest.approx(f1_score(sealed.target == positive, above), abs=1e-12)


def test_models_of_the_selected_theta_are_kept(runs: Runs) -> None:
    """With `models: selected`, whose folders know nothing of thresholds."""
    project = runs.project
    folders = {path.parent.name for path in project.results.glob("cells/*/*/*.model")}
    assert (
        f"n_neighbors={read(project, 'selection.json')['learners']['knn']['theta']['n_neighbors']}"
        in folders
    )
    assert len(folders) == 3


def test_nothing_is_amiss_and_nothing_to_clean(runs: Runs) -> None:
    project = runs.project
    assert project.check().code == 0
    said = project.shell("python -m heldout clean --config study.yaml --dry-run")
    assert said.returncode == 0, said.stderr
    assert "does not name" not in said.stdout


# --- bad input -----------------------------------------------------------------------------


OWN = "def mine(target, given):\n    return 0.0 * given[:, 0]\n\n\nmine.needs = 'proba'\n"


def own_function(project: Project) -> None:
    two_classes(project)
    (project.folder / "my_measure.py").write_text(OWN)
    project.task["loss"] = "my_measure.mine"


def without_probabilities(project: Project) -> None:
    two_classes(project)
    project.config["learners"] = {
        "knn": {"estimator": "knn"},
        "plane": {"estimator": "sklearn.svm.LinearSVC"},
        "machine": {"estimator": "sklearn.svm.SVC"},
    }
    project.task["learners"] = ["knn", "plane", "machine"]


def number(project: Project) -> None:
    project.task.update(target="bill", learners=["tree"])
    project.task.pop("loss")


BAD: dict[str, tuple[Callable[[Project], None], str]] = {
    "three classes": (
        lambda _: None,
        "threshold: is for two classes, and the target has 3; leave it out",
    ),
    "a number": (number, "threshold: is for two classes, and the target is a number; leave it out"),
    "learners without probabilities": (
        without_probabilities,
        "threshold: needs probabilities, and there are none of 'plane' (LinearSVC), 'machine' (SVC); set calibrate: sigmoid",
    ),
    "a function of probabilities": (
        own_function,
        "threshold: changes labels only, and the loss 'my_measure.mine' is computed from proba",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_before_the_first_fit(
    spoil: Callable[[Project], None],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    project = Project(tmp_path)
    spoil(project)
    project.task["threshold"] = [0.2, 0.5]
    project.write_inputs()
    study = Study(project.config)
    with pytest.raises(HeldoutError) as checked:
        rehearse(study, TASK, users_code=True)
    with pytest.raises(HeldoutError) as fitted:
        run_until_fits(study, project)
    assert message in str(checked.value)
    assert message in str(fitted.value)
    assert not project.cells()


def run_until_fits(study: Study, project: Project) -> None:
    inprocess.run_step(study, project.results, "prepare_data", TASK)
    for split in study.splits(TASK):
        inprocess.run_step(study, project.results, "draw_splits", TASK, split=split)
    inprocess.run_step(study, project.results, "fit_cells", TASK, batch=1, batches=1)


def test_cells_without_probabilities_are_refused_later_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    without_probabilities(project)
    project.write_inputs()
    run_until_fits(Study(project.config), project)
    project.task["threshold"] = 0.3
    with pytest.raises(HeldoutError, match=r"none of 'plane' \(LinearSVC\), 'machine' \(SVC\)"):
        run_until_fits(Study(project.config), project)
