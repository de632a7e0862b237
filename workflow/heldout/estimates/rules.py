"""Selection rules: which θ, and which learner, a table of risks speaks for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from heldout.estimates.spec import RuleSpec
from heldout.names import Theta

ROUNDING = 1e-12


@dataclass(frozen=True)
class Curve:
    """A learner's risks and standard errors, θ by θ."""

    learner: str
    thetas: Sequence[Theta]
    risks: Sequence[float]
    errors: Sequence[float | None]


class Scan(NamedTuple):
    """Where the scan of an ordered grid stands: the best θ, and how many rises are missing."""

    best: int
    rises_missing: int


@dataclass(frozen=True)
class Rule:
    """How θ is chosen: `min`, `one_se` or `first_local_min`; `simpler` maps learners to orders."""

    name: str = "min"
    patience: int = 3
    simpler: dict[str, dict[str, str]] = field(default_factory=dict)

    def pick(self, curve: Curve) -> int:
        """The position of the chosen θ."""
        if self.name == "one_se":
            order = [simplicity(t, self.simpler.get(curve.learner, {})) for t in curve.thetas]
            return within_one_se(curve.risks, curve.errors, order)
        if self.name == "first_local_min":
            return first_local_min(curve.risks, curve.errors, self.patience).best
        return smallest(curve.risks)

    def choose(self, curves: Sequence[Curve]) -> tuple[Curve, int]:
        """The learner whose chosen θ has the smallest risk, and that θ's position."""
        picks = [self.pick(curve) for curve in curves]
        best = smallest([curve.risks[i] for curve, i in zip(curves, picks, strict=True)])
        return curves[best], picks[best]


def rule_of(spec: RuleSpec) -> Rule:
    """The rule that a spec describes."""
    return Rule(spec.name, spec.patience, spec.simpler)


def smallest(risks: Sequence[float] | np.ndarray) -> int:
    """The position of the smallest risk; of equals, the first (the notes' `if L < L̂`).

    Equal up to rounding: the order in which losses were added must not choose.
    """
    values = np.asarray(risks, np.float64)
    least = values.min()
    return int(np.flatnonzero(values <= least + ROUNDING * max(abs(least), 1e-3))[0])


def within_one_se(
    risks: Sequence[float],
    errors: Sequence[float | None],
    order: Sequence[tuple[float, ...]],
) -> int:
    """The simplest θ whose risk is at most the smallest plus that one's standard error."""
    best = smallest(risks)
    limit = risks[best] + (errors[best] or 0.0)
    near = [i for i, risk in enumerate(risks) if risk <= limit]
    return min(near, key=lambda i: (order[i], risks[i], i))


def simplicity(theta: Theta, simpler: dict[str, str]) -> tuple[float, ...]:
    """A sort key: smaller means simpler, hyper-parameters in the order in which they are declared.

    None (scikit-learn's "no limit") counts as infinitely large.
    """
    key = []
    for name, direction in simpler.items():
        if name in theta:
            value = float("inf") if theta[name] is None else float(theta[name])
            key.append(-value if direction == "larger" else value)
    return tuple(key)


def first_local_min(risks: Sequence[float], errors: Sequence[float | None], patience: int) -> Scan:
    """Scan in order; stop at `patience` risks above the best by more than its standard error.

    A new best starts the count afresh, so what lies behind the stop is never looked at: θ̂ has a
    smaller risk than all before it, and is followed by significantly larger ones.
    """
    best, rises = 0, 0
    for i in range(1, len(risks)):
        if risks[i] < risks[best]:
            best, rises = i, 0
        elif risks[i] > risks[best] + (errors[best] or 0.0):
            rises += 1
        if rises == patience:
            break
    return Scan(best, patience - rises)
