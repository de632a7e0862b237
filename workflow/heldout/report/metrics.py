"""The table of further measures: every learner, by K-fold CV, nested CV and the sealed test."""

from collections.abc import Iterable, Sequence
from typing import Any

from heldout.measures.loss import Loss
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.report import answer
from heldout.results import glossary, headline
from heldout.results.display import Format, format_for, heads
from heldout.results.scale import Scale
from heldout.results.tables import ALL, OF_THE_INTERVAL, Row, Table, chosen_of_each

IN_TIME = ("rolling", "nested_rolling")
JUDGES = ("kfold", "nested_cv", *IN_TIME, "test")
"""The columns, from those that chose θ to those that chose nothing."""
ONE_SET = "; all folds taken as one set"
"""What is said of a measure whose values are pooled."""

Place = tuple[str, str, str]
"""Metric, learner and estimator."""


def losses_of(
    metrics: dict[str, LossSpec], classes: Sequence[Any] | None, counts: Sequence[int] | None
) -> dict[str, Loss]:
    """The measures by what the config calls them."""
    return {name: loss_for(spec, classes, counts) for name, spec in metrics.items()}


def scales(table: Table, losses: dict[str, Loss]) -> dict[str, Scale]:
    """How each measure of a table is shown."""
    names = dict.fromkeys(row["metric"] for row in table.rows)
    return {name: _scale(table.where(metric=name), losses[name]) for name in names}


def _scale(rows: Iterable[Row], loss: Loss) -> Scale:
    return Scale(loss, format_for(loss.name, [row["value"] for row in rows]))


def payload(table: Table | None, losses: dict[str, Loss]) -> dict[str, Any]:
    """The format and the title of each measure, for the scripts of the page."""
    found = scales(table, losses) if table else {}
    return {
        name: {"title": scale.title, "format": vars(scale.show)} for name, scale in found.items()
    }


def recommended(table: Table) -> dict[Place, Row]:
    """The row with the recommended interval, or one without any; pooled ones under the plain name."""
    found = chosen_of_each(table.rows, _place, lambda row: row["recommended"] is True)
    return {
        place: row if row["recommended"] is True else row | dict.fromkeys(OF_THE_INTERVAL)
        for place, row in found.items()
    }


def _place(row: Row) -> Place:
    name = row["estimator"]
    return row["metric"], row["learner"], headline.PLAIN.get(name) or name


def table_of(table: Table | None, losses: dict[str, Loss]) -> dict[str, Any]:
    """Lines of measures and learners, a cell for each estimator, and the notes that cells refer to."""
    if table is None:
        return {}
    found, notes = recommended(table), list[str]()
    judges = [name for name in JUDGES if any(place[2] == name for place in found)]
    lines = [
        _line(scale, name, learner, [found.get((name, learner, one)) for one in judges], notes)
        for name, scale in scales(table, losses).items()
        for learner in sorted({place[1]: None for place in found}, key=lambda one: one != ALL)
    ]
    titles = [glossary.estimator(name).title for name in judges]
    return {"heads": heads("Metric", "Learner", numbers=titles), "lines": lines, "notes": notes}


def _line(
    scale: Scale, metric: str, learner: str, rows: list[Row | None], notes: list[str]
) -> dict[str, Any]:
    in_time = any(row and row["estimator"] in IN_TIME for row in rows)  # means over blocks
    return {
        "metric": "" if metric == scale.label else metric,
        "title": scale.title,
        "direction": f"{scale.direction}{ONE_SET if scale.loss.pooled and not in_time else ''}",
        "learner": learner,
        "shown": headline.learner_title(learner),
        "cells": [row and _cell(row, scale.show, notes) for row in rows],
    }


def _cell(row: Row, show: Format, notes: list[str]) -> dict[str, Any]:
    ends = row["ci_low"], row["ci_high"]
    scored = row | dict(zip(("score_low", "score_high"), ends, strict=True))
    return {
        "exact": "" if row["value"] is None else row["value"],
        "value": headline.short(row["value"], show),
        "range": headline.span(scored, show),
        "interval": row["interval"],
        "method": glossary.interval(row["interval"]).title if row["interval"] else "",
        "note": _number(row["note"], notes) if row["note"] and not row["interval"] else None,
    }


def _number(text: str, notes: list[str]) -> int:
    """The number of a note, counted from 1; each is listed once."""
    sentence = answer.as_sentence(text)
    if sentence not in notes:
        notes.append(sentence)
    return notes.index(sentence) + 1
