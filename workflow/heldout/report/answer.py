"""The sentences at the top of a report: what to expect of new data, and why no more can be said."""

from collections.abc import Iterable
from typing import Any

from heldout.estimates.registry import ESTIMATORS
from heldout.measures.loss import Loss
from heldout.results import glossary
from heldout.results.display import Format, listed
from heldout.results.headline import percent, root_of, short, span
from heldout.results.scale import Scale, with_article
from heldout.results.scores import in_words
from heldout.results.tables import Row


def figure(row: Row, scale: Scale) -> dict[str, Any]:
    """One estimate as the page shows it in large type."""
    entry = glossary.estimator(row["estimator"])
    return {
        "row": row,
        "title": entry.title,
        "name": entry.name,
        "role": entry.role,
        "caveat": entry.caveat,
        "value": short(row["score"], scale.show),
        "range": span(row, scale.show),
        "root": root_of(row) if scale.squared else "",
        "interval": glossary.interval(row["interval"]).title if row["interval"] else "",
        "level": percent(row["level"]),
        "target": in_words(row.get("interval_target") or "", scale.loss),
        "note": row.get("note") or "",
    }


def expected_sentence(row: Row, scale: Scale, learners: int) -> str:
    """What to expect of new data, in one sentence."""
    entry = ESTIMATORS.get(row["estimator"])
    if entry is not None and entry.of_procedure:
        choosing = " and choosing among the learners" if learners > 1 else ""
        subject = f"tuning{choosing} as done here"
        verb = "gives a model that is expected to"
    else:
        subject, verb = "a model trained this way", "is expected to"
    what = value_text(row, scale) + interval_text(row, scale.show) + root_text(row, scale)
    return f"On new data, {subject} {verb} {what}."


def interval_sentence(row: Row, scale: Scale) -> str:
    """What the interval of an estimate is for, or why there is none; empty if nothing is known."""
    if row.get("interval_target"):
        of = (
            ""
            if row["estimator"] == "test"
            else f" by {glossary.estimator(row['estimator']).title}"
        )
        what = in_words(row["interval_target"], scale.loss)
        return f"The {percent(row['level'])} interval{of} is for {what}."
    return f"{as_sentence(row['note'])}." if row.get("note") else ""


def as_sentence(text: str) -> str:
    """A message with a capital letter. It may end in a command, so there is no full stop."""
    return text[:1].upper() + text[1:]


def test_sentence(row: Row, scale: Scale, count: int) -> str:
    """The result on the sealed rows, in one sentence."""
    times = {0: "", 1: ", opened once,"}.get(count, f", counted as opened for {count} selections,")
    if scale.errors:
        errors = round(row["risk"] * row["n"])
        done = f"made {errors or 'no'} error{'' if errors == 1 else 's'}"
    else:
        done = value_text(row, scale).replace("have", "had", 1)
    done += interval_text(row, scale.show) + root_text(row, scale)
    return f"On {row['n']} sealed rows{times} the final model {done}."


def value_text(row: Row, scale: Scale) -> str:
    """`err on 1.1 % of examples`, `have an AUC of 0.870`."""
    value = short(row["score"], scale.show)
    if scale.errors:
        return f"err on {value} of examples"
    return f"have {with_article(scale.label)} of {value}"


def root_text(row: Row, scale: Scale) -> str:
    """The root of a squared error."""
    return f"; its root is {root_of(row)}, in the unit of the target" if scale.squared else ""


def positive_sentence(losses: Iterable[Loss], classes: list[Any] | None, why: str) -> str:
    """Which class the measures of one class are about; empty if there is no such measure."""
    about = [loss for loss in losses if loss.two_classes and loss.positive is not None]
    if not about or classes is None:
        return ""
    names = list(dict.fromkeys(loss.label for loss in about))
    verb = "is" if len(names) == 1 else "are"
    chosen = classes[about[0].positive or 0]
    return f"{listed(names)} {verb} about class '{chosen}', {why}."


def why_positive(named: str | None, counts: list[int] | None) -> str:
    """Why a class is the positive one."""
    if named is not None:
        return "as the config says"
    equal = counts is not None and len(set(counts)) == 1
    which = "the last of two equally frequent ones" if equal else "the rarer one"
    return f"{which}; the key 'positive' of the config chooses"


def interval_text(row: Row, show: Format) -> str:
    """The interval in brackets and, except for the test, the estimator."""
    title = glossary.estimator(row["estimator"]).title
    if row["score_low"] is None or row["score_high"] is None:
        return f" ({title}, without an interval)"
    level = f"{percent(row['level'])} interval " if row["level"] else "interval "
    by = "" if row["estimator"] == "test" else f", by {title}"
    return f" ({level}{span(row, show)}{by})"
