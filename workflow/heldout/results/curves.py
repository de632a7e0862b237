"""Confusion matrix, ROC and precision–recall curves of held-out predictions."""

from typing import Any

import numpy as np

from heldout.measures.shown_classes import frequent

POINTS = 150
"""A curve is drawn with at most this many of its points."""
GRID = 101
"""Mean curves have this many places."""
SETS = 20
"""The curves of each held-out set are drawn if there are at most this many."""
CURVES = ("false", "true", "recall", "precision")
ROUNDING = 1e-12


def confusion(target: np.ndarray, label: np.ndarray, count: int) -> list[list[int]]:
    """Counts: a row per true class, a column per predicted one."""
    counts = np.zeros((count, count), int)
    np.add.at(counts, (target, label), 1)
    return counts.tolist()


def one_versus_rest(
    target: np.ndarray, scores: np.ndarray, sets: np.ndarray, positive: int | None = None
) -> list[dict[str, Any]]:
    """For each class (of two, the positive one): mean ROC and precision–recall curves, and mean areas.

    Scores of different models are not compared with each other: each held-out set has its own curves.
    """
    several = scores.shape[1] > 2
    wanted = frequent(target, scores.shape[1]) if several else [1 if positive is None else positive]
    found = [(one, by_set(target == one, scores[:, one], sets)) for one in wanted]
    return [
        {"class": one, "share": float((target == one).mean()), **averaged(own, each=not several)}
        for one, own in found
        if own
    ]


def by_set(positive: np.ndarray, score: np.ndarray, sets: np.ndarray) -> list[dict[str, Any]]:
    """The curves of a class on each held-out set that has rows of the class, and others."""
    parts = [np.flatnonzero(sets == one) for one in np.unique(sets)]
    return [
        corners(positive[part], score[part])
        for part in parts
        if positive[part].any() and not positive[part].all()
    ]


def averaged(found: list[dict[str, Any]], each: bool) -> dict[str, Any]:
    """The means of areas and of curves; with `each`, the curves of every set too.

    Vertical averaging: the mean true positive rate at each false positive rate, and the mean precision
    at each recall. Fawcett 2006, An introduction to ROC analysis.
    """
    means = {name: float(np.mean([one[name] for one in found])) for name in ("auc", "ap")}
    mean = {name: found[0][name] for name in CURVES} if len(found) == 1 else mean_curves(found)
    shown = [mean, *(found if each and 1 < len(found) <= SETS else [])]
    lines = [{name: thinned(one[name]) for name in CURVES} for one in shown]
    return {**means, "sets": len(found), **lines[0], "each": lines[1:]}


def mean_curves(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The means of curves, at evenly spaced places."""
    grid = np.linspace(0, 1, GRID)
    true = np.mean([np.interp(grid, one["false"], one["true"]) for one in found], axis=0)
    precision = np.mean([precision_at(grid, one) for one in found], axis=0)
    start = np.zeros(1)  # the curves rise from 0
    return {
        "false": np.concatenate([start, grid]),
        "true": np.concatenate([start, true]),
        "recall": grid,
        "precision": precision,
    }


def precision_at(recall: np.ndarray, one: dict[str, Any]) -> np.ndarray:
    """The precision where a recall is first reached."""
    places = np.searchsorted(one["recall"], recall - ROUNDING, side="left")
    return np.asarray(one["precision"][np.minimum(places, len(one["recall"]) - 1)])


def corners(positive: np.ndarray, score: np.ndarray) -> dict[str, Any]:
    """The curves of one class on one set. Equal scores make one point, because they have no order."""
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum(positive[order])
    last = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    true = np.append(0, hits[last]) / hits[-1]
    false = np.append(0, last + 1 - hits[last]) / (len(score) - hits[-1])
    precision = hits[last] / (last + 1)
    return {
        "false": false,
        "true": true,
        "recall": true,
        "precision": np.append(precision[0], precision),
        "auc": float(np.trapezoid(true, false)),
        "ap": float((np.diff(true) * precision).sum()),
    }


def thinned(values: np.ndarray) -> list[float]:
    """Values at evenly spaced positions, the first and the last included."""
    return values[
        np.unique(np.linspace(0, len(values) - 1, min(len(values), POINTS)).astype(int))
    ].tolist()
