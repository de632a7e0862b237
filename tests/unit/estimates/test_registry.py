"""One entry is enough: a new estimator, interval, loss or check shows wherever it should."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_task

from heldout.checks.check import Context, Outcome, passed
from heldout.checks.entry import Check
from heldout.checks.registry import CHECKS
from heldout.config.load import validate
from heldout.config.models import Config
from heldout.config.registry_pages import pages
from heldout.errors import HeldoutError
from heldout.estimates.algorithm import Algorithm
from heldout.estimates.evidence import Bounds, Estimate, Evidence
from heldout.estimates.interval_registry import INTERVALS
from heldout.estimates.lookup import default_estimators, estimator_names
from heldout.estimates.procedures import Procedures
from heldout.estimates.registry import ESTIMATORS
from heldout.measures.registry import LOSSES, Loss
from heldout.measures.score_registry import SCORES
from heldout.report.fits import fits_by_estimate
from heldout.results import glossary, headline
from heldout.results.tables import Table


def config(folder: Path, classes: bool = False, **task: Any) -> dict[str, Any]:
    """44 rows of two features, the target a number or a class."""
    generator = np.random.default_rng(2)
    x, z = generator.normal(size=(2, 44))
    y = np.where(x + z > 0.2, "a", "b") if classes else np.round(x + z, 3)
    lines = [
        f"{a:.5f},{b:.5f},{c}" for a, b, c in zip(x, generator.normal(size=44), y, strict=True)
    ]
    (folder / "table.csv").write_text("\n".join(["x,w,y", *lines]) + "\n")
    given = {"data": str(folder / "table.csv"), "target": "y", "learners": ["knn"], "test": 0}
    learners = {"knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 5]}}}
    return {"tasks": {"t": {**given, "kfold": {"k": 3}, **task}}, "learners": learners}


LOSSES_OF_RUNS = {
    "squared": False, "zero_one": True, "brier": True, "roc_auc": True, "f1": True, "r2": False,
}  # fmt: skip
"""Losses of examples and of sets, and whether they are for classes."""


def asked_for(loss: str) -> list[str]:
    """A score of sets has no leave-one-out."""
    names = [name for name in estimator_names() if not ESTIMATORS[name].only_in_time]
    return [name for name in names if loss not in SCORES or name != "loo"]


def expected(loss: str) -> list[str]:
    """The estimators that have rows, in their order."""
    pooled = loss in SCORES and SCORES[loss].pooled
    without = {"loo"} if loss in SCORES else set()
    without |= {name for name, entry in ESTIMATORS.items() if entry.only_in_time}
    if not pooled:
        without |= {"nested_cv_pooled"}
    if loss == "roc_auc":
        without |= {"kfold_pooled"}
    return [name for name in ESTIMATORS if name not in without]


# --- what is there -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    everything: dict[str, Any] = {
        "test": 0.25,
        "kfold": {"k": 4},  # of 33 rows: unequal folds, so that kfold_pooled differs from kfold
        "montecarlo": {"rounds": 3, "halvings": 2},
        "bootstrap": {"bags": 200},
    }
    found = {}
    for loss, classes in LOSSES_OF_RUNS.items():
        folder = tmp_path_factory.mktemp("all")
        asked = config(folder, classes, loss=loss, estimators=asked_for(loss), **everything)
        found[loss] = run_task(asked, folder / "run")
    found["in time"] = run_in_time(tmp_path_factory.mktemp("in_time"))
    return found


def run_in_time(folder: Path) -> Run:
    """The table in the order of a column, by the default estimators."""
    asked = config(
        folder,
        time="w",
        test=0.25,
        rolling={"blocks": 7},
        estimators=default_estimators(in_time=True),
    )
    return run_task(asked, folder / "run")


def test_in_time_order_the_default_estimators_appear(runs: dict[str, Run]) -> None:
    names = [row.estimator for row in runs["in time"].estimates if row.learner == "all"]
    assert list(dict.fromkeys(names)) == default_estimators(in_time=True)
    assert {row.interval for row in runs["in time"].estimates if row.interval} == {"cosine_t"}


@pytest.mark.parametrize("loss", LOSSES_OF_RUNS)
def test_every_estimator_appears_in_the_order_of_the_registry(
    runs: dict[str, Run], loss: str
) -> None:
    run = runs[loss]
    names = [row.estimator for row in run.estimates if row.learner == "all"]
    assert list(dict.fromkeys(names)) == expected(loss)
    first = [row.estimator for row in run.risks if row.theta == run.risks[0].theta]
    assert first == [name for name in expected(loss) if ESTIMATORS[name].fixed]


def test_every_interval_appears_and_has_an_entry(runs: dict[str, Run]) -> None:
    rows = [row for run in runs.values() for row in (*run.risks, *run.estimates)]
    assert {row.interval for row in rows if row.interval} == set(INTERVALS)


def test_targets_are_those_of_the_registry(runs: dict[str, Run]) -> None:
    for row in runs["squared"].estimates:
        assert row.target == ESTIMATORS[row.estimator].target


# --- a new estimator ---------------------------------------------------------------------------


def median_fold(algorithm: Algorithm, estimator: str) -> Estimate:
    evidence = algorithm.evidence(estimator)
    return Estimate(float(np.median(evidence.set_means)), evidence.n)


def second_best(procedures: Procedures, name: str, _: str) -> Estimate:
    found = procedures.cv_choice(name)
    place = int(np.argsort(found.risks)[1])
    return Estimate(float(found.risks[place]), 44, chosen=found.pairs[place])


@pytest.fixture
def new_estimators(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"target": "the median fold", "title": "Median fold", "intervals": ()}
    entries = (
        replace(
            ESTIMATORS["kfold"], **words, name="median_fold", fixed=f"{__name__}:median_fold", headline=0
        ),
        replace(ESTIMATORS["min_cv"], name="second_best", tuned=f"{__name__}:second_best"),
    )  # fmt: skip
    for entry in entries:
        monkeypatch.setitem(ESTIMATORS, entry.name, entry)


@pytest.fixture
def run_with_new(new_estimators: None, tmp_path: Path) -> Run:
    asked = ["kfold", "median_fold", "min_cv", "second_best"]
    return run_task(config(tmp_path, estimators=asked), tmp_path / "run")


def test_a_new_estimator_has_rows(run_with_new: Run) -> None:
    for theta in ({"n_neighbors": 1}, {"n_neighbors": 5}):
        [kfold, new] = [run_with_new.risk("knn", theta, name) for name in ("kfold", "median_fold")]
        assert new != kfold
    row = run_with_new.estimate("knn", "median_fold")
    assert (row.target, row.interval) == ("the median fold", None)
    assert run_with_new.estimate("all", "median_fold").risk == row.risk
    worse = run_with_new.estimate("all", "second_best")
    assert worse.theta != run_with_new.estimate("all", "min_cv").theta
    assert worse.risk > run_with_new.estimate("all", "min_cv").risk
    assert "second_best" not in {row.estimator for row in run_with_new.risks}


def test_a_new_estimator_is_accepted_by_the_config(new_estimators: None, tmp_path: Path) -> None:
    raw = config(tmp_path, estimators=["median_fold"], select={"by": "median_fold"})
    assert validate(raw).tasks["t"].estimators == ["median_fold"]
    schema = Config.model_json_schema()["$defs"]["Task"]["properties"]["estimators"]
    assert "median_fold" in schema["items"]["enum"]


def test_without_its_entry_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HeldoutError, match=r"should be 'training'.*found 'median_fold'"):
        validate(config(tmp_path, estimators=["median_fold"]))


def test_a_new_estimator_is_in_the_words_of_the_report(new_estimators: None) -> None:
    found = glossary.as_json(["median_fold"], [])["estimators"]["median_fold"]
    assert (found["title"], found["role"]) == ("Median fold", "chosen")
    rows = [{"learner": "all", "estimator": name} for name in ("kfold", "median_fold")]
    first = headline.headline_row(Table([], rows))
    assert first is not None
    assert first["estimator"] == "median_fold"
    cells = [{"learner": "knn", "theta": {}, "sets": ["k3.r1.f01"]}]
    fits = fits_by_estimate([{"cells": cells}], ["median_fold"], 44)
    assert fits["knn"] == {"median_fold": 1}


def test_a_new_estimator_has_a_page(new_estimators: None, tmp_path: Path) -> None:
    made = {path.name: make for path, make in pages(tmp_path).items()}
    assert "# Median fold\n" in made["median_fold.md"]()
    assert "| [Median fold](estimators/median_fold.md) |" in made["estimators.md"]()


def test_what_is_written_by_hand_stays(tmp_path: Path) -> None:
    path = tmp_path / "estimators" / "kfold.md"
    path.parent.mkdir()
    make = pages(tmp_path)[path]
    path.write_text(make() + "\n**Fails.** Sometimes.\n")
    assert make() == path.read_text()


# --- a new interval, loss and check ------------------------------------------------------------


def never(_: Evidence) -> None:
    return None


def everything(evidence: Evidence, delta: float) -> Bounds:
    return delta, 0.0, evidence.risk + 7


def test_a_new_interval_has_rows_and_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    paths = {"refuses": f"{__name__}:never", "bounds": f"{__name__}:everything"}
    entry = replace(
        INTERVALS["t"], name="wide", title="Wide", derived_for={"kfold": ("predictor",)}
    )
    monkeypatch.setitem(INTERVALS, "wide", replace(entry, **paths))
    tried = (*ESTIMATORS["kfold"].intervals, "wide")
    monkeypatch.setitem(ESTIMATORS, "kfold", replace(ESTIMATORS["kfold"], intervals=tried))
    run = run_task(config(tmp_path, estimators=["kfold"]), tmp_path / "run")
    row = run.estimate("knn", "kfold", "wide")
    assert row.ci_high == row.risk + 7
    assert row.se == pytest.approx(0.05)
    assert glossary.interval("wide").title == "Wide"


def cubed(target: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.abs(target - value) ** 3


def test_a_new_loss_is_accepted_and_computed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entry = replace(LOSSES["squared"], name="cubed", function=f"{__name__}:cubed")
    assert isinstance(entry, Loss)
    monkeypatch.setitem(LOSSES, "cubed", entry)
    risks = {
        loss: run_task(
            config(tmp_path, estimators=["training", "kfold"], loss=loss), tmp_path / loss
        ).risk("knn", {"n_neighbors": 5}, "kfold")
        for loss in ("absolute", "cubed")
    }
    assert risks["cubed"] != risks["absolute"]


def rows_are_many(context: Context) -> Outcome:
    return passed(f"{context.loss_table.table.n} rows")


def test_a_new_check_is_asked_and_documented(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entry = Check(
        code="H999",
        title="Rows are many",
        severity="note",
        function=f"{__name__}:rows_are_many",
        text="Few rows say little.",
    )
    monkeypatch.setitem(CHECKS, "H999", entry)
    run = run_task(config(tmp_path, estimators=["kfold"]), tmp_path / "run")
    assert run.check("H999").message == "44 rows"
    page = pages(tmp_path)[tmp_path / "checks.md"]()
    assert "## H999\n**Rows are many.** (note) Few rows say little.\n" in page
