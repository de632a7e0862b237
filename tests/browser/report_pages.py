"""Cases whose pages have every chart, and predictions to put into them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from browser.report_case import Case

from heldout.predictions import Predictions
from heldout.results.predictions import HeldOut, classification, regression

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script>",
    "🐧",
    "x" * 400,
]
Write = Callable[..., Path]


def classes(names: list[str], sets: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    target = rng.integers(0, len(names), 200)
    proba = rng.dirichlet(np.ones(len(names)), 200)
    proba[np.arange(200), target] += 0.5
    proba /= proba.sum(axis=1, keepdims=True)
    label = proba.argmax(axis=1)
    losses, which = (label != target) * 1.0, np.arange(200) % sets
    held = HeldOut(np.arange(1, 201), target, Predictions(label, proba), losses, sets=which)
    return classification(held, names)


def numbers() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    target = rng.normal(size=200)
    value = target + rng.normal(size=200)
    held = HeldOut(np.arange(1, 201), target, Predictions(value=value), (target - value) ** 2)
    return regression(held)


def metric(
    learner: str, name: str, estimator: str, value: float, note: str | None = None
) -> dict[str, Any]:
    """A row of metrics.csv; one with a note has no recommended interval."""
    return {
        "learner": learner, "metric": name, "estimator": estimator, "theta": "{}", "value": value,
        "ci_low": value - 0.05, "ci_high": value + 0.05, "interval": "tuned_jackknife",
        "interval_target": "the risk of the final model", "recommended": note is None, "level": 0.95,
        "n": 100, "chosen": "knn", "note": note,
    }  # fmt: skip


def case_with_everything() -> Case:
    """Curves, a heat map, a table, folds, pairs and metrics."""
    grid = {
        "mean": [{}],
        "knn": [{"k": k} for k in (1, 3, 9, 27, 81)],
        "tree": [{"depth": depth} for depth in (1, 2, None)],
        "svm": [{"C": c, "gamma": g} for c in (0.1, 1.0, 10.0) for g in (0.01, 0.1, 1.0, 10.0)],
        "net": [{"a": a, "b": b, "c": c} for a in (1, 2) for b in (1, 2) for c in (1, 2)],
    }
    folds = [
        {"learner": name, "estimator": "nested_cv", "repeat": 1, "fold": fold, "theta": '{"k":1}',
         "risk": fold / 100, "n": 10, "chosen": "knn"}
        for name in ("knn", "all") for fold in range(1, 6)
    ]  # fmt: skip
    pairs = [
        {"learner_a": name, "learner_b": "net", "difference": 0.1, "ci_low": 0.05, "ci_high": 0.2}
        for name in ("mean", "knn", "tree")
    ]
    metrics = [metric("knn", "f1", "nested_cv_pooled", 0.5), metric("all", "f1", "test", 0.6)]
    return Case(grids=grid, tables={"folds": folds, "comparisons": pairs, "metrics": metrics})
