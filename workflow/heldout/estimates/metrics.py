"""Extra scikit-learn metrics from stored predictions: reported, never selected on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from heldout.estimates.loss_table import LossTable
from heldout.measures.scorers import StoredPredictions, score, scorer_named
from heldout.names import canonical
from heldout.resampling.kinds import FOLDS, FOLDS_WHOLE


@dataclass(frozen=True)
class MetricRow:
    """A scorer's mean and sample standard deviation over the folds."""

    learner: str
    theta: str
    metric: str
    value: float
    sd: float | None
    n: int


def metric_rows(loss_table: LossTable, names: list[str]) -> Iterator[MetricRow]:
    """Each metric of each θ over the folds."""
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
