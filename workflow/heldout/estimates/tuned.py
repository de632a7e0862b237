"""Estimators of a tuned procedure: (Procedures, procedure, estimator's name) → Estimate.

A procedure is a learner that is tuned, or `all`: tuning, and choosing between the learners.
"""

import numpy as np

from heldout.estimates.algorithm import evidence_for
from heldout.estimates.corrections import bbc, tibshirani
from heldout.estimates.evidence import Estimate, Evidence, known_of
from heldout.estimates.procedures import Procedures
from heldout.estimates.rules import smallest
from heldout.names import seed_for


def best_on_dev(procedures: Procedures, name: str, estimator: str) -> Estimate:
    """The smallest risk on the development set, at the θ that has it."""
    pairs = procedures.pairs(name)
    found = [evidence_for(procedures.loss_table, estimator, *pair) for pair in pairs]
    best = smallest([evidence.risk for evidence in found])
    return Estimate.of(found[best], pairs[best])


def min_cv(procedures: Procedures, name: str, _: str) -> Estimate:
    """The smallest K-fold risk."""
    found = procedures.cv_choice(name)
    return _of_best(procedures, name, float(found.risks[found.best]))


def min_cv_tt(procedures: Procedures, name: str, _: str) -> Estimate:
    """Min-CV plus the mean over folds of e_k(θ̂) − min_θ e_k(θ)."""
    return _of_best(procedures, name, tibshirani(procedures.cv_choice(name).fold_means))


def min_cv_bbc(procedures: Procedures, name: str, estimator: str) -> Estimate:
    """Min-CV corrected by a bootstrap in which θ is chosen in every sample."""
    loss_table, losses = procedures.loss_table, procedures.out_of_fold(name)
    units = loss_table.units(np.arange(len(losses)))
    risks = bbc(losses, units, seed_for(procedures.seed, name, "bbc"))
    evidence = Evidence(
        estimator,
        [losses[:, procedures.cv_choice(name).best]],
        [units],
        **known_of(loss_table),
        bootstrap_risks=risks,
        centre=float(risks.mean()),
    )
    return _of_best(procedures, name, float(risks.mean()), evidence)


def _of_best(
    procedures: Procedures, name: str, risk: float, evidence: Evidence | None = None
) -> Estimate:
    """An estimate at the θ with the smallest K-fold risk."""
    found = procedures.cv_choice(name)
    return Estimate(risk, procedures.loss_table.table.n, evidence, found.pairs[found.best])


def nested_pooled(procedures: Procedures, name: str, estimator: str) -> Estimate | None:
    """All rows of the outer folds together; None for losses whose mean over folds is reported."""
    if not procedures.judged.loss.pooled:
        return None
    return Estimate.of(procedures.pooled_evidence(name, estimator))


def nested(procedures: Procedures, name: str, estimator: str) -> Estimate:
    """The mean over outer folds, in each of which θ is chosen on the other folds."""
    return Estimate.of(procedures.nested_evidence(name, estimator))


def nested_rolling(procedures: Procedures, name: str, estimator: str) -> Estimate:
    """The mean over blocks in time order, before each of which θ is chosen by the blocks before it."""
    return Estimate.of(procedures.rolling_evidence(name, estimator))
