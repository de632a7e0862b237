"""Checks of the table and its splits."""

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.errors import counted
from heldout.estimates.refusals import FEWEST_PER_FOLD
from heldout.resampling.kinds import FULL, RECENT
from heldout.resampling.prefixes import prefixes
from heldout.resampling.split import Resample


def all_resamples(context: Context) -> list[Resample]:
    """The resamples of the run, except those of leave-one-out and of all rows."""
    return [
        resample
        for kind, named in context.loss_table.resamples.items()
        if kind not in (FULL, RECENT)
        for resample in named.values()
        if not resample.members
    ]


def every_class_in_training(context: Context) -> Outcome:
    """H002: a model cannot predict a class that its training rows lack."""
    table = context.loss_table.table
    if not table.classification:
        return not_applicable("the target is a number")
    count = len(table.classes or [])
    target = np.asarray(table.target)
    lacking = [r.name for r in all_resamples(context) if len(np.unique(target[r.train])) < count]
    if lacking:
        extra = (
            "; cross-entropy is then as large as its clipping allows"
            if context.loss_table.loss.name == "cross_entropy"
            else ""
        )
        return failed(f"{len(lacking)} training parts lack a class (first: {lacking[0]}){extra}")
    return passed("every training part has every class")


def every_class_in_folds(context: Context) -> Outcome:
    """H003: a fold that lacks a class does not measure the errors on it."""
    table = context.loss_table.table
    if not table.classification or "kfold" not in context.loss_table.splits:
        return not_applicable("no classes, or no folds")
    target, count = np.asarray(table.target), len(table.classes or [])
    lacking = [
        partition.set_name(fold)
        for partition in context.loss_table.partitions
        for fold in range(partition.k)
        if len(np.unique(target[partition.rows(fold)])) < count
    ]
    if lacking:
        return failed(f"{len(lacking)} folds lack a class (first: {lacking[0]})")
    return passed("every fold has every class")


def enough_rows_of_classes(context: Context) -> Outcome:
    """H018: a score of classes jumps where a fold has a single row of one that it is about."""
    loss, table = context.loss_table.loss, context.loss_table.table
    folds = _folds(context)
    if not (loss.two_classes or loss.every_class) or not folds:
        return not_applicable("the loss is no score of classes, or there are no folds")
    wanted = range(len(table.classes or [])) if loss.every_class else [loss.positive or 0]
    target = np.asarray(table.target)
    counts = {
        (name, one): int((target[rows] == one).sum()) for name, rows in folds for one in wanted
    }
    (place, one), fewest = min(counts.items(), key=lambda item: item[1])
    rows = f"{place} has {counted(fewest, 'row')} of class '{(table.classes or [])[one]}'"
    if fewest < FEWEST_PER_FOLD:
        if table.times is not None:
            return failed(
                f"{rows}: {loss.label} of such a block says little; use fewer blocks (rolling.blocks)"
            )
        return failed(
            f"{rows}: {loss.label} of such a fold says little; use fewer folds, or stratify"
        )
    return passed(f"no fold has fewer: {rows}")


def _folds(context: Context) -> list[tuple[str, np.ndarray]]:
    """The rows of each fold, or of each block of time that is tested."""
    table = context.loss_table
    if "rolling" in table.splits:
        return [(f"block {one.number}", one.rows) for one in prefixes(table.splits["rolling"])]
    if "kfold" not in table.splits:
        return []
    return [
        (partition.set_name(fold), partition.rows(fold))
        for partition in table.partitions
        for fold in range(partition.k)
    ]


def enough_bags(context: Context) -> Outcome:
    """H010: a row that is in every bag has no out-of-bag loss."""
    if "bootstrap" not in context.loss_table.splits:
        return not_applicable("no bootstrap")
    split = context.loss_table.splits["bootstrap"]
    bags = len(np.unique(split["bag"]))
    never = int((np.bincount(split["row"], minlength=context.loss_table.table.n) == bags).sum())
    if never:
        return failed(
            f"{never} rows are in all {bags} bags, so .632 and .632+ leave them out; "
            "raise bootstrap.bags"
        )
    return passed(f"every row is out of some of the {bags} bags")


def every_bag_leaves_out(context: Context) -> Outcome:
    """H011: a bag that holds every row has no out-of-bag rows."""
    if "bootstrap" not in context.loss_table.splits:
        return not_applicable("no bootstrap")
    split = context.loss_table.splits["bootstrap"]
    sizes = np.bincount(split["bag"])[1:]
    empty = int((sizes == context.loss_table.table.n).sum())
    if empty:
        return failed(f"{empty} of {len(sizes)} bags leave out nothing and are not counted")
    return passed("every bag leaves something out")
