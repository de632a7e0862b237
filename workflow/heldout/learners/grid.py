"""From the grid of a learner's config to its ordered list of θ.

An axis is a list of values, ``{range: [1, 31]}`` (as in Python, the end is left out),
``{linspace: [0, 1, 11]}``, ``{logspace: [-3, 3, 13]}`` (powers of ten) or random draws
``{random: {loguniform: [0.001, 1000]}, n: 40}``. A whole grid may be random as well:
``{random: {C: {loguniform: [...]}, gamma: {...}}, n: 40}``. A larger n keeps the earlier draws.
A grid of one hyper-parameter may have no end: ``{from: 1}``, or ``{from: 0, step: 2}``.

Standard library only: the workflow imports this while it is parsed.
"""

import itertools
import math
import random
import sys
from typing import Any

from heldout.errors import HeldoutError, did_you_mean
from heldout.limits import THETAS, refuse_above
from heldout.names import Theta, canonical

Axis = list[Any] | dict[str, Any]
Grid = dict[str, Axis]

RULES = {"range": (2, 3), "linspace": (3, 3), "logspace": (3, 3)}
"""The smallest and the largest number of arguments of each rule."""
DISTRIBUTIONS = {"uniform": 2, "loguniform": 2, "integer": 2, "choice": None}
"""The number of arguments of each distribution; None for any number."""


def expand(grid: dict[str, Any], seed: int, where: str) -> list[Theta]:
    """All θ of a grid: keys in sorted order, the last one fastest, each θ once.

    Parameters
    ----------
    grid
        The axis of each hyper-parameter, as in the config.
    seed
        The seed of random draws.
    where
        The grid's key in the config, for error messages. It seeds random draws too.

    Returns
    -------
    list of dict
        Each θ, value by name.

    Raises
    ------
    HeldoutError
        Names the axis and what is wrong with it.

    Examples
    --------
    >>> expand({"C": {"logspace": [-1, 1, 3]}}, 0, "learners.svm.grid")
    [{'C': 0.1}, {'C': 1.0}, {'C': 10.0}]
    >>> expand({"b": [1, 2], "a": [3]}, 0, "learners.mine.grid")
    [{'a': 3, 'b': 1}, {'a': 3, 'b': 2}]
    """
    size(grid, where)
    if set(grid) == {"random", "n"}:
        thetas = _joint_draws(grid, seed, where)
    else:
        keys = sorted(grid)
        axes = [_values(grid[key], seed, f"{where}.{key}") for key in keys]
        thetas = [dict(zip(keys, values, strict=True)) for values in itertools.product(*axes)]
    return list({canonical(theta): theta for theta in thetas}.values())


def size(grid: dict[str, Any], where: str) -> int:
    """How many θ a grid has, counted without listing them; equal ones are counted each time.

    Parameters
    ----------
    grid
        The axis of each hyper-parameter, as in the config.
    where
        The grid's key in the config, for error messages.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    HeldoutError
        If there are more than `limits.THETAS`, or an axis is not as it should be.

    Examples
    --------
    >>> size({"C": {"logspace": [-3, 3, 13]}, "gamma": [0.1, 1]}, "learners.svm.grid")
    26
    >>> size({"n_neighbors": {"range": [1, 10**9]}}, "learners.knn.grid")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: learners.knn.grid.n_neighbors: asks for 999999999 values; the limit is 100000
    """
    if set(grid) == {"random", "n"}:
        return _count(grid, where)
    lengths = [_length(grid[key], f"{where}.{key}") for key in sorted(grid)]
    product = math.prod(lengths)
    factors = " × ".join(map(str, lengths))
    refuse_above(THETAS, product, where, f"values of θ ({factors})")
    return product


def endless_axis(grid: dict[str, Any], where: str) -> tuple[str, int, int] | None:
    """The axis of a grid that has no end.

    Parameters
    ----------
    grid
        The axis of each hyper-parameter, as in the config.
    where
        The grid's key in the config, for error messages.

    Returns
    -------
    tuple or None
        (name, start, step); None if the grid has an end.

    Examples
    --------
    >>> endless_axis({"n_neighbors": {"from": 1, "step": 2}}, "learners.knn.grid")
    ('n_neighbors', 1, 2)
    """
    endless = [key for key, axis in grid.items() if isinstance(axis, dict) and "from" in axis]
    if not endless:
        return None
    [name, *others] = grid
    if others:
        raise HeldoutError(f"{where}: an endless axis must be the only one, found {sorted(grid)}")
    start, step = grid[name]["from"], grid[name].get("step", 1)
    known = set(grid[name]) <= {"from", "step"}
    if not known or not isinstance(start, int) or not isinstance(step, int) or step == 0:
        raise HeldoutError(f"{where}.{name}: expected {{from: 1}} or {{from: 1, step: 2}}")
    return name, start, step


def unordered(axis: Any) -> list[Any]:
    """The values of an axis that no other is larger or smaller than.

    Parameters
    ----------
    axis
        The axis of a hyper-parameter, as in the config; None if it has none.

    Returns
    -------
    list
        What is neither a number nor None, which is "no limit" in scikit-learn.

    Examples
    --------
    >>> unordered(["sqrt", 0.3]), unordered({"random": {"choice": [None, "log2"]}, "n": 2})
    (['sqrt'], ['log2'])
    >>> unordered({"range": [1, 5]}), unordered(None)
    ([], [])
    """
    drawn = axis.get("random", axis) if isinstance(axis, dict) else {"choice": axis or []}
    values = drawn.get("choice", []) if isinstance(drawn, dict) else []
    known = isinstance(values, list)
    return [one for one in values if not isinstance(one, int | float | None)] if known else []


def _length(axis: Any, where: str) -> int:
    """How many values an axis has; an axis that is not as it should be is refused when it is listed."""
    if isinstance(axis, list):
        length = len(axis)
    elif not isinstance(axis, dict):
        return 1
    elif set(axis) == {"random", "n"}:
        return _count(axis, where)
    else:
        length = max((_length_by_rule(*rule) for rule in axis.items()), default=1)
    refuse_above(THETAS, length, where, "values")
    return length


def _length_by_rule(rule: str, numbers: Any) -> int:
    if rule not in RULES or not isinstance(numbers, list) or not all(map(_is_whole, numbers[-1:])):
        return 1
    if rule != "range":
        return int(numbers[-1])
    if not all(map(_is_whole, numbers)) or not 2 <= len(numbers) <= 3 or 0 in numbers[2:]:
        return 1
    start, stop, step = [*numbers, 1][:3]
    return max(0, -((start - stop) // step))


def _values(axis: Any, seed: int, where: str) -> list[Any]:
    if isinstance(axis, list):
        if not axis:
            raise HeldoutError(f"{where}: the list of values is empty")
        return axis
    if not isinstance(axis, dict):
        raise HeldoutError(f"{where}: expected a list of values or a rule, found {axis!r}")
    if set(axis) == {"random", "n"}:
        generator = random.Random(f"{seed}:{where}")
        return [_draw(axis["random"], generator, where) for _ in range(_count(axis, where))]
    if "random" in axis:
        raise HeldoutError(f"{where}: random draws are written {{random: …, n: 40}}")
    if len(axis) != 1:
        raise HeldoutError(f"{where}: expected one rule, found {sorted(axis)}")
    [(rule, numbers)] = axis.items()
    return _by_rule(rule, numbers, where)


def _by_rule(rule: str, numbers: Any, where: str) -> list[Any]:
    if rule not in RULES:
        raise HeldoutError(
            f"{where}: unknown rule '{rule}'{did_you_mean(rule, [*RULES, 'random'])}"
        )
    low, high = RULES[rule]
    if not isinstance(numbers, list) or not low <= len(numbers) <= high or not _numeric(numbers):
        raise HeldoutError(f"{where}: {rule} takes {low} to {high} numbers, found {numbers!r}")
    if rule == "range":
        if not all(isinstance(number, int) for number in numbers) or 0 in numbers[2:]:
            raise HeldoutError(f"{where}: range takes whole numbers and a step that is not 0")
        values: list[Any] = list(range(*numbers))
    else:
        start, stop, count = numbers
        if not isinstance(count, int) or count < 1:
            raise HeldoutError(f"{where}: {rule} needs a number of points of at least 1")
        step = (stop - start) / (count - 1) if count > 1 else 0.0
        points = [start + step * i for i in range(count - 1)] + [stop if count > 1 else start]
        values = [_power(point, where) if rule == "logspace" else float(point) for point in points]
    if not values:
        raise HeldoutError(f"{where}: {rule} {numbers} holds no value")
    return values


def _power(exponent: float, where: str) -> float:
    try:
        return 10.0**exponent
    except OverflowError:
        raise HeldoutError(
            f"{where}: logspace takes exponents of ten, and 10 to the {exponent:g} is too large"
        ) from None


def _joint_draws(grid: dict[str, Any], seed: int, where: str) -> list[Theta]:
    axes = grid["random"]
    if not isinstance(axes, dict) or not axes:
        raise HeldoutError(f"{where}.random: expected one distribution per hyper-parameter")
    generators = {key: random.Random(f"{seed}:{where}.{key}") for key in axes}
    return [
        {key: _draw(axes[key], generators[key], f"{where}.{key}") for key in sorted(axes)}
        for _ in range(_count(grid, where))
    ]


def _draw(distribution: Any, generator: random.Random, where: str) -> Any:
    if isinstance(distribution, list):
        distribution = {"choice": distribution}
    if not isinstance(distribution, dict) or len(distribution) != 1:
        raise HeldoutError(f"{where}: expected one distribution, found {distribution!r}")
    [(name, numbers)] = distribution.items()
    if name not in DISTRIBUTIONS:
        hint = did_you_mean(name, [*DISTRIBUTIONS])
        raise HeldoutError(f"{where}: unknown distribution '{name}'{hint}")
    if not isinstance(numbers, list) or not numbers:
        raise HeldoutError(f"{where}: {name} takes a list, found {numbers!r}")
    if name == "choice":
        return generator.choice(numbers)
    count = DISTRIBUTIONS[name]
    if len(numbers) != count or not _numeric(numbers) or not numbers[0] < numbers[1]:
        raise HeldoutError(f"{where}: {name} takes [low, high] with low < high, found {numbers!r}")
    low, high = numbers
    if name == "integer":
        if math.ceil(low) == math.ceil(high):
            raise HeldoutError(f"{where}: no whole number from {low} to below {high}")
        return generator.randrange(math.ceil(low), math.ceil(high))
    if name == "uniform":
        return generator.uniform(low, high)
    if low <= 0:
        raise HeldoutError(f"{where}: loguniform needs positive bounds, found {numbers!r}")
    return math.exp(generator.uniform(math.log(low), math.log(high)))


def _count(axis: dict[str, Any], where: str) -> int:
    count = axis["n"]
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise HeldoutError(f"{where}.n: expected a number of draws of at least 1, found {count!r}")
    refuse_above(THETAS, count, f"{where}.n", "draws")
    return count


def _numeric(values: list[Any]) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    return numbers and all(map(_is_finite, values))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite(value: float) -> bool:
    """Also of whole numbers beyond all floating-point numbers."""
    return abs(value) <= sys.float_info.max
