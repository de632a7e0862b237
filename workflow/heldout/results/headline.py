"""The rows of estimates.csv that an answer shows first, and how their values are written."""

import math
from typing import Any

from heldout.learners.catalogue import is_baseline
from heldout.estimates.registry import ESTIMATORS
from heldout.results.display import PERCENT, Format, significant
from heldout.results.tables import Row, Table
from heldout.results.tables import ALL

PLAIN = {
    name: entry.comes_with
    for name, entry in ESTIMATORS.items()
    if name == f"{entry.comes_with}_pooled"
}
"""The estimator that each pooled one is a form of."""


def headline_row(estimates: Table, learner: str = ALL, pooled: bool = False) -> Row | None:
    """Choose the row that is shown as the expected value, with its recommended interval.

    Parameters
    ----------
    estimates
        The rows of estimates.csv.
    learner
        Whose; by default the choice between all learners.
    pooled
        Whether the value of the loss is that of all held-out rows together, where there is one.

    Returns
    -------
    dict or None
        The row of the most honest estimator; None if there is no estimate but the sealed test.

    Examples
    --------
    >>> table = Table([], [{"learner": "all", "estimator": name, "recommended": True} for name in ("kfold", "test")])
    >>> headline_row(table)["estimator"]
    'kfold'
    """
    rows = {name: row for (who, name), row in estimates.recommended().items() if who == learner}
    others = [name for name in rows if name != "test"]
    return rows[min(others, key=lambda name: _headline_rank(name, pooled))] if others else None


def _headline_rank(name: str, pooled: bool) -> float:
    """The rank of an estimator for the expected value; infinite if it has none."""
    if pooled and name in PLAIN:
        return _headline_rank(str(PLAIN[name]), pooled=False) - 0.5
    rank = ESTIMATORS[name].headline if name in ESTIMATORS else None
    return math.inf if rank is None else rank


def test_row(estimates: Table) -> Row | None:
    """Find the recommended row of the sealed test.

    Parameters
    ----------
    estimates
        The rows of estimates.csv.

    Returns
    -------
    dict or None
        None if there is no result on sealed rows.

    Examples
    --------
    >>> table = Table([], [{"learner": "all", "estimator": name, "recommended": True} for name in ("kfold", "test")])
    >>> test_row(table)["estimator"]
    'test'
    """
    return estimates.recommended().get((ALL, "test"))


def root_of(row: Row) -> str:
    """Take the root of a risk, and of the ends of its interval.

    Parameters
    ----------
    row
        A row of estimates.csv.

    Returns
    -------
    str
        The root with three digits; empty if there is no risk.

    Examples
    --------
    >>> root_of({"risk": 4.0, "ci_low": 1.0, "ci_high": 9.0})
    '2 (1 to 3)'
    """
    if row["risk"] is None:
        return ""
    low, value, high = (
        None if one is None else significant(math.sqrt(max(one, 0.0)), 3)
        for one in (row["ci_low"], row["risk"], row["ci_high"])
    )
    return f"{value} ({low} to {high})" if low is not None and high is not None else str(value)


def span(row: Row, show: Format) -> str:
    """Write an interval as people read it.

    Parameters
    ----------
    row
        A row of estimates.csv.
    show
        The format of its values.

    Returns
    -------
    str
        Both ends; empty if there is no interval.

    Examples
    --------
    >>> span({"score_low": 0.0, "score_high": 0.0234}, Format(percent=True, decimals=2))
    '0.0 to 2.3\xa0%'
    """
    if row["score_low"] is None or row["score_high"] is None:
        return ""
    low, high = short(row["score_low"], show), short(row["score_high"], show)
    return f"{low.removesuffix(PERCENT)} to {high}"


def short(value: float | None, show: Format) -> str:
    """Write a value with one decimal less than in the tables.

    Parameters
    ----------
    value, show
        The value, and its format in the tables.

    Returns
    -------
    str
        The value as text.

    Examples
    --------
    >>> short(0.0123, Format(percent=True, decimals=2))
    '1.2\xa0%'
    """
    return show(value, max(show.decimals - 1, 0))


def percent(level: float | None) -> str:
    """Write a level as a percentage.

    Parameters
    ----------
    level
        A level of confidence; None if there is none.

    Returns
    -------
    str
        As few digits as it has; empty for None.

    Examples
    --------
    >>> percent(0.95)
    '95\xa0%'
    """
    return f"{100 * level:g}{PERCENT}" if level is not None else ""


def baselines(learners: list[dict[str, Any]]) -> list[str]:
    """The learners that ignore the features."""
    return [
        learner["name"]
        for learner in learners
        if is_baseline(learner.get("classifier"), learner.get("regressor"))
    ]


def baseline_row(estimates: Table, learners: list[dict[str, Any]], like: Row) -> Row | None:
    """The same estimate for a baseline, if one was among the learners."""
    rows = estimates.recommended()
    found = [rows.get((name, like["estimator"])) for name in baselines(learners)]
    return next((row for row in found if row), None)


def learner_title(name: str) -> str:
    """Write the name of a learner; `all` is the choice between learners.

    Parameters
    ----------
    name
        A value of the column `learner`.

    Returns
    -------
    str
        The name as people read it.

    Examples
    --------
    >>> learner_title("all"), learner_title("knn")
    ('all together', 'knn')
    """
    return "all together" if name == ALL else name
