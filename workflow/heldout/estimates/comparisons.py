"""Paired comparisons of learners on the same held-out sets.

The corrected resampled t test (Nadeau & Bengio 2003), the Bayesian correlated t test (Corani &
Benavoli 2015) and Holm's adjustment for several comparisons (Holm 1979).
"""

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Comparison:
    """Risk of learner a minus risk of learner b: negative where a is better."""

    learner_a: str
    learner_b: str
    difference: float
    se: float
    ci_low: float
    ci_high: float
    p: float
    p_holm: float
    prob_a_better: float
    n: int


def compare(risks: dict[str, np.ndarray], ratio: float, level: float) -> list[Comparison]:
    """Compare all pairs of learners; `risks` maps each to its risks, one per held-out set."""
    pairs = [
        _pair(a, b, risks[a] - risks[b], ratio, level) for a, b in itertools.combinations(risks, 2)
    ]
    adjusted = holm([pair.p for pair in pairs])
    return [replace(pair, p_holm=p) for pair, p in zip(pairs, adjusted, strict=True)]


def _pair(a: str, b: str, differences: np.ndarray, ratio: float, level: float) -> Comparison:
    """The corrected resampled t test: variance s²(1/J + n₂/n₁), J − 1 degrees of freedom.

    The Bayesian correlated t test with ρ = n₂/(n₁+n₂) has the same centre and scale, since
    ρ/(1−ρ) = n₂/n₁; its posterior gives the probability that a has the smaller risk.
    """
    count = len(differences)
    mean = float(differences.mean())
    se = float(np.sqrt(differences.var(ddof=1) * (1 / count + ratio)))
    if se == 0:
        p = 1.0 if mean == 0 else 0.0
        better = 0.5 if mean == 0 else float(mean < 0)
        return Comparison(a, b, mean, se, mean, mean, p, p, better, count)
    p = 2 * float(special.stdtr(count - 1, -abs(mean / se)))
    half = float(special.stdtrit(count - 1, 0.5 + level / 2)) * se
    better = float(special.stdtr(count - 1, -mean / se))
    return Comparison(a, b, mean, se, mean - half, mean + half, p, p, better, count)


def holm(values: list[float]) -> list[float]:
    """Adjust p-values for the number of comparisons (Holm 1979)."""
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    largest = 0.0
    for rank, position in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - rank) * values[position]))
        adjusted[position] = largest
    return adjusted.tolist()
