"""The risk of each θ, by each estimator of a fixed algorithm: the rows of risks.csv."""

from collections.abc import Iterator

import numpy as np

from heldout.estimates.bootstrap import both_points
from heldout.estimates.collect import (
    KIND_OF,
    evidence_for,
    has_evidence,
    training_losses,
    whole_data_risks,
)
from heldout.estimates.evidence import Evidence
from heldout.estimates.intervals import intervals_for, standard_error
from heldout.estimates.loss_table import LossTable
from heldout.estimates.rows import RiskRow
from heldout.names import Theta, canonical
from heldout.resampling.kinds import BAGS, FOLDS_WHOLE, FULL


def risk_rows(loss_table: LossTable, level: float) -> Iterator[RiskRow]:
    """All rows: learners and θ in order, estimators within."""
    for learner, thetas in loss_table.thetas.items():
        for theta in thetas:
            yield from rows_of_theta(loss_table, learner, theta, level)


def rows_of_theta(
    loss_table: LossTable, learner: str, theta: Theta, level: float
) -> Iterator[RiskRow]:
    """The rows of one θ: one per estimator whose cells are there."""
    place = learner, canonical(theta)
    training = None
    if loss_table.has(FULL):
        losses = training_losses(loss_table, learner, theta)
        training = float(losses.mean())
        yield _point(*place, "training", training, len(losses))
    for estimator in KIND_OF:
        if has_evidence(loss_table, estimator):
            evidence = evidence_for(loss_table, estimator, learner, theta)
            yield _row(*place, estimator, evidence, level)
            if estimator == "kfold" and len({len(part) for part in evidence.losses}) > 1:
                yield _point(*place, "kfold_pooled", float(evidence.pooled.mean()), evidence.n)
            if estimator == "kfold" and loss_table.has(FOLDS_WHOLE) and training is not None:
                whole = float(np.mean(whole_data_risks(loss_table, learner, theta)))
                yield _point(*place, "kfold_adjusted", evidence.risk + training - whole, evidence.n)
    if loss_table.has(BAGS) and loss_table.has(FULL):
        point, plus = both_points(loss_table, learner, theta)
        yield _point(*place, "bootstrap_632", point, loss_table.table.n)
        yield _point(*place, "bootstrap_632plus", plus, loss_table.table.n)


def _row(learner: str, theta: str, estimator: str, evidence: Evidence, level: float) -> RiskRow:
    found = intervals_for(evidence, level)
    name, (_, low, high) = (found[0][0], found[0][2]) if found else (None, (None, None, None))
    sd = float(evidence.set_means.std(ddof=1)) if len(evidence.losses) > 1 else None
    se = standard_error(evidence)
    return RiskRow(learner, theta, estimator, evidence.risk, sd, se, low, high, name, evidence.n)


def _point(learner: str, theta: str, estimator: str, risk: float, n: int) -> RiskRow:
    """An estimate without standard error or interval."""
    return RiskRow(learner, theta, estimator, risk, None, None, None, None, None, n)
