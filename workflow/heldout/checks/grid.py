"""Checks of the grid: its edges, and whether the development set is large enough for it."""

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.estimates.algorithm import evidence_for
from heldout.estimates.constant import constant_evidence, has_constant
from heldout.resampling.kinds import DEV


def not_on_the_edge(context: Context) -> Outcome:
    """H005: if risks still fall at the edge, a better θ may lie outside the grid."""
    learner = context.selection["learner"]
    entry = context.selection["learners"][learner]
    at_ends = {f"{learner}: {text}": name in entry["edges"] for name, text in entry["ends"].items()}
    if entry["edges"]:
        shown = "; ".join(text for text, is_open in at_ends.items() if is_open)
        return failed(f"{shown}; extend the grid in that direction")
    if at_ends:
        return passed("; ".join(at_ends))
    return passed("the selected θ lies inside its grid")


def dev_set_large_enough(context: Context) -> Outcome:
    """H004: the bound on the excess risk must tell the selected θ from guessing."""
    loss_table = context.loss_table
    if context.selection["by"] != "holdout" or not loss_table.has(DEV):
        return not_applicable("θ is not chosen on a development set")
    if loss_table.table.times is not None:
        return not_applicable("rows in time order are dependent: there is no such bound")
    if loss_table.loss.bound is None or not loss_table.plain:
        return not_applicable("the risk is no mean of bounded losses: there is no such bound")
    size = len(next(iter(loss_table.resamples[DEV].values())).held[DEV])
    count = sum(len(thetas) for thetas in loss_table.thetas.values())
    bound = excess_bound(size, count, 1 - context.level, loss_table.loss.bound)
    text = (
        f"{size} rows for {count} θ: with probability {context.level:g} the selected θ is worse than the best by "
        f"at most {bound:.3g}"
    )
    room, why = _room(context)
    if bound >= room:
        return failed(
            f"{text}, and {why}: the guarantee says nothing here. It is conservative, the choice may be good all the "
            "same; to have one that says something, enlarge holdout.fraction or shrink the grids"
        )
    return passed(f"{text}, and {why}")


def _room(context: Context) -> tuple[float, str]:
    """How much worse than the selected θ guessing is; where that is not known, the range of the loss."""
    table, selection = context.loss_table, context.selection
    if not has_constant(table.loss):
        assert table.loss.bound is not None
        return table.loss.bound, f"losses range to {table.loss.bound:g}"
    own = evidence_for(table, "holdout", selection["learner"], selection["theta"])
    guess = constant_evidence(table, own)
    room = guess.risk - own.risk
    return room, f"the best constant prediction is worse than it by {room:.3g} on these rows"


def excess_bound(size: int, count: int, delta: float, loss_bound: float) -> float:
    """√(2/|S_dev| · ln(2|Θ₀|/δ)), times the range of the loss.

    Shalev-Shwartz & Ben-David 2014, Understanding Machine Learning, Corollary 4.6.
    """
    return float(loss_bound * np.sqrt(2 / size * np.log(2 * count / delta)))
