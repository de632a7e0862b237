"""The frozen selection: θ̂ of each learner, the learner chosen among them, and why."""

import json
from collections.abc import Iterable
from typing import Any

from heldout.estimate.rows import RiskRow
from heldout.estimate.select import choose, smallest
from heldout.names import canonical, digest


def select(
    rows: Iterable[RiskRow], by: str, rule: str, simpler: dict[str, dict[str, str]]
) -> dict[str, Any]:
    """The content of selection.json, from the rows of risks.csv."""
    tables: dict[str, list[RiskRow]] = {}
    for row in rows:
        if row.estimator == by:
            tables.setdefault(row.learner, []).append(row)
    chosen = {name: _choose(table, rule, simpler[name]) for name, table in tables.items()}
    names = list(tables)
    best = names[smallest([chosen[name].risk for name in names])]
    picked = {name: _entry(chosen[name], tables[name]) for name in names}
    selection = {
        "learner": best,
        "theta": json.loads(chosen[best].theta),
        "by": by,
        "rule": rule,
        "risk": chosen[best].risk,
        "why": _why(chosen[best], tables[best], names, by, rule),
        "learners": picked,
        "warnings": [text for name in names for text in _edge_warnings(chosen[name], tables[name])],
    }
    return {**selection, "digest": selection_digest(selection)}


def selection_digest(selection: dict[str, Any]) -> str:
    """What was selected, in short: the ledger of the test set counts selections by it."""
    return digest(canonical([selection["learner"], selection["theta"]]))


def _choose(table: list[RiskRow], rule: str, simpler: dict[str, str]) -> RiskRow:
    thetas = [json.loads(row.theta) for row in table]
    errors = [row.se for row in table]
    return table[choose(rule, thetas, [row.risk for row in table], errors, simpler)]


def _entry(row: RiskRow, table: list[RiskRow]) -> dict[str, Any]:
    return {"theta": json.loads(row.theta), "risk": row.risk, "se": row.se, "thetas": len(table)}


def _why(row: RiskRow, table: list[RiskRow], names: list[str], by: str, rule: str) -> str:
    among = f" among {len(names)} learners" if len(names) > 1 else ""
    if rule == "min":
        return f"smallest {by} risk ({row.risk:.6g}) of {len(table)} θ{among}"
    least = min(other.risk for other in table)
    return (
        f"simplest of {len(table)} θ whose {by} risk ({row.risk:.6g}) is within one standard error "
        f"of the smallest ({least:.6g}){among}"
    )


def _edge_warnings(row: RiskRow, table: list[RiskRow]) -> list[str]:
    """The selected value of a numeric hyper-parameter is the first or last of three or more."""
    found = []
    theta = json.loads(row.theta)
    for name, value in theta.items():
        values = {json.loads(other.theta).get(name) for other in table if _numeric(other, name)}
        if len(values) >= 3 and value in (min(values), max(values)):
            found.append(
                f"learner '{row.learner}': the selected {name} = {value} lies on the edge of its grid"
            )
    return found


def _numeric(row: RiskRow, name: str) -> bool:
    value = json.loads(row.theta).get(name)
    return isinstance(value, int | float) and not isinstance(value, bool)
