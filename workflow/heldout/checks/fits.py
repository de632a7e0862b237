"""Checks of the fits themselves."""

from collections import Counter

from heldout.cells.manifest import CellWarnings
from heldout.checks.check import Context, Outcome, failed, passed
from heldout.errors import counted
from heldout.measures.thresholds import without_threshold
from heldout.names import canonical

SHOWN = 5
"""How many θ of a warning are named; the others are counted."""
NOT_CONVERGED = "ConvergenceWarning"
"""The category of warnings of fits that did not converge."""


def fits_without_warnings(context: Context) -> Outcome:
    """H016: a model that did not converge looks like one that did.

    Each warning is followed by the learners and θ whose fits gave it, the most concerned first.
    """
    if not context.warnings:
        return passed("no fit gave a warning")
    cells: dict[str, Counter[tuple[str, str]]] = {}
    for one in context.warnings:
        for text in _texts(one):
            cells.setdefault(text, Counter())[one.learner, one.theta] += 1
    listed = "; ".join(f"{text} ({_places(counts, context)})" for text, counts in cells.items())
    total = sum(context.fits.values())
    return failed(
        f"{len(context.warnings)} of {_fits(total)} gave warnings. {listed}. {_of_selected(context)}"
        f"{_what_to_do(context)}"
    )


def _places(counts: Counter[tuple[str, str]], context: Context) -> str:
    named = [
        f"{learner} {theta}: {count} of {_fits(context.fits[learner, theta])}"
        for (learner, theta), count in counts.most_common(SHOWN)
    ]
    more = len(counts) - SHOWN
    return ", ".join([*named, *([f"and {more} more θ"] if more > 0 else [])])


def _of_selected(context: Context) -> str:
    """How many fits of the selected θ are concerned."""
    chosen = context.selection["learner"], canonical(without_threshold(context.selection["theta"]))
    count = sum((one.learner, one.theta) == chosen for one in context.warnings)
    if count:
        return f"The selected θ is concerned: {count} of its {_fits(context.fits[chosen])}"
    return "The selected θ is not concerned"


def _what_to_do(context: Context) -> str:
    """Only of fits that did not converge it is known."""
    every = [one for one in context.warnings if _unconverged(one)]
    if not every:
        return ""
    return (
        f". {_fits(len(every))} did not converge: raise max_iter, scale the features (scale: true), or drop these θ "
        "from the grid"
    )


def _unconverged(one: CellWarnings) -> bool:
    return any(warning.category == NOT_CONVERGED for warning in one.warnings)


def _texts(one: CellWarnings) -> list[str]:
    """Each warning of a cell once: its category and the beginning of its first sentence."""
    return list(dict.fromkeys(f"{w.category}: {_short(w.message)}" for w in one.warnings))


def _short(message: str, length: int = 100) -> str:
    sentence = message.partition(". ")[0].rstrip(":.")
    return sentence if len(sentence) <= length else f"{sentence[:length]}…"


def _fits(count: int) -> str:
    return counted(count, "fit")
