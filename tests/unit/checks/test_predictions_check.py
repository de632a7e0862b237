"""H027 and H028: what the selected model predicts for held-out rows."""

from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from finished import classes, finish, numbers

from heldout.checks import predictions
from heldout.measures import calibration
from heldout.predictions import Predictions

RARE = classes(300, signal=0.3, rare=0.05)


@pytest.mark.parametrize(
    ("columns", "learners", "task", "status"),
    [
        (classes(signal=2), ["knn"], {}, "pass"),
        (RARE, ["svm"], {}, "fail"),
        (RARE, ["logistic"], {"loss": "roc_auc"}, "pass"),
        (RARE, ["logistic"], {"loss": "brier"}, "pass"),
        (RARE, ["logistic"], {"loss": "f1", "threshold": "tune"}, "pass"),
        (RARE, ["logistic"], {"kfold": {"k": 4, "repeats": 2}}, "fail"),
        (classes(400, signal=6, rare=0.02), ["logistic"], {}, "pass"),
        (RARE, ["majority"], {}, "na"),
        (numbers(), ["ridge"], {}, "pass"),
        (numbers(), ["huge"], {}, "fail"),
        (numbers(), ["tree"], {"loss": "absolute"}, "pass"),
    ],
)
def test_h027(
    tmp_path: Path, columns: dict[str, Any], learners: list[str], task: dict[str, Any], status: str
) -> None:
    row = finish(tmp_path, columns, *learners, **task).check("H027")
    assert (row.status, row.severity) == (status, "warning"), row.message


def test_h027_says_what_is_predicted(tmp_path: Path) -> None:
    row = finish(tmp_path, RARE, "svm").check("H027")
    assert (
        "'a' is predicted for 300 of 300 held-out rows; 15 of them are of another class"
        in row.message
    )
    assert "threshold: tune" in row.message


def test_h027_in_time_order(tmp_path: Path) -> None:
    more = {"time": "when", "rolling": {"blocks": 6}, "estimators": ["rolling"]}
    row = finish(tmp_path, RARE | {"when": list(range(300))}, "svm", **more).check("H027")
    assert row.status == "fail"


def doubled(rows: int = 300, copies: int = 6) -> dict[str, Any]:
    """The same feature several times, which naive Bayes takes for independent evidence."""
    columns = classes(rows, signal=1.5)
    return columns | {f"x{i}": columns["x"] for i in range(copies)}


@pytest.mark.parametrize(
    ("columns", "learner", "task", "status"),
    [
        (doubled(), "nb", {}, "fail"),
        (doubled(), "nb", {"loss": "brier", "kfold": {"k": 4, "repeats": 2}}, "fail"),
        (doubled(), "logistic", {}, "pass"),
        (classes(60, signal=1), "logistic", {}, "pass"),
        (classes(200, signal=0.0, seed=6), "logistic", {}, "pass"),
        (classes(120, signal=2), "svm", {}, "na"),
        (doubled() | {"w": np.tile([1.0, 2.0], 150)}, "nb", {"weights": "w"}, "na"),
        (numbers(), "ridge", {}, "na"),
    ],
)
def test_h028(
    tmp_path: Path, columns: dict[str, Any], learner: str, task: dict[str, Any], status: str
) -> None:
    row = finish(tmp_path, columns, learner, **task).check("H028")
    assert (row.status, row.severity) == (status, "note"), row.message
    if status == "fail":
        assert "calibrate: sigmoid or isotonic for nb" in row.message


def test_h028_groups_of_equal_rows_are_no_evidence(tmp_path: Path) -> None:
    """Sixty rows, ten times each: what looks like bad probabilities is chance."""
    few = classes(60, signal=1.5)
    columns = {name: np.repeat(values, 10) for name, values in few.items()}
    columns["who"] = np.repeat([f"p{i}" for i in range(60)], 10)
    assert finish(tmp_path, few, "nb").check("H028").status == "pass"
    grouped = finish(tmp_path, columns, "nb", groups="who").check("H028")
    assert grouped.status == "pass"
    assert grouped.message.startswith("of one row drawn from each of 60 groups, class 'b'")
    assert finish(tmp_path, columns, "nb", drop=["who"]).check("H028").status == "fail"


def test_h028_draws_from_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(predictions, "ROWS", 200)
    row = finish(tmp_path, doubled(400), "nb").check("H028")
    assert row.message.startswith("of 200 rows drawn, ")
    assert row.status == "fail"


def test_h027_compares_spreads_about_the_means() -> None:
    generator = np.random.default_rng(2)
    target = 1000 + 3 * generator.normal(size=100)
    rows = [np.arange(50), np.arange(50, 100)]
    said = [(held, 500.0 * place + target[held] / 5) for place, held in enumerate(rows)]
    found = predictions._numbers(target, said)
    assert found.status == "pass"
    assert found.message.startswith("predictions for held-out rows spread 0.2 times as much")


def test_h028_how_probable_an_error_is_by_chance() -> None:
    generator = np.random.default_rng(2)
    proba = generator.uniform(0.1, 0.9, 400)
    bins = calibration.bin_numbers(proba)
    mean, sd = calibration.error_by_chance(proba, bins)
    drawn = [
        calibration.calibration_error(generator.random(400) < proba, proba, bins)
        for _ in range(2000)
    ]
    positive = generator.random(400) < proba
    found = predictions._class("b", positive, proba)
    assert found.p == pytest.approx(np.mean(np.array(drawn) >= found.error), abs=0.05)
    assert found.p == pytest.approx(1 - NormalDist().cdf((found.error - mean) / sd))


def test_h028_certain_predictions_do_not_err_by_chance() -> None:
    proba = np.repeat([0.0, 1.0], 50)
    assert predictions._class("b", proba == 1, proba).p == 0.5
    wrong = np.r_[np.ones(10, bool), proba[10:] == 1]
    assert predictions._class("b", wrong, proba).p == 0


@pytest.mark.parametrize("what", ["proba", "decision"])
def test_h027_scores_that_are_the_same_in_every_row(what: str) -> None:
    same, other = np.tile([0.3, 0.7], (5, 1)), np.tile([0.2, 0.8], (5, 1))
    parts = [Predictions(**{what: one}) for one in (same, other)]
    found = predictions._scores(parts)
    assert found.status == "fail", "models may differ"
    other[2] = 0.5, 0.5
    assert predictions._scores(parts).status == "pass"
