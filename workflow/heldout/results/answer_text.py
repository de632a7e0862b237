"""An answer as text for a terminal, and as HTML for a notebook."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape

from heldout.results.answer import Answer, Line
from heldout.results.task import TaskResults

WIDTH = 110
"""Texts are broken into lines of about so many characters."""
INDENT, GAP = "  ", "  "
BRIEF_CHECKS = 2
MOST_CHECKS = 5
"""So many failed checks are listed; the others are counted."""
CELL = "padding: .15em .9em .15em 0; text-align: left; vertical-align: top"


def answer_text(task: TaskResults, brief: bool = False) -> str:
    """Write the answer for a task for a terminal.

    Parameters
    ----------
    task
        Its results.
    brief
        Whether it is one of several: two failed checks at most, in a line each.

    Returns
    -------
    str
        About ten lines.

    Raises
    ------
    HeldoutError
        If the task is not finished.

    Examples
    --------
    >>> answer_text(TaskResults(folder / "penguins"))
    Traceback (most recent call last):
        ...
    heldout.errors.HeldoutError: task 'penguins' has no estimates yet; run: heldout run
    """
    found = task.answer()
    return as_text(replace(found, lines=_brief(found.lines)) if brief else found)


def _brief(lines: Sequence[Line]) -> list[Line]:
    """The lines with the first failed checks only, cut to a line each; all are counted above them."""
    room = WIDTH - len(INDENT + GAP) - _widest(line.label for line in lines)
    dropped = [line for line in lines if not line.label][BRIEF_CHECKS:]
    return [
        line if line.label else replace(line, value=textwrap.shorten(line.value, room, placeholder=" …"))
        for line in lines
        if all(line is not one for one in dropped)
    ]


def as_text(answer: Answer) -> str:
    """Write an answer for a terminal.

    Parameters
    ----------
    answer
        What is said.

    Returns
    -------
    str
        A line for the task, and one for each thing that is said; long texts are broken.

    Examples
    --------
    >>> lines = [Line("selected", "knn"), Line("expected error", "1.5 %", "0.4 to 4.6 %", ("nested CV",), True)]
    >>> print(as_text(Answer("penguins", "species from 7 columns", lines)))
    penguins   species from 7 columns
      selected        knn
      expected error  1.5 %  0.4 to 4.6 %  nested CV
    """
    lines = _some_checks(answer.lines, answer.task)
    measured = [line for line in lines if line.measured]
    label = _widest(line.label for line in lines)
    value, interval = _widest(one.value for one in measured), _widest(one.interval for one in measured)
    said = [
        part for line in lines for part in _written(line, label, value, interval, len(INDENT + GAP))
    ]
    return "\n".join([f"{answer.task}   {answer.heading}", *said]).replace("\u00a0", " ")


def _widest(texts: Iterable[str]) -> int:
    return max((len(text) for text in texts), default=0)


def _written(line: Line, label: int, value: int, interval: int, margin: int) -> list[str]:
    """The text of a line; its notes are broken where they are too long, under their beginning."""
    start = f"{INDENT}{line.label:<{label}}{GAP}"
    if line.measured:
        start += f"{line.value:>{value}}{GAP}{line.interval:<{interval}}{GAP}"
        return _broken(start, line.note)
    return _broken(start, GAP.join(filter(None, (line.value, line.note))))


def _broken(start: str, text: str) -> list[str]:
    inner = textwrap.wrap(
        text, max(WIDTH - len(start), 40), break_long_words=False, break_on_hyphens=False
    )
    first, *more = inner or [""]
    return [(start + first).rstrip(), *(" " * len(start) + one for one in more)]


def _some_checks(lines: Sequence[Line], task: str) -> list[Line]:
    """The lines, without the least severe of many failed checks."""
    listed = [line for line in lines if not line.label]
    hidden = listed[MOST_CHECKS:]
    if not hidden:
        return list(lines)
    last = lines.index(hidden[-1])
    more = Line("", f"and {len(hidden)} more: results/{task}/checks.csv")
    kept = [line for line in lines[: last + 1] if all(line is not one for one in hidden)]
    return [*kept, more, *lines[last + 1 :]]


def as_html(answer: Answer) -> str:
    """Write an answer for a notebook.

    Parameters
    ----------
    answer
        What is said.

    Returns
    -------
    str
        A table with the same words; whatever comes from data is escaped.

    Examples
    --------
    >>> "<b>" in as_html(Answer("<b>", "y from 1 column", [Line("selected", "<b>")]))
    False
    """
    rows = "".join(map(_row, answer.lines))
    heading = f"<strong>{escape(answer.task)}</strong> &nbsp; {escape(answer.heading)}"
    return f'<table><caption style="{CELL}">{heading}</caption><tbody>{rows}</tbody></table>'


def _row(line: Line) -> str:
    head = f'<th scope="row" style="{CELL}; font-weight: normal">{escape(line.label)}</th>'
    if not line.measured:
        between = " " if line.note.startswith("(") else ": "
        text = escape(between.join(filter(None, (line.value, line.note))))
        return f'<tr>{head}<td colspan="3" style="{CELL}">{text}</td></tr>'
    meant = f' title="for {escape(line.target)}"' if line.target else ""
    cells = (f"<strong>{escape(line.value)}</strong>", escape(line.interval), escape(line.note))
    tags = "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells)
    return f"<tr{meant}>{head}{tags}</tr>"
