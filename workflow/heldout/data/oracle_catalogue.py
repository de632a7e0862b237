"""The oracles by name, with their parameters and defaults.

Standard library only: the workflow imports this while it is parsed. To add an oracle, add an entry
here, a class to `regression_oracles`, `classification_oracles` or `grouped_oracles`, and its name to
`oracles.ORACLES`.
"""

from dataclasses import dataclass, field
from typing import Any

from heldout import limits
from heldout.errors import HeldoutError, did_you_mean
from heldout.limits import refuse_above

PREFIX = "oracle:"
TARGET = "y"
"""The name of the column that every oracle predicts; features are x1, x2, …"""
GROUPS = "group"
"""The column of the groups, where an oracle draws rows in groups."""
ROWS = 200
"""How many rows an ordinary task draws from an oracle, unless `oracle.rows` says otherwise."""


@dataclass(frozen=True)
class Entry:
    """What an oracle draws, its parameters with their defaults, and whether y is a class.

    `least` holds the smallest values of whole numbers that must be larger than 1; `groups` says
    whether rows come in groups.
    """

    title: str
    classification: bool
    params: dict[str, Any]
    least: dict[str, int] = field(default_factory=dict)
    groups: bool = False


ORACLES = {
    "gaussian_linear": Entry(
        "y = xβ + noise, Gaussian features (equally correlated), ‖β‖ = signal; noise Gaussian, or "
        "Student's t with `tails` degrees of freedom and the same variance",
        False,
        {
            "features": 5,
            "informative": 5,
            "signal": 1.0,
            "noise": 1.0,
            "correlation": 0.0,
            "tails": None,
        },
    ),
    "polynomial": Entry(
        "y = c₀ + c₁x + c₂x² + … + noise, x uniform on [−1, 1]",
        False,
        {"coefficients": [0.0, -1.0, 0.0, 2.0], "noise": 0.2},
    ),
    "friedman": Entry(
        "Friedman's function of five of the uniform features, plus Gaussian noise",
        False,
        {"features": 10, "noise": 1.0},
        least={"features": 5},
    ),
    "grouped_linear": Entry(
        "y = xβ + effect of the group + noise; `between` of the variance of x is between groups",
        False,
        {
            "features": 5,
            "informative": 5,
            "signal": 1.0,
            "noise": 1.0,
            "group_size": 5,
            "group_effect": 1.0,
            "between": 0.5,
        },
        groups=True,
    ),
    "two_gaussians": Entry(
        "two Gaussian classes whose means are `distance` apart; `share` belong to the second",
        True,
        {"features": 2, "distance": 2.0, "share": 0.5},
    ),
    "gaussian_classes": Entry(
        "several Gaussian classes, their means on a circle, neighbours `distance` apart",
        True,
        {"features": 2, "classes": 4, "distance": 2.0},
        least={"features": 2, "classes": 2},
    ),
    "mixture": Entry(
        "two classes, each a mixture of Gaussians; `label_noise` of the labels are flipped",
        True,
        {"features": 2, "components": 4, "spread": 1.5, "width": 0.6, "label_noise": 0.1},
    ),
    "two_moons": Entry(
        "two half circles that reach into each other: Gaussians strung along them",
        True,
        {"components": 60, "width": 0.25, "label_noise": 0.0},
    ),
    "noise": Entry(
        "labels that have nothing to do with the Gaussian features",
        True,
        {"features": 10, "share": 0.5},
    ),
    "sparse_logistic": Entry(
        "P(second class) = 1/(1 + exp(−xβ)); `informative` of many features count",
        True,
        {"features": 200, "informative": 5, "strength": 1.0},
    ),
    "categories": Entry(
        "features with many levels, some rare; the logit of the second class is a sum of their effects",
        True,
        {"features": 4, "levels": 12, "strength": 2.0, "skew": 0.5},
        least={"levels": 2},
    ),
    "grouped_classes": Entry(
        "logistic in xβ + effect of the group; `between` of the variance of x is between groups",
        True,
        {
            "features": 5,
            "informative": 5,
            "strength": 2.0,
            "group_size": 5,
            "group_effect": 1.0,
            "between": 0.5,
        },
        groups=True,
    ),
}


def is_oracle(data: str) -> bool:
    """Whether a task's `data` names an oracle.

    Parameters
    ----------
    data
        The `data` of a task.

    Returns
    -------
    bool
        True for `oracle:NAME`.

    Examples
    --------
    >>> is_oracle("oracle:noise"), is_oracle("noise.csv")
    (True, False)
    """
    return data.startswith(PREFIX)


def entry_of(data: str) -> Entry:
    """Look up an oracle.

    Parameters
    ----------
    data
        `oracle:NAME`, with a known name.

    Returns
    -------
    Entry
        What it draws.

    Examples
    --------
    >>> entry_of("oracle:noise").classification
    True
    """
    return ORACLES[data.removeprefix(PREFIX)]


def parameters(data: str, given: dict[str, Any], where: str) -> dict[str, Any]:
    """Fill in the parameters of an oracle.

    Parameters
    ----------
    data
        `oracle:NAME`.
    given
        The parameters that the config sets; an unknown one is an error. `rows` is left out.
    where
        The place in the config, for errors.

    Returns
    -------
    dict
        All parameters.

    Examples
    --------
    >>> parameters("oracle:noise", {"features": 3}, "tasks.t")
    {'features': 3, 'share': 0.5}
    """
    name = data.removeprefix(PREFIX)
    if name not in ORACLES:
        hint = did_you_mean(name, list(ORACLES))
        raise HeldoutError(f"{where}.data: unknown oracle '{name}'{hint}")
    known, least = ORACLES[name].params, ORACLES[name].least
    for key, value in given.items():
        if key not in known and key != "rows":
            hint = did_you_mean(key, [*known, "rows"])
            raise HeldoutError(f"{where}.oracle: {name} has no parameter '{key}'{hint}")
        _check_value(f"{where}.oracle.{key}", value, known.get(key, ROWS), least.get(key, 1))
    refuse_above(limits.ROWS, given.get("rows", ROWS), f"{where}.oracle.rows", "rows")
    filled = {**known, **{key: value for key, value in given.items() if key != "rows"}}
    numbers = given.get("rows", ROWS) * filled.get("features", 1)
    refuse_above(limits.NUMBERS, numbers, f"{where}.oracle", "numbers (rows × features)")
    return _informative_at_most(filled, given, f"{where}.oracle.informative")


def _check_value(where: str, value: Any, default: Any, least: int) -> None:
    """The value is of the default's kind: a list of numbers, a whole number, or a number from 0."""
    if where.endswith("tails"):
        _check_tails(where, value)
    elif isinstance(default, list):
        if not isinstance(value, list) or not value or not all(map(_is_number, value)):
            raise HeldoutError(f"{where}: expected a list of numbers, found {value!r}")
    elif not _is_number(value) or value < 0:
        raise HeldoutError(f"{where}: expected a number of at least 0, found {value!r}")
    elif isinstance(default, int) and (not isinstance(value, int) or value < least):
        raise HeldoutError(f"{where}: expected a whole number of at least {least}, found {value!r}")
    else:
        _check_share(where, value)


def _check_share(where: str, value: float) -> None:
    if where.endswith(("share", "label_noise", "correlation", "between")) and not value < 1:
        raise HeldoutError(f"{where}: expected a number below 1, found {value!r}")
    if where.endswith(("share", "width")) and not value > 0:
        raise HeldoutError(f"{where}: expected a number above 0, found {value!r}")


def _check_tails(where: str, value: Any) -> None:
    if value is not None and not (_is_number(value) and value > 2):
        raise HeldoutError(
            f"{where}: expected null or a number above 2 (degrees of freedom; with fewer the noise has "
            f"no variance), found {value!r}"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _informative_at_most(
    params: dict[str, Any], given: dict[str, Any], where: str
) -> dict[str, Any]:
    """No more informative features than there are; an error if the user asked for more."""
    if "informative" not in params or params["informative"] <= params["features"]:
        return params
    if "informative" in given:
        raise HeldoutError(
            f"{where}: {params['informative']} of {params['features']} features cannot be informative"
        )
    return {**params, "informative": params["features"]}
