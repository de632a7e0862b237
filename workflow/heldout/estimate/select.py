"""Selection rules: which θ, and which learner, a table of risks speaks for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.names import Theta


def smallest(risks: Sequence[float] | np.ndarray) -> int:
    """The position of the smallest risk; of equals, the first (the notes' `if L < L̂`)."""
    return int(np.argmin(np.asarray(risks)))


def within_one_se(
    risks: Sequence[float], errors: Sequence[float | None], simplicity: Sequence[tuple[Any, ...]]
) -> int:
    """The simplest θ whose risk is at most the smallest plus that one's standard error."""
    best = smallest(risks)
    error = errors[best]
    if error is None:
        return best
    near = [i for i, risk in enumerate(risks) if risk <= risks[best] + error]
    return min(near, key=lambda i: (simplicity[i], risks[i], i))


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


def choose(
    rule: str,
    thetas: list[Theta],
    risks: Sequence[float],
    errors: Sequence[float | None],
    simpler: dict[str, str],
) -> int:
    """The position of the θ that a rule chooses."""
    if rule == "min":
        return smallest(risks)
    order = [simplicity(theta, simpler) for theta in thetas]
    return within_one_se(risks, errors, order)
