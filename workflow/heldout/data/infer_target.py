"""What kind of target a column is: classes, or a number."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from heldout.data import guess
from heldout.data.arrow_values import is_date, is_text, numbers, parses, plain, present_in, texts_of
from heldout.data.guess import Hints
from heldout.data.schema import Column, Target
from heldout.errors import HeldoutError

EXACT = 2.0**53
"""Below this every whole number has a float of its own."""


def infer_target(
    name: str,
    values: pa.Array,
    classification: bool | None,
    hints: Hints = Hints(),  # noqa: B008
) -> Target:
    """The target from the given rows: its classes, or a number.

    Parameters
    ----------
    name, values
        The column.
    classification
        Whether it is a class; None to find out.
    hints
        How the file spells plain numbers.

    Returns
    -------
    Target
        Amounts and percentages are numbers.

    Examples
    --------
    >>> infer_target("y", pa.array(["$1,200", "$30"]), None).spelling
    'money'
    >>> infer_target("y", pa.array(["b", "a"]), None).classes
    ('a', 'b')
    """
    found = plain(name, values)
    numeric = parses(found) and not pa.types.is_boolean(found.type) and not is_date(found.type)
    declared = pa.types.is_dictionary(values.type)
    amount = None if numeric or classification or declared else _amount(name, found, hints)
    if classification is None:
        classification = declared or not (numeric or amount)
    if classification:
        return Target(name, _classes(found, numeric))
    if amount is not None:
        return Target(name, None, amount.spelling, amount.decimal, amount.thousands)
    if is_date(found.type):
        raise HeldoutError(
            f"target '{name}' holds dates, not numbers; make it a number of days or years"
        )
    if not numeric:
        raise HeldoutError(
            f"target '{name}' is not a number everywhere; for classes set loss: zero_one"
        )
    return Target(name, None)


def _amount(name: str, values: pa.Array, hints: Hints) -> Column | None:
    present = present_in(values)
    if not len(present) or not is_text(present.type):
        return None
    return guess.amount(name, pc.unique(present), hints)


def _classes(values: pa.Array, numeric: bool) -> tuple[Any, ...]:
    """The labels in order: numbers, each once however it is spelled, or texts."""
    if numeric and not pa.types.is_temporal(values.type):
        found = set(numbers(values).to_pylist())
        if all(abs(number) < EXACT for number in found):
            return tuple(int(n) if n.is_integer() else n for n in sorted(found))
    return tuple(sorted(set(texts_of(values).to_pylist())))
