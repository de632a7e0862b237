"""Estimators of a fixed θ: (Algorithm, estimator's name) → Estimate, or None if it adds no row."""

from dataclasses import replace

import numpy as np

from heldout.estimates.algorithm import Algorithm
from heldout.estimates.bootstrap import no_information_risk, point_632, point_632plus
from heldout.estimates.evidence import Estimate
from heldout.resampling.kinds import FULL
from heldout.resampling.split import TRAIN


def training(algorithm: Algorithm, _: str) -> Estimate:
    """The risk on the rows that the model was fitted to."""
    return Estimate(algorithm.training_risk, len(algorithm.loss_table.resample(FULL).train))


def held_out(algorithm: Algorithm, estimator: str) -> Estimate:
    """The mean over held-out sets of their mean loss."""
    return Estimate.of(algorithm.evidence(estimator))


def kfold_pooled(algorithm: Algorithm, _: str) -> Estimate | None:
    """All held-out rows together; None where that equals `kfold`, or is not a value that is used."""
    if algorithm.loss_table.loss.pooled:
        return Estimate.of(algorithm.pooled)
    table, evidence = algorithm.loss_table.table, algorithm.evidence("kfold")
    if not algorithm.loss_table.loss.by_example:
        return None
    assert evidence.rows is not None
    sizes = [
        len(rows) if table.weights is None else table.weights[rows].sum() for rows in evidence.rows
    ]
    if np.ptp(sizes) == 0:
        return None
    return Estimate(float(np.average(evidence.set_means, weights=sizes)), evidence.n)


def kfold_adjusted(algorithm: Algorithm, _: str) -> Estimate:
    """Burman's adjustment: CV + e − the mean risk of the folds' models on all rows."""
    evidence = algorithm.evidence("kfold")
    risk = evidence.risk + algorithm.training_risk - algorithm.whole_data_risk
    return Estimate(risk, evidence.n)


def bootstrap_632(algorithm: Algorithm, _: str) -> Estimate:
    """.368·e + .632·E₁."""
    risk = point_632(algorithm.training_risk, algorithm.out_of_bag.risk)
    return Estimate(risk, algorithm.loss_table.table.n)


def bootstrap_632plus(algorithm: Algorithm, _: str) -> Estimate:
    """(1−w)·e + w·E₁′, w depending on the relative overfitting rate."""
    table, full = algorithm.loss_table, algorithm.loss_table.resample(FULL)
    predicted = table.predictions(algorithm.learner, algorithm.theta, full)[TRAIN]
    gamma = no_information_risk(
        table.loss, table.table.target[full.train], predicted, table.table.weights
    )
    risk = point_632plus(algorithm.training_risk, algorithm.out_of_bag.risk, gamma)
    if not table.plain:
        return Estimate(risk, table.table.n)
    bags = algorithm.evidence("bootstrap")
    scale = risk / algorithm.out_of_bag.risk if algorithm.out_of_bag.risk > 0 else 1.0
    return Estimate.of(replace(bags, estimator="bootstrap_632plus", centre=risk, scale=scale))
