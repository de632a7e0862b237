"""The standard error of cross-validation and of nested cross-validation, without further fits.

It has three parts:

- test noise: another sample of test rows would give other losses;
- training variability: another sample of training rows would give another model. The models trained
  without two folds show it: a delete-a-fold jackknife of the model behind each held-out set;
- selection: another sample would choose another θ.

SE² = 1.1·(test noise) + V + (K−1)/8·Q. Where no model was trained without two folds, V is not known,
and SE² = 2·(test noise) + (K−1)/8·Q. At a fixed θ, Q = 0. The coefficients were found by simulation;
docs/coverage.md has the evidence.

Everything is written on the values of held-out sets: the mean loss of each, here. With several
partitions each part is averaged over them.
"""

from typing import NamedTuple

import numpy as np

WITH_PAIRS = 1.1
"""The factor of the test noise where models trained without two folds are there."""
WITHOUT_PAIRS = 2.0
"""The factor of the test noise where they are not, which stands for V as well."""
NEAR = 2.0
"""θ counts for Q if its risk is within this many standard errors (of the difference) of the best."""
NO_SPREAD = 1.44
"""Where all losses are equal, n/1.44 rows count instead of n."""


class Variability(NamedTuple):
    """V, None where no model was trained without two folds; and Q, 0 at a fixed θ."""

    training: float | None
    selection: float


class Parts(NamedTuple):
    """The parts of SE²."""

    noise: float
    training: float
    selection: float

    @property
    def se(self) -> float:
        """The standard error."""
        return float(np.sqrt(sum(self)))


def parts_of(
    noise: float, variability: Variability, k: int, with_pairs: float = WITH_PAIRS
) -> Parts:
    """Put the parts of SE² together.

    Parameters
    ----------
    noise
        The test noise, a variance.
    variability
        V and Q.
    k
        The number of folds.
    with_pairs
        The factor of the test noise where V is known.

    Returns
    -------
    Parts
        Three variances.

    Examples
    --------
    >>> parts_of(1.0, Variability(0.5, 2.0), k=5)
    Parts(noise=1.1, training=0.5, selection=1.0)
    >>> parts_of(1.0, Variability(None, 0.0), k=5)
    Parts(noise=2.0, training=0.0, selection=0.0)
    """
    training, selection = variability
    share = (k - 1) / 8 * selection
    if training is None:
        return Parts(WITHOUT_PAIRS * noise, 0.0, share)
    return Parts(with_pairs * noise, training, share)


def training_variability(values: np.ndarray) -> np.ndarray:
    """Compute V, the delete-a-fold jackknife variance of the models behind held-out sets.

    gᵢⱼ = M[i, j] − mean over j′ ≠ i of M[i, j′]; D_j = mean over i ≠ j of gᵢⱼ;
    V = (K−1)/K · Σ_j D_j².

    Parameters
    ----------
    values
        M[…, i, j], K × K: the value of fold i by the model that was trained without folds i and j.
        The diagonal is not used.

    Returns
    -------
    numpy.ndarray
        V, for each of the leading dimensions.

    Examples
    --------
    >>> values = np.array([[0.0, 1.0, 3.0], [2.0, 0.0, 2.0], [1.0, 1.0, 0.0]])
    >>> round(float(training_variability(values)), 4)
    0.3333
    """
    k = values.shape[-1]
    off = ~np.eye(k, dtype=bool)
    held = np.where(off, values, 0.0)
    gaps = np.where(off, held - held.sum(axis=-1, keepdims=True) / (k - 1), 0.0)
    return np.asarray((k - 1) / k * ((gaps.sum(axis=-2) / (k - 1)) ** 2).sum(axis=-1))


def is_near(gaps: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Find the θ that another sample might have chosen. Q is the mean of their variances.

    Parameters
    ----------
    gaps
        For each θ its risk minus that of the best θ.
    variances
        For each θ the test noise of that difference; 0 for the best θ itself.

    Returns
    -------
    numpy.ndarray
        For each θ whether it is within two standard errors of the best one, which counts itself.

    Examples
    --------
    >>> is_near(np.array([0.0, 1.0, 3.0]), np.array([0.0, 0.5, 1.0]))
    array([ True,  True, False])
    """
    return np.asarray(gaps <= NEAR * np.sqrt(variances))
