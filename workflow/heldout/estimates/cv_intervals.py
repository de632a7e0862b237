"""Intervals of cross-validation, whose held-out losses depend on one another.

Each function takes the evidence and δ, and returns the standard error, the lower and the upper end.
"""

import numpy as np
from scipy import special

from heldout.estimates import ends
from heldout.estimates.bootstrap_se import standard_error
from heldout.estimates.evidence import Bounds, Evidence
from heldout.estimates.tuned_se import NO_SPREAD, Parts, Variability, parts_of

ADVISED_REPEATS = 20
"""The rows of `bates` intervals that rest on fewer partitions say so."""


def jackknife_parts(evidence: Evidence) -> Parts:
    """The parts of the squared standard error of `tuned_jackknife`.

    R²: those of the pooled value, or of the squared loss over the variance of the target, whichever is
    larger. RMSE: those of the squared loss, by the derivative of the root.
    """
    own = _parts(evidence)
    if evidence.squared is None:
        return own
    of_squares = np.array(_parts(evidence.squared()))
    if evidence.family == "root":
        return Parts(*(of_squares / (4 * evidence.risk**2)).tolist())
    assert evidence.variance is not None
    scaled = Parts(*(of_squares / evidence.variance**2).tolist())
    return max(own, scaled, key=lambda parts: parts.se)


def _parts(evidence: Evidence) -> Parts:
    known = evidence.variability
    k = evidence.folds or evidence.k
    return parts_of(evidence.noise, known() if known else Variability(None, 0.0), k)


def test_noise(evidence: Evidence) -> float:
    """The standard error where nothing but the test noise is known (see `tuned_se`)."""
    return parts_of(evidence.noise, Variability(None, 0.0), evidence.k).se


def tuned_jackknife(evidence: Evidence, delta: float) -> Bounds:
    """Test noise, training variability and selection (see `tuned_se`); ends by the range of the loss."""
    se = jackknife_parts(evidence).se
    if evidence.family == "root":
        assert evidence.squared is not None
        _, low, high = tuned_jackknife(evidence.squared(), delta)
        return se, float(np.sqrt(low)), float(np.sqrt(high))
    if (
        evidence.family == "r2"
    ):  # the mean squared error over the sample variance, which is less biased
        centre = evidence.risk * (evidence.n - 1) / evidence.n
        return se, *ends.skewed(centre, _quantile(evidence, delta) * se)
    return se, *_ends(evidence, se, delta)


def _ends(evidence: Evidence, se: float, delta: float) -> ends.Ends:
    """Losses that may be negative: symmetric; unbounded ones: skewed; losses in [0, B]: Wilson's interval for as many rows as SE says."""
    z = _quantile(evidence, delta)
    if evidence.negative:
        return evidence.risk - z * se, evidence.risk + z * se
    if evidence.bound is None:
        return ends.skewed(evidence.risk, z * se)
    share = evidence.risk / evidence.bound
    count = evidence.counted / NO_SPREAD
    if evidence.varies and 0 < share < 1:
        count = share * (1 - share) / (se / evidence.bound) ** 2
    low, high = ends.proportion(share, count, z)
    return evidence.bound * low, evidence.bound * high


def _quantile(evidence: Evidence, delta: float) -> float:
    """Of the normal distribution; of Student's t for G groups or the rows of the rarest class, because these are often few."""
    if evidence.fewest is not None:
        return float(special.stdtrit(max(evidence.counted - 1, 1), 1 - delta / 2))
    if evidence.grouped:
        return float(special.stdtrit(evidence.unit_count - 1, 1 - delta / 2))
    return float(special.ndtri(1 - delta / 2))


def bootstrap_se(evidence: Evidence, delta: float) -> Bounds:
    """The infinitesimal jackknife of the out-of-bag risk (Efron & Tibshirani 1997)."""
    se = out_of_bag_se(evidence)
    assert se is not None
    return se, *_ends(evidence, se, delta)


def out_of_bag_se(evidence: Evidence) -> float | None:
    """The standard error of the out-of-bag risk; None where bags are too few to estimate it."""
    assert evidence.bags is not None
    found = standard_error(*evidence.bags())
    return None if found is None else evidence.scale * found


def nadeau_bengio(evidence: Evidence, delta: float) -> Bounds:
    """Corrected resampled t: s²(1/J + n₂/n₁) over J held-out sets, J − 1 degrees of freedom.

    The standard error is at least that of the test noise: stratified sets may hardly differ.
    """
    assert evidence.ratio is not None
    count = len(evidence.set_means)
    variance = evidence.set_means.var(ddof=1) * (1 / count + evidence.ratio)
    se = float(np.sqrt(max(variance, evidence.noise)))
    half = float(special.stdtrit(count - 1, 1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def conservative_z(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± z·σ̂, σ̂² = Σ(μ₁−μ₂)²/(2M) over M pairs of disjoint halves.

    Nadeau & Bengio 2003. Halves have fewer rows, so that σ̂² is too large on average. It is at least
    the test noise.
    """
    assert evidence.halves is not None
    differences = evidence.halves[:, 0] - evidence.halves[:, 1]
    variance = float((differences**2).sum() / (2 * len(differences)))
    se = float(np.sqrt(max(variance, evidence.noise)))
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def bayle_within_fold(evidence: Evidence, delta: float) -> Bounds:
    """As `bayle_all_pairs`, with the unbiased variance of the losses within each fold."""
    k = len(evidence.losses)
    variances = [losses.var(ddof=1) / len(losses) for losses in evidence.losses]
    se = float(np.sqrt(sum(variances)) / k)
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def bayle_all_pairs(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± z·σ̂/√n, σ̂² the variance of all held-out losses about their mean."""
    se = float(np.sqrt(evidence.noise))
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


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
