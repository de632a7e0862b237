"""Intervals of cross-validation, whose held-out losses depend on one another.

Each function takes the evidence and δ, and returns the standard error, the lower and the upper end.
"""

import numpy as np
from scipy import special

from heldout.estimates.evidence import Bounds, Evidence

ADVISED_REPEATS = 20
"""Check H015 fails where `bates` intervals rest on fewer partitions."""


def nadeau_bengio(evidence: Evidence, delta: float) -> Bounds:
    """Corrected resampled t: s²(1/J + n₂/n₁) over J held-out sets, J − 1 degrees of freedom."""
    assert evidence.ratio is not None
    count = len(evidence.set_means)
    variance = evidence.set_means.var(ddof=1)
    se = float(np.sqrt(variance * (1 / count + evidence.ratio)))
    half = float(special.stdtrit(count - 1, 1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def conservative_z(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± z·σ̂, σ̂² = Σ(μ₁−μ₂)²/(2M) over M pairs of disjoint halves.

    Nadeau & Bengio 2003. Halves have fewer rows, so that σ̂² is too large on average.
    """
    assert evidence.halves is not None
    differences = evidence.halves[:, 0] - evidence.halves[:, 1]
    se = float(np.sqrt((differences**2).sum() / (2 * len(differences))))
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def bayle_within_fold(evidence: Evidence, delta: float) -> Bounds:
    """As `bayle_all_pairs`, with σ̂² the mean over folds of the unbiased variance within a fold."""
    centre = float(evidence.pooled.mean())
    variance = float(np.mean([losses.var(ddof=1) for losses in evidence.losses]))
    se = float(np.sqrt(variance / evidence.n))
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, centre - half, centre + half


def bayle_all_pairs(evidence: Evidence, delta: float) -> Bounds:
    """Pooled mean ± z·σ̂/√n, σ̂² the variance of all held-out losses about their mean."""
    sizes, sums = evidence.unit_sums
    centre = float(evidence.pooled.mean())
    se = float(np.sqrt(((sums - sizes * centre) ** 2).sum()) / sizes.sum())
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, centre - half, centre + half


def bates(evidence: Evidence, delta: float) -> Bounds:
    """Bias-corrected estimate ± z·√MSE, the MSE estimated by nested cross-validation with θ fixed.

    Bates, Hastie & Tibshirani 2023. This is not the nested CV that tunes θ. Cross-validation on the
    rows outside one fold, by the models trained without two folds, is compared with the loss on that
    fold; the mean squared difference estimates the error of cross-validation.
    """
    assert evidence.fold_pairs is not None
    k, n, inner, outer = evidence.fold_pairs()
    gaps = []
    for within, held in zip(inner, outer, strict=True):
        spread = held.var(ddof=1) / len(held) if len(held) > 1 else 0.0
        gaps.append((within.mean() - held.mean()) ** 2 - spread)
    naive = float(np.concatenate(inner).std(ddof=1) / np.sqrt(n))
    mse = (k - 1) / k * float(np.mean(gaps))
    se = float(np.clip(np.sqrt(max(0.0, mse)), naive, np.sqrt(k) * naive))
    nested = float(np.mean([losses.mean() for losses in inner]))
    plain = float(np.mean([losses.mean() for losses in outer]))
    centre = nested - (1 + ((k - 2) / k) ** 1.5) * (nested - plain)
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, centre - half, centre + half


def bbc(evidence: Evidence, delta: float) -> Bounds:
    """Percentiles of the out-of-bag risks of bootstrap samples in each of which θ was chosen."""
    assert evidence.bootstrap_risks is not None
    low, high = np.quantile(evidence.bootstrap_risks, [delta / 2, 1 - delta / 2])
    return float(evidence.bootstrap_risks.std(ddof=1)), float(low), float(high)
