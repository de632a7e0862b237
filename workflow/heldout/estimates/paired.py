"""Differences of losses on the same held-out rows, and their test noise."""

from dataclasses import replace

import numpy as np

from heldout.estimates.cosine import cosine_se
from heldout.estimates.evidence import Evidence, differs
from heldout.estimates.time_intervals import FEWEST_VALUES, series_of


def differences(a: Evidence, b: Evidence) -> Evidence:
    """Subtract the losses of two algorithms that were judged by the same held-out rows.

    Parameters
    ----------
    a, b
        Their losses.

    Returns
    -------
    Evidence
        The losses of a minus those of b, row by row; its risk is the difference of the risks.

    Examples
    --------
    >>> losses, rows = [np.array([1.0, 0.0]), np.array([1.0, 1.0])], [np.arange(2), np.arange(2, 4)]
    >>> a = Evidence("kfold", losses, rows)
    >>> b = Evidence("kfold", [1 - one for one in losses], rows)
    >>> differences(a, b).risk, differences(a, a).risk
    (0.5, 0.0)
    """
    gaps = [x - y for x, y in zip(a.losses, b.losses, strict=True)]
    return replace(a, losses=gaps, centre=None, negative=True, binary=False)


def noise_se(evidence: Evidence) -> float | None:
    """Compute the standard error of a risk that comes from its test rows.

    Parameters
    ----------
    evidence
        The losses, or differences of losses.

    Returns
    -------
    float or None
        The root of the test noise. For rows in time order by cosine averages, which allow for serial
        dependence. None where it cannot be estimated: a single unit, or too few blocks of time.

    Examples
    --------
    >>> losses = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    >>> noise_se(Evidence("kfold", losses, [np.arange(2), np.arange(2, 4)]))
    0.25
    """
    if evidence.in_order:
        values = series_of(evidence)
        return cosine_se(values) if len(values) >= FEWEST_VALUES else None
    return float(np.sqrt(evidence.noise)) if evidence.unit_count > 1 else None


def gain(better: Evidence, other: Evidence) -> tuple[float, float | None]:
    """Compare two algorithms on the same held-out rows.

    Parameters
    ----------
    better, other
        Their losses.

    Returns
    -------
    tuple
        The risk of `other` minus that of `better`, exactly 0 where losses are equal up to rounding, and the
        standard error of that difference by its test noise (see `noise_se`).

    Examples
    --------
    >>> rows = [np.arange(2), np.arange(2, 4)]
    >>> a, b = (Evidence("kfold", [np.zeros(2), np.array([0.0, x])], rows) for x in (0.0, 1.0))
    >>> gain(a, b)[0], gain(a, a)
    (0.25, (0.0, 0.0))
    """
    gaps = differences(other, better)
    size = float(np.abs([better.pooled, other.pooled]).max())
    if not differs(np.append(gaps.pooled, 0.0), size):
        return 0.0, 0.0
    return gaps.risk, noise_se(gaps)
