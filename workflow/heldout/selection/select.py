"""The selection: θ̂ of each learner, the learner chosen among them, and the reason."""

import json
from collections.abc import Iterable
from typing import Any

from heldout.estimates.procedures import ALL, Chosen
from heldout.estimates.rows import RiskRow
from heldout.estimates.rules import Curve, Rule, first_local_min


def select(rows: Iterable[RiskRow], by: str, rule: Rule, maximum: int) -> dict[str, Any]:
    """Make the content of choice.json.

    Parameters
    ----------
    rows
        The rows of risks.csv.
    by
        The estimator whose risks are compared.
    rule
        How θ is chosen.
    maximum
        How many θ the scan of an endless grid may fit.

    Returns
    -------
    dict
        The selected learner and θ, the reason, θ̂ of each learner, and warnings.

    Examples
    --------
    >>> rows = [
    ...     RiskRow("knn", f'{{"k":{k}}}', "kfold", risk, None, 0.01, None, None, None, 50)
    ...     for k, risk in ((1, 0.3), (5, 0.1), (9, 0.2))
    ... ]
    >>> found = select(rows, "kfold", Rule("min"), maximum=100)
    >>> found["learner"], found["theta"], found["why"]
    ('knn', {'k': 5}, 'smallest kfold risk (0.1) of 3 θ')
    """
    curves = _curves(rows, by)
    curve, best = rule.choose(curves)
    picks = {one.learner: rule.pick(one) for one in curves}
    warnings = [
        text for one in curves for text in _warnings(one, picks[one.learner], rule, maximum)
    ]
    return {
        "learner": curve.learner,
        "theta": curve.thetas[best],
        "by": by,
        "rule": rule.name,
        "risk": curve.risks[best],
        "why": _why(curve, best, len(curves), by, rule),
        "learners": {one.learner: _entry(one, picks[one.learner]) for one in curves},
        "warnings": warnings,
    }


def selected_thetas(selection: dict[str, Any]) -> dict[str, Chosen]:
    """List what was selected.

    Parameters
    ----------
    selection
        The content of choice.json.

    Returns
    -------
    dict
        (learner, θ̂) of each learner and, under `all`, of the one chosen among them.

    Examples
    --------
    >>> learners = {"knn": {"theta": {"k": 5}}, "tree": {"theta": {"depth": 2}}}
    >>> selection = {"learner": "tree", "theta": {"depth": 2}, "learners": learners}
    >>> selected_thetas(selection)["all"]
    ('tree', {'depth': 2})
    """
    found: dict[str, Chosen] = {
        name: (name, entry["theta"]) for name, entry in selection["learners"].items()
    }
    return found | {ALL: (selection["learner"], selection["theta"])}


def _curves(rows: Iterable[RiskRow], by: str) -> list[Curve]:
    tables: dict[str, list[RiskRow]] = {}
    for row in rows:
        if row.estimator == by:
            tables.setdefault(row.learner, []).append(row)
    return [
        Curve(
            name,
            [json.loads(row.theta) for row in table],
            [row.risk for row in table],
            [row.se for row in table],
        )
        for name, table in tables.items()
    ]


def _entry(curve: Curve, pick: int) -> dict[str, Any]:
    return {
        "theta": curve.thetas[pick],
        "risk": curve.risks[pick],
        "se": curve.errors[pick],
        "thetas": len(curve.thetas),
        "edges": edges(curve, pick),
    }


def _why(curve: Curve, pick: int, learners: int, by: str, rule: Rule) -> str:
    among = f" among {learners} learners" if learners > 1 else ""
    risk, count = curve.risks[pick], len(curve.thetas)
    if rule.name == "min" or count == 1:
        return f"smallest {by} risk ({risk:.6g}) of {count} θ{among}"
    if rule.name == "one_se":
        return (
            f"simplest of {count} θ whose {by} risk ({risk:.6g}) is within one standard error of the "
            f"smallest ({min(curve.risks):.6g}){among}"
        )
    return f"first significant local minimum of the {by} risk ({risk:.6g}) in {count} θ{among}"


def _warnings(curve: Curve, pick: int, rule: Rule, maximum: int) -> list[str]:
    found = [
        f"learner '{curve.learner}': the selected {name} = {curve.thetas[pick][name]} lies on the "
        "edge of its grid"
        for name in edges(curve, pick)
    ]
    if rule.name == "first_local_min" and len(curve.thetas) >= maximum:
        scan = first_local_min(curve.risks, curve.errors, rule.patience)
        if scan.rises_missing:
            found.append(
                f"learner '{curve.learner}': no significant rise ended the scan; it stopped at the "
                f"stated maximum of {maximum} θ"
            )
    return found


def edges(curve: Curve, pick: int) -> list[str]:
    """The hyper-parameters whose selected value is the smallest or largest of three or more numbers."""
    return [
        name
        for name, value in curve.thetas[pick].items()
        if len(values := {t[name] for t in curve.thetas if _numeric(t.get(name))}) >= 3
        and value in (min(values), max(values))
    ]


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
