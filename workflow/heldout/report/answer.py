"""The sentences and figures at the top of a report: what was selected, and the risk to expect."""

import math
from typing import Any

from heldout.estimates.registry import ESTIMATORS
from heldout.report import glossary
from heldout.report.display import PERCENT, Format, significant
from heldout.results.tables import Row, Table
from heldout.results.task import ALL

NAMES = {
    "absolute": "mean absolute error",
    "brier": "Brier score",
    "costs": "mean cost",
    "quantile": "mean pinball loss",
}
"""What the mean of some losses is called."""


def headline_row(estimates: Table, learner: str = ALL) -> Row | None:
    """The row that is shown as the expected risk, with its recommended interval."""
    rows = {name: row for (who, name), row in estimates.recommended().items() if who == learner}
    others = [name for name in rows if name != "test"]
    return rows[min(others, key=_headline_rank)] if others else None


def _headline_rank(name: str) -> float:
    """The rank of an estimator for the expected risk; infinite if it has none."""
    rank = ESTIMATORS[name].headline if name in ESTIMATORS else None
    return math.inf if rank is None else rank


def typical_risks(estimates: Table) -> list[float | None]:
    """The risks that set the number of decimals: not those of training, which may be zero."""
    return [row["risk"] for row in estimates.rows if row["estimator"] != "training"]


def test_row(estimates: Table) -> Row | None:
    """The recommended row of the sealed test."""
    return estimates.recommended().get((ALL, "test"))


def figure(row: Row, show: Format) -> dict[str, Any]:
    """One estimate as the page shows it in large type."""
    entry = glossary.estimator(row["estimator"])
    return {
        "row": row,
        "title": entry.title,
        "name": entry.name,
        "role": entry.role,
        "caveat": entry.caveat,
        "value": short(row["risk"], show),
        "range": span(row, show),
        "interval": glossary.interval(row["interval"]).title if row["interval"] else "",
        "level": percent(row["level"]),
        "target": row.get("interval_target") or "",
        "note": row.get("note") or "",
    }


def expected_sentence(row: Row, loss: str, learners: int, show: Format) -> str:
    """What to expect of new data, in one sentence."""
    entry = ESTIMATORS.get(row["estimator"])
    if entry is not None and entry.of_procedure:
        choosing = " and choosing among the learners" if learners > 1 else ""
        subject = f"tuning{choosing} as done here"
        verb = "gives a model that is expected to"
    else:
        subject, verb = "a model trained this way", "is expected to"
    what = (
        error_text(row["risk"], loss, show)
        + interval_text(row, show)
        + root_text(row["risk"], loss)
    )
    return f"On new data, {subject} {verb} {what}."


def interval_sentence(row: Row) -> str:
    """What the interval of an estimate is for, or why there is none; empty if nothing is known."""
    if row.get("interval_target"):
        of = (
            ""
            if row["estimator"] == "test"
            else f" by {glossary.estimator(row['estimator']).title}"
        )
        return f"The {percent(row['level'])} interval{of} is for {row['interval_target']}."
    return f"{as_sentence(row['note'])}." if row.get("note") else ""


def as_sentence(text: str) -> str:
    """A message with a capital letter. It may end in a command, so there is no full stop."""
    return text[:1].upper() + text[1:]


def test_sentence(row: Row, loss: str, count: int, show: Format) -> str:
    """The result on the sealed rows, in one sentence."""
    times = {0: "", 1: ", opened once,"}.get(count, f", counted as opened for {count} selections,")
    if loss == "zero_one":
        errors = round(row["risk"] * row["n"])
        done = f"made {errors or 'no'} error{'' if errors == 1 else 's'}"
    else:
        done = error_text(row["risk"], loss, show).replace("have", "had", 1)
    done += interval_text(row, show) + root_text(row["risk"], loss)
    return f"On {row['n']} sealed rows{times} the final model {done}."


def error_text(risk: float, loss: str, show: Format) -> str:
    """`err on 1.1 % of examples`, or `have a mean squared error of 2933`."""
    value = short(risk, show)
    if loss == "zero_one":
        return f"err on {value} of examples"
    if loss == "squared":
        return f"have a mean squared error of {value}"
    plain = loss if "." in loss else loss.replace("_", "-")
    return f"have a {NAMES.get(loss, f'mean {plain}')} of {value}"


def root_text(risk: float, loss: str) -> str:
    """The root of a squared error, which is in the units of the target."""
    return f"; its root is {significant(math.sqrt(risk), 3)}" if loss == "squared" else ""


def interval_text(row: Row, show: Format) -> str:
    """The interval in brackets and, except for the test, the estimator."""
    title = glossary.estimator(row["estimator"]).title
    if row["ci_low"] is None or row["ci_high"] is None:
        return f" ({title}, without an interval)"
    level = f"{percent(row['level'])} interval " if row["level"] else "interval "
    by = "" if row["estimator"] == "test" else f", by {title}"
    return f" ({level}{span(row, show)}{by})"


def span(row: Row, show: Format) -> str:
    """`0.0 to 2.3 %`."""
    if row["ci_low"] is None or row["ci_high"] is None:
        return ""
    low, high = short(row["ci_low"], show), short(row["ci_high"], show)
    return f"{low.removesuffix(PERCENT)} to {high}"


def short(value: float | None, show: Format) -> str:
    """A risk with one decimal less than in the tables."""
    return show(value, max(show.decimals - 1, 0))


def percent(level: float | None) -> str:
    """0.95 → `95 %`."""
    return f"{100 * level:g}{PERCENT}" if level is not None else ""


def baselines(learners: list[dict[str, Any]]) -> list[str]:
    """The learners that ignore the features."""
    return [
        learner["name"]
        for learner in learners
        if "sklearn.dummy." in f"{learner.get('classifier')} {learner.get('regressor')}"
    ]


def baseline_row(estimates: Table, learners: list[dict[str, Any]], like: Row) -> Row | None:
    """The same estimate for a baseline, if one was among the learners."""
    rows = estimates.recommended()
    found = [rows.get((name, like["estimator"])) for name in baselines(learners)]
    return next((row for row in found if row), None)


def learner_title(name: str) -> str:
    """`all` is the choice between learners."""
    return "all together" if name == ALL else name
