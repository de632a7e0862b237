"""The findings of an audit as sentences, and its recommendations."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heldout.audit.summary import AuditRow, SelectionRow
from heldout.estimates import targets
from heldout.estimates.procedures import ALL
from heldout.estimates.registry import ESTIMATORS
from heldout.results.display import PERCENT, Format
from heldout.results.glossary import estimator, in_order, interval

CLEAR = 2.0
"""A difference is reported if it exceeds this many Monte Carlo standard errors."""
UNCERTAIN = 0.1
"""A relative bias is not reported if its Monte Carlo error is larger than this."""
SLACK = 0.02
"""An interval keeps its level if its coverage is at most this much below it."""

QUESTIONS = {
    targets.THIS_PREDICTOR: "How good is this model?",
    targets.THIS_ALGORITHM: "How good is the algorithm with the selected θ, at this size?",
    targets.TUNED: "How good is the whole procedure, tuning included?",
}


def headline(rows: Sequence[AuditRow]) -> str:
    """The procedure that the findings are about: choosing between learners, if there are several."""
    names = list(dict.fromkeys(row.learner for row in rows))
    return ALL if ALL in names else names[0]


def sizes(rows: Sequence[AuditRow]) -> list[int]:
    """The sizes m of an audit, in order."""
    return sorted({row.m for row in rows})


@dataclass(frozen=True)
class Finding:
    """A sentence of the page; `tone` is good, bad or plain."""

    text: str
    tone: str


# --- points and intervals ----------------------------------------------------------------------


def point_rows(rows: Sequence[AuditRow]) -> list[AuditRow]:
    """Of each estimator the row that compares it with the quantity that it is used for."""
    found: dict[str, AuditRow] = {}
    for row in rows:
        if row.target == ESTIMATORS[row.estimator].aims[0]:
            found.setdefault(row.estimator, row)
    return [found[name] for name in in_order(set(found))]


def interval_rows(rows: Sequence[AuditRow]) -> list[AuditRow]:
    """Of each interval the row that compares it with the quantity that it was derived for."""
    return [row for row in rows if row.derived and row.coverage is not None]


def signed_percent(share: float, decimals: int = 1) -> str:
    """`+0.7 %`, or `−0.7 %` with a minus sign."""
    return f"{100 * share:+.{decimals}f}".replace("-", "−") + PERCENT


def percent(share: float, decimals: int = 0) -> str:
    """`79 %`."""
    return f"{100 * share:.{decimals}f}" + PERCENT


def title_of(name: str, k: int | None = None) -> str:
    """The name of an estimator; with K as a number where it is known."""
    title = estimator(name).title
    return title.replace("K-fold", f"{k}-fold") if k else title


def bias_finding(row: AuditRow, k: int | None = None) -> Finding:
    """`10-fold CV is 0.7 % pessimistic (± 0.1)`."""
    title, error = title_of(row.estimator, k), _relative(row.bias_se, row)
    size = abs(row.relative_bias)
    decimals = 1 if max(size, error) >= 0.001 else 2
    pm = f"± {100 * error:.{decimals}f}"
    shown = signed_percent(row.relative_bias, decimals)
    if error > UNCERTAIN:
        text = f"{title}: the bias ({shown} {pm}) is too uncertain: there are few draws, or some with very large risks."
        return Finding(text, "plain")
    if abs(row.bias) <= CLEAR * row.bias_se or size < 5e-5:
        return Finding(f"{title}: no bias seen ({shown} {pm}).", "good")
    way = "pessimistic" if row.bias > 0 else "optimistic"
    tone = "plain" if row.bias > 0 or size < 0.01 else "bad"
    return Finding(f"{title} is {percent(size, decimals)} {way} ({pm}).", tone)


def _relative(value: float, row: AuditRow) -> float:
    return value / abs(row.truth) if row.truth else 0.0


def keeps_level(row: AuditRow) -> bool:
    """Whether the coverage may be the stated level, or more."""
    covered, error = row.coverage or 0.0, row.coverage_se or 0.0
    return covered >= (row.level or 0.0) - max(SLACK, CLEAR * error)


def coverage_finding(row: AuditRow, k: int | None = None) -> Finding:
    """`The Bayle interval of 10-fold CV covers 79 % instead of 90 %`."""
    covered, level, error = row.coverage or 0.0, row.level or 0.0, row.coverage_se or 0.0
    name = f"The {interval(row.interval).title} interval of {title_of(row.estimator, k)}"
    share = f"{percent(covered)} (± {100 * error:.1f})"
    if not keeps_level(row):
        return Finding(f"{name} covers {share} instead of {percent(level)}.", "bad")
    if covered > level + max(SLACK, CLEAR * error):
        return Finding(f"{name} covers {share}, more than the {percent(level)} asked for.", "plain")
    keeps = "keeps its level" if error <= SLACK else "may keep its level (few draws)"
    return Finding(f"{name} {keeps}: {share}.", "good")


def selection_finding(row: SelectionRow, show: Format) -> Finding | None:
    """How often the best θ was chosen, and what the other choices cost."""
    if row.thetas < 2:
        return None
    text = (
        f"The best of {row.thetas} θ was selected in {percent(row.best_selected)} of the draws; "
        f"the selected one costs {show(row.regret)} more on average "
        f"({show(row.tuned_risk)} against {show(row.best_risk)})."
    )
    return Finding(text, "plain")


def findings_at(
    rows: Sequence[AuditRow], selection: SelectionRow, show: Format, k: int | None = None
) -> dict[str, Any]:
    """The sentences about one procedure at one size."""
    points, intervals = point_rows(rows), interval_rows(rows)
    chosen = selection_finding(selection, show)
    return {
        "m": rows[0].m,
        "risk": show(selection.tuned_risk),
        "replicates": selection.replicates,
        "points": [bias_finding(row, k) for row in points],
        "intervals": [coverage_finding(row, k) for row in intervals],
        "selection": [chosen] if chosen else [],
        "advice": advice(recommendations(rows), k),
    }


# --- recommendations ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Recommendation:
    """The estimate and interval to use for one question at one size.

    `interval` is None if none keeps its level; `closest` is the one with the largest coverage.
    """

    m: int
    question: str
    point: AuditRow
    interval: AuditRow | None
    closest: AuditRow | None


def recommendations(rows: Sequence[AuditRow]) -> list[Recommendation]:
    """One for each question that the estimators of these rows can answer."""
    found = []
    for target, question in QUESTIONS.items():
        asked = [row for row in rows if row.target == target and row.estimator != "training"]
        if asked:
            bounds = [row for row in asked if row.coverage is not None]
            good = [row for row in bounds if keeps_level(row)]
            best = min(good, key=lambda row: row.width or 0.0) if good else None
            closest = max(bounds, key=lambda row: row.coverage or 0.0) if bounds else None
            found.append(Recommendation(asked[0].m, question, best_point(asked), best, closest))
    return found


def best_point(rows: Sequence[AuditRow]) -> AuditRow:
    """The smallest root mean squared error; of those within 2 % of it, the fewest fits.

    An estimate that is clearly optimistic is left out; if all are, the least optimistic is taken.
    """
    usable = [row for row in rows if not clearly_optimistic(row)]
    usable = usable or [max(rows, key=lambda row: row.relative_bias)]
    least = min(row.rmse for row in usable)
    return min((row for row in usable if row.rmse <= 1.02 * least), key=lambda row: row.fits)


def clearly_optimistic(row: AuditRow) -> bool:
    """Too small by more than one per cent, beyond its Monte Carlo error."""
    return row.relative_bias < -0.01 and row.bias < -CLEAR * row.bias_se


def advice(found: Sequence[Recommendation], k: int | None = None) -> list[str]:
    """`Use …` for the last question, which is about the whole procedure."""
    if not found:
        return []
    last = found[-1]
    point = title_of(last.point.estimator, k)
    if last.interval is not None:
        name = interval(last.interval.interval).title
        of = title_of(last.interval.estimator, k)
        return [f"Use {point} for the estimate, and the {name} interval of {of}."]
    if last.closest is None:
        return [f"Use {point}."]
    name, of = interval(last.closest.interval).title, title_of(last.closest.estimator, k)
    share = percent(last.closest.coverage or 0.0)
    return [
        f"Use {point} for the estimate; no interval keeps its level, the closest being {name} of {of} "
        f"with {share}."
    ]


def typical_risk(rows: Sequence[AuditRow]) -> float:
    """The median true risk, which sets the number of decimals."""
    return statistics.median(row.truth for row in rows)
