"""How the risks of a learner's θ can be drawn: curve, heat map, scatter plot, or only a table."""

import json
from typing import Any

from heldout.estimates.rules import simplicity, within_one_se
from heldout.names import Theta
from heldout.results.tables import Row

LOG_RATIO = 50
"""Values get a logarithmic axis if the largest is this many times the smallest, or more."""


def describe_grids(
    risks: list[Row],
    selected: dict[str, Any],
    by: str = "",
    learners: list[dict[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """For each learner with more than one θ: its axes, its kind and the θ to be marked."""
    simpler = {one["name"]: one.get("simpler") or {} for one in learners or []}
    thetas: dict[str, dict[str, None]] = {}
    for row in risks:
        thetas.setdefault(row["learner"], {})[row["theta"]] = None
    return [
        describe(name, [json.loads(theta) for theta in own], selected.get(name))
        | {"one_se": one_se_choice(risks, name, by, simpler.get(name, {}))}
        for name, own in thetas.items()
        if len(own) > 1
    ]


def describe(name: str, thetas: list[Theta], selected: Theta | None) -> dict[str, Any]:
    """One learner's grid."""
    keys = sorted({key for theta in thetas for key in theta})
    axes = [axis(key, [theta.get(key) for theta in thetas]) for key in keys]
    moving = [one for one in axes if len(one["values"]) > 1]
    drawn, at = through(moving, selected)
    inside = [theta for theta in thetas if all(theta.get(key) == at[key] for key in at)]
    kind = kind_of(drawn, len(inside))
    return {
        "learner": name,
        "kind": "slice" if at and kind == "heat" else kind,
        "axes": moving,
        "drawn": drawn,
        "at": at,
        "thetas": len(thetas),
        "selected": selected,
    }


def through(moving: list[dict[str, Any]], selected: Theta | None) -> tuple[list[Any], Theta]:
    """Of more than two axes the two with the most values, and the selected values of the others."""
    if len(moving) < 3 or selected is None:
        return moving, {}
    longest = sorted(moving, key=lambda one: -len(one["values"]))[:2]
    drawn = [one for one in moving if one in longest]
    return drawn, {one["name"]: selected.get(one["name"]) for one in moving if one not in longest}


def one_se_choice(risks: list[Row], learner: str, by: str, simpler: dict[str, str]) -> Theta | None:
    """The simplest θ within one standard error of the best, if an order of simplicity is declared."""
    rows = [row for row in risks if row["learner"] == learner and row["estimator"] == by]
    if not simpler or not rows or any(row["risk"] is None for row in rows):
        return None
    thetas = [json.loads(row["theta"]) for row in rows]
    order = [simplicity(theta, simpler) for theta in thetas]
    place = within_one_se([row["risk"] for row in rows], [row["se"] for row in rows], order)
    return dict(thetas[place])


def kind_of(axes: list[dict[str, Any]], count: int) -> str:
    """curve (one axis), heat (a grid of two), scatter (two axes, sparse) or table; `describe` adds slice."""
    if len(axes) == 1:
        return "curve"
    if len(axes) != 2:
        return "table"
    x, y = axes
    if len(x["values"]) * len(y["values"]) <= 2 * count:
        return "heat"
    return "scatter" if {x["scale"], y["scale"]} <= {"linear", "log"} else "table"


def axis(key: str, values: list[Any]) -> dict[str, Any]:
    """The distinct values of a hyper-parameter in order, and the scale that suits them."""
    distinct = list({json.dumps(value): value for value in values}.values())
    numeric = [value for value in distinct if is_number(value)]
    others = [value for value in distinct if not is_number(value)]
    return {"name": key, "values": sorted(numeric) + others, "scale": scale_of(numeric, others)}


def scale_of(numeric: list[float], others: list[Any]) -> str:
    """linear, log, point (evenly spaced: 0 and None have no place on a log axis) or category."""
    if others or not numeric:
        return "point" if numeric and others == [None] else "category"
    low, high = min(numeric), max(numeric)
    positive = [value for value in numeric if value > 0]
    if low > 0:
        return "log" if high / low >= LOG_RATIO else "linear"
    if low == 0 and len(positive) > 1 and max(positive) / min(positive) >= LOG_RATIO:
        return "point"
    return "linear"


def is_number(value: Any) -> bool:
    """Whether a value is a number (True is not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)
