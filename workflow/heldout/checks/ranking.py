"""The check that no few rows decide which learner is best."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.checks.held_out import WORDS, evidence_of, judge_of
from heldout.errors import counted
from heldout.estimates.evidence import Evidence
from heldout.estimates.paired import gain
from heldout.estimates.tuned_se import WITHOUT_PAIRS
from heldout.measures.weighted import pseudo_losses

ROWS = 10
"""So many rows are left out, …"""
SHARE = 0.05
"""… and at most this share of all."""


def no_few_rows_decide(context: Context) -> Outcome:
    """H029: where few rows decide which learner is best, other rows would decide otherwise."""
    loss, learners = context.loss_table.loss, context.selection["learners"]
    judge = judge_of(context)
    if not loss.by_example or loss.bound is not None:
        return not_applicable("no single row can have a very large loss")
    if judge not in ("kfold", "rolling") or len(learners) < 2:
        return not_applicable("there is one learner only, or there are no folds")
    count = min(ROWS, int(SHARE * context.loss_table.table.n))
    if count == 0:
        return not_applicable("there are too few rows to leave some out")
    found = _evidence(context)
    largest = _largest(context, found, count)
    rest = {name: _without(context, one, largest) for name, one in found.items()}
    whole = {name: _without(context, one, np.array([], int)) for name, one in found.items()}
    return _outcome(context, whole, rest, count)


def _evidence(context: Context) -> dict[str, Evidence]:
    """The losses of each learner at its selected θ, without weights."""
    table = context.loss_table
    plain = replace(context, loss_table=replace(table, table=replace(table.table, weights=None)))
    learners = context.selection["learners"]
    found = {name: evidence_of(plain, name, entry["theta"]) for name, entry in learners.items()}
    return {name: one for name, one in found.items() if one is not None}


def _largest(context: Context, found: dict[str, Evidence], count: int) -> np.ndarray:
    """The rows with the largest losses, averaged over learners that look at features, and over repeats."""
    real = [one for name, one in found.items() if name not in context.baselines] or [
        *found.values()
    ]
    total = np.zeros(context.loss_table.table.n)
    for one in real:
        assert one.rows is not None
        np.add.at(total, np.concatenate(one.rows), one.pooled)
    return np.argsort(-total, kind="stable")[:count]


def _without(context: Context, evidence: Evidence, rows: np.ndarray) -> Evidence:
    """The same losses without some rows, with their weights if they have some."""
    assert evidence.rows is not None
    keep = [~np.isin(held, rows) for held in evidence.rows]
    places = [place for place, one in enumerate(keep) if one.any()]
    weights = context.loss_table.table.weights
    parts = [(evidence.losses[p][keep[p]], evidence.rows[p][keep[p]]) for p in places]
    return replace(
        evidence,
        losses=[
            one if weights is None else pseudo_losses(one, weights[held]) for one, held in parts
        ],
        rows=[held for _, held in parts],
        units=[context.loss_table.units(held) for _, held in parts],
    )


def _outcome(
    context: Context, whole: dict[str, Evidence], rest: dict[str, Evidence], count: int
) -> Outcome:
    judge, show = judge_of(context), context.loss_table.loss.score
    first = min(whole, key=lambda name: whole[name].risk)
    then = min(rest, key=lambda name: rest[name].risk)
    rows = f"the {counted(count, 'row')} with the largest losses"
    if first == then:
        return passed(f"{first} has the smallest risk with and without {rows}")
    lead, se = gain(rest[then], rest[first])
    text = (
        f"{first} has the smallest risk on {WORDS[judge or '']} ({show(whole[first].risk):.4g}, {then} "
        f"{show(whole[then].risk):.4g}); without {rows} it is {then} ({show(rest[then].risk):.4g}, {first} "
        f"{show(rest[first].risk):.4g})"
    )
    z = NormalDist().inv_cdf(0.5 + context.level / 2) * WITHOUT_PAIRS**0.5
    if se is None or lead <= z * se:
        return passed(f"{text}, which is no clear lead")
    return failed(f"{text}. Look at these rows before you trust the choice, or use absolute loss")
