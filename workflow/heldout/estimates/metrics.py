"""Extra scikit-learn metrics from stored predictions: reported, never used for selection."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from heldout.estimates.loss_table import LossTable
from heldout.measures.scorers import StoredPredictions, score, scorer_named
from heldout.names import canonical
from heldout.resampling.kinds import FOLDS, FOLDS_WHOLE


@dataclass(frozen=True)
class MetricRow:
    """A row of metrics.csv: mean and sample standard deviation of a scorer over the folds."""

    learner: str
    theta: str
    metric: str
    value: float
    sd: float | None
    n: int


def metric_rows(loss_table: LossTable, names: list[str]) -> Iterator[MetricRow]:
    """Compute each metric of each θ over the folds.

    Parameters
    ----------
    loss_table
        The predictions of a task, with cells of K-fold.
    names
        Names of scikit-learn scorers.

    Returns
    -------
    iterator of MetricRow
        Learners and θ in order, metrics within.

    Examples
    --------
    >>> row = next(metric_rows(loss_table, ["neg_mean_absolute_error"]))
    >>> row.learner, row.theta, row.value
    ('mean', '{"shrink":0.0}', -2.25)
    """
    scorers = {name: scorer_named(name) for name in names}
    target = np.asarray(loss_table.table.target)
    kind = FOLDS if loss_table.has(FOLDS) else FOLDS_WHOLE
    folds = list(loss_table.resamples[kind].values())
    for learner, thetas in loss_table.thetas.items():
        for theta in thetas:
            scores: dict[str, list[float]] = {name: [] for name in names}
            for fold in folds:
                stored = StoredPredictions(
                    loss_table.predictions(learner, theta, fold)[fold.name],
                    loss_table.table.classes,
                )
                rows = fold.held[fold.name]
                for name, scorer in scorers.items():
                    scores[name].append(score(name, scorer, stored, target[rows], learner))
            for name, values in scores.items():
                sd = float(np.std(values, ddof=1))
                yield MetricRow(
                    learner, canonical(theta), name, float(np.mean(values)), sd, loss_table.table.n
                )
