"""The selection: θ̂ of each learner, the learner chosen among them, and the reason."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.procedures import ALL, Chosen
from heldout.estimates.rows import RiskRow
from heldout.estimates.rules import CONFIDENCE_SET, ROUNDING, Curve, Rule, first_local_min
from heldout.measures.loss import Loss
from heldout.names import canonical
from heldout.selection.why import RISKS, Words, why


def select(
    rows: Iterable[RiskRow],
    kept: Sequence[ConfidenceRow],
    by: str,
    rule: Rule,
    maximum: int,
    loss: Loss | None = None,
) -> dict[str, Any]:
    """Make the content of choice.json.

    Parameters
    ----------
    rows
        The rows of risks.csv.
    kept
        The rows of confidence_set.csv; none where there is no K-fold.
    by
        The estimator whose risks are compared.
    rule
        How θ is chosen.
    maximum
        How many θ the scan of an endless grid may fit.
    loss
        Says how people read a risk; None: as it is.

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
    >>> found = select(rows, [], "kfold", Rule("min"), maximum=100)
    >>> found["learner"], found["theta"], found["why"]
    ('knn', {'k': 5}, 'it has the smallest kfold risk (0.1) of the 3 θ tried')
    """
    curves = [replace(one, kept=_kept(one, kept)) for one in _curves(rows, by)]
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
        "why": why(curves, picks, curve.learner, by, rule, Words.of(loss) if loss else RISKS),
        "learners": {one.learner: _entry(one, picks[one.learner], rule) for one in curves},
        "confidence_set": _confidence_set(kept, rule),
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


def _kept(curve: Curve, rows: Sequence[ConfidenceRow]) -> list[bool] | None:
    """Which θ of a learner cannot be told from its best; None where that is not known."""
    found = {row.theta: row.kept for row in rows if row.learner == curve.learner}
    return [found[canonical(theta)] for theta in curve.thetas] if found else None


def _confidence_set(rows: Sequence[ConfidenceRow], rule: Rule) -> dict[str, Any] | None:
    """How many θ of all learners cannot be told from the best, and whose they are."""
    if not rows:
        return None
    names = [row.learner for row in rows if row.kept_all]
    return {
        "level": rule.level,
        "size": len(names),
        "of": len(rows),
        "learners": list(dict.fromkeys(names)),
    }


def _entry(curve: Curve, pick: int, rule: Rule) -> dict[str, Any]:
    found = {
        "theta": curve.thetas[pick],
        "risk": curve.risks[pick],
        "se": curve.errors[pick],
        "thetas": len(curve.thetas),
        "edges": edges(curve, pick),
    }
    if curve.kept is None:
        return found
    simplest = replace(rule, name=CONFIDENCE_SET).pick(curve)
    return found | {"kept": sum(curve.kept), "simplest": curve.thetas[simplest]}


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
    """The hyper-parameters whose selected value is the smallest or largest of three or more numbers.

    None where all θ have the same risk: then the first one is selected, wherever it lies.
    """
    if np.ptp(curve.risks) <= ROUNDING:
        return []
    return [
        name
        for name, value in curve.thetas[pick].items()
        if len(values := {t[name] for t in curve.thetas if _numeric(t.get(name))}) >= 3
        and value in (min(values), max(values))
    ]


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
