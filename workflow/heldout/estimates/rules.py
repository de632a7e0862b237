"""Selection rules: how θ, and the learner, are chosen from risks and their standard errors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from heldout.estimates.spec import RuleSpec
from heldout.names import Theta

CONFIDENCE_SET = "confidence_set"
ROUNDING = 1e-12
"""Risks whose relative difference is below this count as equal."""


@dataclass(frozen=True)
class Curve:
    """A learner's risks and standard errors, θ by θ.

    `kept`: for the rule `confidence_set`, which θ cannot be told from the best.
    """

    learner: str
    thetas: Sequence[Theta]
    risks: Sequence[float]
    errors: Sequence[float | None]
    kept: Sequence[bool] | None = None


class Scan(NamedTuple):
    """The state of a scan: the position of the best θ, and how many rises are needed to stop."""

    best: int
    rises_missing: int


@dataclass(frozen=True)
class Rule:
    """How θ is chosen; `simpler` maps learners to orders.

    `min`, `one_se`, `first_local_min`, or `confidence_set`, whose level and seed are given.
    """

    name: str = "min"
    patience: int = 3
    simpler: dict[str, dict[str, str]] = field(default_factory=dict)
    level: float = 0.95
    seed: int = 0

    @property
    def by_confidence_set(self) -> bool:
        """Whether curves must say which θ are kept."""
        return self.name == CONFIDENCE_SET

    @property
    def by_errors(self) -> bool:
        """Whether curves must have standard errors."""
        return self.name in ("one_se", "first_local_min")

    def pick(self, curve: Curve) -> int:
        """The position of the chosen θ."""
        order = [simplicity(t, self.simpler.get(curve.learner, {})) for t in curve.thetas]
        if self.name == "one_se":
            return within_one_se(curve.risks, curve.errors, order)
        if self.by_confidence_set:
            assert curve.kept is not None
            return simplest(np.flatnonzero(curve.kept).tolist(), curve.risks, order)
        if self.name == "first_local_min":
            return first_local_min(curve.risks, curve.errors, self.patience).best
        return smallest(curve.risks)

    def choose(self, curves: Sequence[Curve]) -> tuple[Curve, int]:
        """The learner whose chosen θ has the smallest risk, and that θ's position."""
        picks = [self.pick(curve) for curve in curves]
        best = smallest([curve.risks[i] for curve, i in zip(curves, picks, strict=True)])
        return curves[best], picks[best]


def rule_of(spec: RuleSpec) -> Rule:
    """Make the rule that a spec describes.

    Parameters
    ----------
    spec
        The rule's name and settings.

    Returns
    -------
    Rule
        Chooses θ from curves.

    Examples
    --------
    >>> rule_of(RuleSpec("one_se", 3, {"knn": {"n_neighbors": "larger"}}, 0.95, 1)).name
    'one_se'
    """
    return Rule(spec.name, spec.patience, spec.simpler, spec.level, spec.seed)


def smallest(risks: Sequence[float] | np.ndarray) -> int:
    """The position of the smallest risk; of risks that are equal up to rounding, the first.

    So the choice does not depend on the order in which losses were added.
    """
    values = np.asarray(risks, np.float64)
    least = values.min()
    return int(np.flatnonzero(values <= least + ROUNDING * max(abs(least), 1e-3))[0])


def within_one_se(
    risks: Sequence[float],
    errors: Sequence[float | None],
    order: Sequence[tuple[float, ...]],
) -> int:
    """Find the simplest θ within one standard error of the smallest risk.

    Parameters
    ----------
    risks, errors
        The risk and the standard error of each θ; an error of None counts as 0.
    order
        The simplicity of each θ: smaller is simpler.

    Returns
    -------
    int
        The position of the simplest θ; of equally simple ones, the one with the smallest risk.

    Examples
    --------
    >>> within_one_se([0.30, 0.22, 0.20], [0.03, 0.03, 0.03], [(1,), (2,), (3,)])
    1
    """
    best = smallest(risks)
    limit = risks[best] + (errors[best] or 0.0)
    near = [i for i, risk in enumerate(risks) if risk <= limit]
    return simplest(near, risks, order)


def simplest(
    places: Sequence[int], risks: Sequence[float], order: Sequence[tuple[float, ...]]
) -> int:
    """The simplest θ among some; of equally simple ones, the one with the smallest risk."""
    return min(places, key=lambda i: (order[i], risks[i], i))


def simplicity(theta: Theta, simpler: dict[str, str]) -> tuple[float, ...]:
    """Make a sort key of θ: smaller means simpler.

    Parameters
    ----------
    theta
        The hyper-parameters.
    simpler
        For each hyper-parameter that counts, in order, whether `larger` or `smaller` is simpler.

    Returns
    -------
    tuple of float
        The values, negative where larger is simpler. None ("no limit" in scikit-learn) counts as
        infinite.

    Examples
    --------
    >>> simplicity({"n_neighbors": 9}, {"n_neighbors": "larger"})
    (-9.0,)
    """
    key = []
    for name, direction in simpler.items():
        if name in theta:
            value = float("inf") if theta[name] is None else float(theta[name])
            key.append(-value if direction == "larger" else value)
    return tuple(key)


def first_local_min(risks: Sequence[float], errors: Sequence[float | None], patience: int) -> Scan:
    """Scan risks in order until enough of them lie clearly above the smallest so far.

    Parameters
    ----------
    risks, errors
        The risk and the standard error of each θ, in the order of the grid.
    patience
        The scan stops after this many risks that exceed the smallest by more than its standard error.
        A new smallest risk sets the count back to 0.

    Returns
    -------
    Scan
        The position of the smallest risk before the stop, and how many rises are still needed.

    Examples
    --------
    >>> first_local_min([3.0, 1.0, 2.0, 2.0, 0.5], [0.1] * 5, patience=2)
    Scan(best=1, rises_missing=0)
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
