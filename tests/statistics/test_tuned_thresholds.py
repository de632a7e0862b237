"""θ and the threshold, chosen together, are those of a plain loop over scikit-learn's models and scores."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_task
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.data.prepared import open_prepared
from heldout.measures.thresholds import TUNED
from heldout.resampling.split import partitions
from heldout.resampling.split_file import read_split

CS = [0.01, 0.3, 10.0]
FEW = [0.05, 0.1, 0.2, 0.3, 0.5, 0.8]
K = 4
Score = Callable[[np.ndarray, np.ndarray], float]
"""Of true and predicted classes, 1 being the positive one; greater is better."""


def write_table(path: Path) -> None:
    """150 rows, one in six of them ill."""
    generator = np.random.default_rng(11)
    ill = np.arange(150) % 6 == 0
    x = generator.normal(size=(150, 3)) + np.outer(ill, [1.2, 0.5, 0.0])
    lines = ["a,b,c,state"]
    lines += [
        f"{a:.5f},{b:.5f},{c:.5f},{'ill' if one else 'well'}"
        for (a, b, c), one in zip(x, ill, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def run(folder: Path, loss: Any, threshold: Any, **keys: Any) -> Run:
    write_table(folder / "t.csv")
    task = {
        "data": str(folder / "t.csv"),
        "target": "state",
        "test": 0,
        "loss": loss,
        "threshold": threshold,
        "kfold": {"k": K},
        "estimators": ["kfold", "nested_cv"],
        "learners": ["logistic"],
        **keys,
    }
    learners = {"logistic": {"estimator": "logistic", "grid": {"C": CS}}}
    return run_task({"tasks": {"t": task}, "learners": learners}, folder)


@dataclass(frozen=True)
class Loop:
    """Fits by hand; rows, classes and folds are those of a finished run."""

    folder: Path
    score: Score
    thresholds: Sequence[float]
    positive: str = "ill"

    def __post_init__(self) -> None:
        table = open_prepared(self.folder / "data")
        assert table.classes is not None
        x, code = np.asarray(table.features), np.asarray(table.target)
        y = (code == table.classes.index(self.positive)).astype(int)

        @cache
        def proba(held: tuple[int, ...], c: float) -> np.ndarray:
            rest = np.setdiff1d(np.arange(len(y)), held)
            model = LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=1000, C=c)
            fitted = make_pipeline(StandardScaler(), model).fit(x[rest], y[rest])
            return np.asarray(fitted.predict_proba(x))[:, 1]

        object.__setattr__(self, "y", y)
        object.__setattr__(self, "proba", proba)

    @property
    def folds(self) -> Iterator[tuple[int, list[np.ndarray]]]:
        for one in partitions(read_split(self.folder / "splits" / "kfold.csv")):
            yield one.repeat, [one.rows(fold) for fold in range(one.k)]

    def value(self, held: Sequence[np.ndarray], c: float, t: float, judged: np.ndarray) -> float:
        """The score on some rows of the model without some folds."""
        rows = tuple(np.sort(np.concatenate(held)).tolist())
        label = (self.proba(rows, c)[judged] >= t).astype(int)  # type: ignore[attr-defined]
        return self.score(self.y[judged], label)  # type: ignore[attr-defined]

    def best(self, value: Callable[[float, float], float]) -> tuple[float, dict[str, float]]:
        found = [(value(c, t), {"C": c, "threshold": t}) for c in CS for t in self.thresholds]
        top = max(score for score, _ in found)
        return next((s, theta) for s, theta in found if s >= top - 1e-13)

    def kfold(self) -> tuple[float, dict[str, float]]:
        every = [fold for _, folds in self.folds for fold in folds]
        return self.best(lambda c, t: float(np.mean([self.value([f], c, t, f) for f in every])))

    def nested(self) -> list[tuple[float, dict[str, float]]]:
        """For each outer fold the score of what was chosen without it."""
        found = []
        for _, folds in self.folds:
            for outer in folds:
                inner = [fold for fold in folds if fold is not outer]

                def mean(c: float, t: float, outer: Any = outer, inner: Any = inner) -> float:
                    return float(np.mean([self.value([outer, f], c, t, f) for f in inner]))

                _, theta = self.best(mean)
                score = self.value([outer], theta["C"], theta["threshold"], outer)
                found.append((score, theta))
        return found


def f1(true: np.ndarray, label: np.ndarray) -> float:
    return float(metrics.f1_score(true, label, zero_division=0))


def youden(true: np.ndarray, label: np.ndarray) -> float:
    return float(2 * metrics.balanced_accuracy_score(true, label) - 1)


def at_recall(true: np.ndarray, label: np.ndarray) -> float:
    reached = metrics.recall_score(true, label) >= 0.7
    return float(metrics.precision_score(true, label, zero_division=0)) if reached else 0.0


CASES: dict[str, tuple[Any, Score, str]] = {
    "f1": ("f1", f1, "ill"),
    "f1 of the other class": ("f1", f1, "well"),
    "f2": (
        {"fbeta": 2},
        lambda y, z: float(metrics.fbeta_score(y, z, beta=2, zero_division=0)),
        "ill",
    ),
    "balanced accuracy": (
        "balanced_accuracy",
        lambda y, z: float(metrics.balanced_accuracy_score(y, z)),
        "ill",
    ),
    "youden": ("youden", youden, "ill"),
    "precision at recall": ({"precision_at_recall": 0.7}, at_recall, "ill"),
    "costs": (
        {"costs": {"ill": {"well": 4}, "well": {"ill": 1}}},
        lambda y, z: -float(np.mean(4 * ((y == 1) & (z == 0)) + ((y == 0) & (z == 1)))),
        "ill",
    ),
    "zero-one": ("zero_one", lambda y, z: float(metrics.accuracy_score(y, z)), "ill"),
}


@pytest.mark.parametrize(("loss", "score", "positive"), CASES.values(), ids=CASES)
def test_theta_and_threshold_are_chosen_together(
    loss: Any, score: Score, positive: str, tmp_path: Path
) -> None:
    done = run(tmp_path, loss, FEW, positive=positive)
    optimum = 0.0 if isinstance(loss, dict) and "costs" in loss else 1.0
    compare(done, Loop(done.folder, score, FEW, positive), optimum)


def test_tuned_thresholds_and_repeated_partitions(tmp_path: Path) -> None:
    done = run(tmp_path, "f1", "tune", kfold={"k": K, "repeats": 2})
    compare(done, Loop(done.folder, f1, TUNED), optimum=1.0)


def compare(done: Run, loop: Loop, optimum: float) -> None:
    """The selection, its risk, and what nested CV chose and got in every outer fold."""
    value, theta = loop.kfold()
    assert done.selection["theta"] == theta
    assert optimum - done.selection["risk"] == pytest.approx(value, abs=1e-12)
    nested = loop.nested()
    rows = [row for row in done.folds if row.learner == "logistic" and row.estimator == "nested_cv"]
    assert [json.loads(row.theta) for row in rows] == [theta for _, theta in nested]
    assert [optimum - row.risk for row in rows] == pytest.approx([v for v, _ in nested], abs=1e-12)
    mean = float(np.mean([value for value, _ in nested]))
    assert optimum - done.estimate("all", "nested_cv").risk == pytest.approx(mean, abs=1e-12)


def test_a_list_of_thresholds_is_all_that_is_tried(tmp_path: Path) -> None:
    done = run(tmp_path, "f1", [0.4, 0.1])
    value, theta = Loop(done.folder, f1, [0.4, 0.1]).kfold()
    assert done.selection["theta"] == theta
    assert 1 - done.selection["risk"] == pytest.approx(value, abs=1e-12)
    assert done.selection["learners"]["logistic"]["thetas"] == 2 * len(CS)


def test_every_estimator_is_computed_with_thresholds(tmp_path: Path) -> None:
    names = ["training", "holdout", "kfold", "loo", "montecarlo", "bootstrap", "min_cv"]
    plans = {"montecarlo": {"rounds": 4}, "bootstrap": {"bags": 4}}
    done = run(tmp_path, "zero_one", [0.2, 0.5], estimators=[*names, "nested_cv"], **plans)
    assert {*names, "nested_cv", "min_cv_bbc", "bootstrap_632"} <= {
        row.estimator for row in done.estimates if row.learner == "all"
    }


def test_one_half_gives_the_labels_of_the_learner(tmp_path: Path) -> None:
    half, own = tmp_path / "half", tmp_path / "own"
    half.mkdir()
    own.mkdir()
    with_half, with_own = run(half, "zero_one", 0.5), run(own, "zero_one", None)
    for row, other in zip(with_half.risks, with_own.risks, strict=True):
        assert json.loads(row.theta) == json.loads(other.theta) | {"threshold": 0.5}
        assert row.risk == other.risk
