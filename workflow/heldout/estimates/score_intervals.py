"""Intervals of scores on one development or test set.

Each function takes the evidence and δ, and returns the standard error, the lower and the upper end of the
risk.
"""

import numpy as np
from scipy import special

from heldout.estimates import bca as bootstrap
from heldout.estimates import ends
from heldout.estimates.evidence import Bounds, Evidence, Sample
from heldout.estimates.sample_intervals import t
from heldout.estimates.tuned_se import NO_SPREAD
from heldout.measures.auc import auc_variance
from heldout.measures.set_losses import ranking


def auc_se(evidence: Evidence) -> float:
    """The standard error of an AUC: DeLong's, of groups Obuchowski's.

    Parameters
    ----------
    evidence
        One set, with two rows (or groups) of either class.

    Returns
    -------
    float
        The root of the variance.
    """
    sample, positive = _sample(evidence), _sample(evidence).loss.positive
    assert positive is not None
    scores = ranking(sample.said, positive)
    return float(np.sqrt(auc_variance(sample.target == positive, scores, evidence.units[0])))


def delong(evidence: Evidence, delta: float) -> Bounds:
    """A ± z·SE."""
    se = auc_se(evidence)
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def influence(evidence: Evidence, delta: float) -> Bounds:
    """Wilson's interval for R(1−R)/SE² rows, R being the risk over its range; t of the rarest class in place of z.

    Where nothing varies, for as many rows as the rarest class has, over 1.44.
    """
    assert evidence.bound is not None
    exact = evidence.family == "auc" and not evidence.weighted
    se = auc_se(evidence) if exact else t(evidence, delta)[0] or 0.0
    share, count = evidence.risk / evidence.bound, evidence.counted / NO_SPREAD
    if evidence.varies and se > 0 and 0 < share < 1:
        count = share * (1 - share) / (se / evidence.bound) ** 2
    quantile = float(special.stdtrit(evidence.counted - 1, 1 - delta / 2))
    low, high = ends.proportion(share, count, quantile)
    return se, evidence.bound * low, evidence.bound * high


def bca(evidence: Evidence, delta: float) -> Bounds:
    """BCa over rows or groups; the acceleration by the influences."""
    sample = _sample(evidence)
    units, unit = np.unique(evidence.units[0], return_inverse=True)
    rows = [np.flatnonzero(unit == one) for one in range(len(units))]

    def risk(drawn: np.ndarray) -> float:
        where = np.concatenate([rows[one] for one in drawn])
        weights = None if sample.weights is None else sample.weights[where]
        return sample.loss.risk(sample.target[where], sample.said.take(where), weights)

    influence = np.bincount(unit, weights=evidence.losses[0] - evidence.risk)
    strata = _strata(evidence, sample, rows)
    return bootstrap.bca(risk, len(units), strata, delta, evidence.seed, influence=influence)


def _strata(evidence: Evidence, sample: Sample, rows: list[np.ndarray]) -> np.ndarray | None:
    """The class of each row, so that no class vanishes from a draw; groups may hold several."""
    if not sample.loss.every_class or evidence.grouped:
        return None
    return np.array([sample.target[one[0]] for one in rows])


def _sample(evidence: Evidence) -> Sample:
    assert evidence.sample is not None
    return evidence.sample()
