"""Calibrated probabilities: scikit-learn's CalibratedClassifierCV, with folds inside the training rows."""

from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

FOLDS = 5
"""Inner folds, where classes have so many rows (or groups)."""


class TooFewError(ValueError):
    """A class has too few rows to be calibrated."""


def inner_folds(
    target: np.ndarray, units: np.ndarray | None, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of training rows that calibrate probabilities: stratified, groups kept together.

    Parameters
    ----------
    target
        Codes of classes.
    units
        The group of each row; None if there are none.
    seed
        The seed of the fit.

    Returns
    -------
    list
        Training and test positions of 5 folds; of fewer where a class has fewer rows or groups.

    Raises
    ------
    TooFewError
        If a class lies in fewer than two units, so that some fold would be trained without it.

    Examples
    --------
    >>> len(inner_folds(np.array([0, 0, 0, 1, 1, 1]), None, seed=1))
    3
    """
    codes, counts = np.unique(target, return_counts=True)
    if units is not None:
        counts = np.array([len(np.unique(units[target == code])) for code in codes])
    for count in range(min(FOLDS, int(counts.min())), 1, -1):
        kind = StratifiedKFold if units is None else StratifiedGroupKFold
        splitter = kind(count, shuffle=True, random_state=seed)
        folds = list(splitter.split(np.zeros(len(target)), target, units))
        if all(np.isin(codes, target[train]).all() and len(test) for train, test in folds):
            return folds
    what = "row" if units is None else "group"
    raise TooFewError(
        f"calibrate: a class has fewer than two {what}s among {len(target)} training rows, so that its "
        f"probabilities cannot be calibrated; leave calibrate out, use fewer folds, or merge rare classes"
    )


def fit_calibrated(
    model: Any,
    method: str,
    rows: Any,
    target: np.ndarray,
    units: np.ndarray | None,
    seed: int,
    weights: dict[str, np.ndarray],
) -> CalibratedClassifierCV:
    """Fit a classifier on each inner fold, and its calibration on what the fold left out.

    Parameters
    ----------
    model
        An unfitted classifier or Pipeline.
    method
        `sigmoid` or `isotonic`.
    rows, target, units
        The training rows.
    seed
        The seed of the folds.
    weights
        The weights of rows by the name of the parameter of `fit`; empty if all are alike.

    Returns
    -------
    CalibratedClassifierCV
        Fitted; it predicts by the mean of the folds' calibrated models.
    """
    folds = inner_folds(target, units, seed)
    calibrated = CalibratedClassifierCV(model, method=method, cv=folds)
    calibrated.fit(rows, target, **weights)
    calibrated.cv = len(folds)  # positions of rows are of no use after the fit, and take room
    return calibrated
