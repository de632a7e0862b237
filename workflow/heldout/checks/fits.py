"""Checks of the fits themselves."""

from collections import Counter

from heldout.cells.manifest import CellWarnings
from heldout.checks.check import Context, Outcome, failed, passed
from heldout.errors import counted

SHOWN = 5
"""How many θ of a warning are named; the others are counted."""


def fits_without_warnings(context: Context) -> Outcome:
    """H016: a model that did not converge looks like one that did.

    Each warning is followed by the learners and θ whose fits gave it.
    """
    if not context.warnings:
        return passed("no fit gave a warning")
    cells: dict[str, Counter[str]] = {}
    for one in context.warnings:
        for text in _texts(one):
            cells.setdefault(text, Counter())[f"{one.learner} {one.theta}"] += 1
    listed = "; ".join(f"{text} ({_places(counts)})" for text, counts in cells.items())
    return failed(f"{_fits(len(context.warnings))} gave warnings. {listed}")


def _places(counts: Counter[str]) -> str:
    named = [f"{place}: {_fits(count)}" for place, count in counts.most_common(SHOWN)]
    more = len(counts) - SHOWN
    return ", ".join([*named, *([f"and {more} more θ"] if more > 0 else [])])


def _texts(one: CellWarnings) -> list[str]:
    """Each warning of a cell once: its category and the beginning of its first sentence."""
    return list(dict.fromkeys(f"{w.category}: {_short(w.message)}" for w in one.warnings))


def _short(message: str, length: int = 100) -> str:
    sentence = message.partition(". ")[0].rstrip(":.")
    return sentence if len(sentence) <= length else f"{sentence[:length]}…"


def _fits(count: int) -> str:
    return counted(count, "fit")
