"""Checks of copies: among the rows to learn from, and of these among the sealed rows."""

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.data.arrow_values import values_of
from heldout.data.copies import ComparedRows, Copies, copies_among
from heldout.data.encode import hashes
from heldout.data.kinds import TEXT
from heldout.data.prepared import Prepared
from heldout.errors import counted
from heldout.names import seed_for

IN_TIME = "rows of one time are in one block, those of different times are different"


def no_duplicates(context: Context) -> Outcome:
    """H007: of a row that occurs twice, one copy may be in the training rows and one held out."""
    table = context.loss_table.table
    if table.times is not None:
        return not_applicable(IN_TIME)
    copies = copies_among(_compared(table), seed_for(0, "H007"))
    if not copies.found:
        return passed(f"no row is a copy of another one{_sample(copies)}")
    other = "in another group" if table.grouped else "among the others"
    said = f"{_counts(copies, 'row')} a copy {other}"
    if not copies.worth_a_warning:
        return passed(f"{said}: too few to change a risk by much")
    return failed(
        f"{said}; copies may lie on both sides of a split, and risks are then too small. Remove them, or name a "
        "groups column that keeps them together"
    )


def no_sealed_copies(context: Context) -> Outcome:
    """H020: the model has seen a sealed row that is a copy of one that it was trained on."""
    if context.sealed is None:
        return not_applicable("no sealed test")
    copies = context.sealed.copies
    if copies is None:
        return not_applicable("sealed rows are of later times than the others")
    if not copies.found:
        return passed(f"no sealed row is a copy of an unsealed one{_sample(copies)}")
    said = f"{_counts(copies, 'sealed row')} a copy among the unsealed rows"
    if not copies.worth_a_warning:
        return passed(f"{said}: too few to change the test risk by much")
    return failed(
        f"{said}, on which the model was trained; the test risk may be too small. Remove copies from the table, or "
        "name a groups column that keeps them on one side"
    )


def _compared(table: Prepared) -> ComparedRows:
    columns = table.facts["schema"]["columns"]
    texts = [one["name"] for one in columns if one["kind"] == TEXT]
    return ComparedRows(
        features=table.features,
        kinds=[one["kind"] for one in columns],
        target=np.asarray(table.target),
        classes=table.classification,
        apart=np.asarray(table.rows["unit"]),
        texts=[hashes(values_of(table.strings, name)) for name in texts],
    )


def _counts(copies: Copies, what: str) -> str:
    kinds = f"{copies.exact} equal in all columns, {copies.near} nearly"
    if copies.others == 1:
        have = "has" if copies.found == 1 else "have"
        return (
            f"{copies.found} of {counted(copies.rows, what)} ({copies.share:.1%}; {kinds}) {have}"
        )
    return f"about {copies.share:.1%} of the {what}s ({kinds}{_sample(copies)}) have"


def _sample(copies: Copies) -> str:
    """How many rows were looked at, if not all."""
    return "" if copies.others == 1 else f", in a sample of {copies.rows:,}"
