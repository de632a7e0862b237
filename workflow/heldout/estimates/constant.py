"""The best constant prediction: what a learner without features would say, computed without a fit.

It is found on the training rows of each held-out set: for a loss of labels the label with the smallest risk, for
one of probabilities the shares of the classes, for squared, absolute and pinball losses the mean, the median and
the quantile.
"""

from dataclasses import replace

import numpy as np

from heldout.estimates.evidence import Evidence
from heldout.estimates.lookup import available_kind
from heldout.estimates.loss_table import LossTable
from heldout.estimates.registry import ESTIMATORS
from heldout.measures.loss import Loss
from heldout.predictions import Predictions
from heldout.resampling.split import TRAIN

SHARES = ("cross_entropy", "brier", "neg_brier_score")
"""The losses of probabilities that the shares of the classes are best for."""
NUMBERS = ("squared", "absolute", "quantile")
"""The losses of numbers whose best constant is known."""


def has_constant(loss: Loss) -> bool:
    """Say whether the best constant prediction is known.

    Parameters
    ----------
    loss
        A loss.

    Returns
    -------
    bool
        True for means over examples of labels, and for the known ones of probabilities and of numbers.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> from heldout.measures.score_registry import SCORES
    >>> [has_constant(one) for one in (LOSSES["zero_one"], LOSSES["absolute"], SCORES["roc_auc"])]
    [True, True, False]
    """
    if not loss.by_example:
        return False
    return loss.needs == "label" or loss.name in (*SHARES, *NUMBERS)


def constant_evidence(loss_table: LossTable, evidence: Evidence) -> Evidence:
    """Collect the losses of the best constant prediction on the same held-out rows.

    Parameters
    ----------
    loss_table
        The losses of a task, of which `has_constant` is true.
    evidence
        The losses of an algorithm by hold-out, K-fold, Monte Carlo CV, or in time order.

    Returns
    -------
    Evidence
        The same with the losses of the best constant of the training rows of each held-out set.

    Examples
    --------
    >>> from heldout.estimates.algorithm import evidence_for
    >>> evidence = evidence_for(loss_table, "kfold", "mean", {"shrink": 0.0})
    >>> constant_evidence(loss_table, evidence).risk == evidence.risk
    True
    """
    kind = available_kind(ESTIMATORS[evidence.estimator].judges, loss_table.resamples)
    assert kind is not None
    losses = [
        _losses(loss_table, resample.train, rows)
        for resample in loss_table.resamples[kind].values()
        for name, rows in resample.held.items()
        if name != TRAIN
    ]
    return replace(evidence, losses=losses, variability=None, fold_pairs=None, centre=None)


def _losses(loss_table: LossTable, train: np.ndarray, held: np.ndarray) -> np.ndarray:
    table, loss = loss_table.table, loss_table.loss
    target, weights = np.asarray(table.target), table.weights
    own = None if weights is None else weights[train]
    said = best_constant(loss, target[train], own, len(table.classes or []))
    found = loss(
        target[held], _repeated(said, len(held)), None if weights is None else weights[held]
    )
    return np.asarray(found)


def best_constant(
    loss: Loss, target: np.ndarray, weights: np.ndarray | None, classes: int
) -> Predictions:
    """Find the constant prediction with the smallest risk on training rows.

    Parameters
    ----------
    loss
        One of which `has_constant` is true.
    target, weights
        The targets of the training rows, and their weights if they have some.
    classes
        The number of classes.

    Returns
    -------
    Predictions
        Of a single row.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> target = np.array([0, 1, 1, 2])
    >>> best_constant(LOSSES["zero_one"], target, None, 3).label
    array([1])
    >>> best_constant(LOSSES["brier"], target, np.array([1.0, 0, 0, 1]), 3).proba
    array([[0.5, 0. , 0.5]])
    >>> best_constant(LOSSES["absolute"], np.array([1.0, 2.0, 9.0]), None, 0).value
    array([2.])
    """
    even = np.ones(len(target)) if weights is None else weights
    if loss.needs == "proba":
        counts = np.bincount(target, weights=even, minlength=classes)
        return Predictions(proba=(counts / counts.sum())[None, :])
    if loss.needs == "label":
        labels = [Predictions(label=np.array([one])) for one in np.unique(target)]
        return min(labels, key=lambda one: loss.risk(target, _repeated(one, len(target)), weights))
    if loss.name == "squared":
        return Predictions(value=np.array([(target * even).sum() / even.sum()]))
    share = float(loss.settings.get("quantile", 0.5))
    return Predictions(value=np.array([_quantile(target, even, share)]))


def _repeated(said: Predictions, count: int) -> Predictions:
    return Predictions(
        **{kind: np.repeat(one, count, axis=0) for kind, one in said.arrays().items()}
    )


def _quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The value below which a share of the weight lies; the middle of two where it lies between them."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) - share * weights.sum()
    slack = 1e-12 * weights.sum()
    first, last = np.searchsorted(reached, [-slack, slack])
    ends = values[order][[first, min(last, len(values) - 1)]]
    return float(ends.mean())
