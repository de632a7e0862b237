"""Checks of the fits themselves."""

from collections import Counter

from heldout.cells.manifest import CellWarnings
from heldout.checks.check import Context, Outcome, failed, passed

SHOWN = 5
"""How many combinations of learner, θ and warning are named; the others are counted."""


def fits_without_warnings(context: Context) -> Outcome:
    """H016: a fit that gave a warning, for instance that it did not converge, may be wrong."""
    if not context.warnings:
        return passed("no fit gave a warning")
    cells = Counter(_place(one, text) for one in context.warnings for text in _texts(one))
    named = [
        f"{place}: {_fits(count)}, {text}" for (place, text), count in cells.most_common(SHOWN)
    ]
    more = len(cells) - SHOWN
    rest = f"; and {more} more combinations of learner, θ and warning" if more > 0 else ""
    return failed(f"{_fits(len(context.warnings))} gave warnings. {'; '.join(named)}{rest}")


def _place(one: CellWarnings, text: str) -> tuple[str, str]:
    return f"{one.learner} {one.theta}", text


def _texts(one: CellWarnings) -> list[str]:
    """Each warning of a cell once: its category and the beginning of its first sentence."""
    return list(dict.fromkeys(f"{w.category}: {_short(w.message)}" for w in one.warnings))


def _short(message: str, length: int = 100) -> str:
    sentence = message.partition(". ")[0]
    return sentence if len(sentence) <= length else f"{sentence[:length]}…"


def _fits(count: int) -> str:
    return "1 fit" if count == 1 else f"{count} fits"
