"""What the user's table must be like, checked before anything is fitted.

Every check raises an error that says what is wrong, in which row or column, and what to do.
"""

import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.arrow_values import plain, texts_of
from heldout.data.description import some_levels
from heldout.data.guess import hints_of
from heldout.data.infer_target import infer_target
from heldout.data.kinds import BOOLEAN, CATEGORY, NUMBER
from heldout.data.reading import found_reading
from heldout.data.request import Request
from heldout.data.schema import Schema, Target, is_missing, values_of
from heldout.errors import HeldoutError, did_you_mean

MIN_ROWS = 4


def check_columns(request: Request, table: pa.Table) -> None:
    """Every column that the config names is there, once, and there are features and rows."""
    known = table.column_names
    present, twice = set(known), repeated_names(table)
    for key, names in request.named_columns().items():
        for name in names:
            if name not in present:
                raise HeldoutError(
                    f"{key}: no column '{name}' in {request.data}{did_you_mean(name, known)}"
                )
            if name in twice:
                raise HeldoutError(
                    f"{key}: {request.data} has the column name '{name}' {twice[name]} times; give each "
                    "column a name of its own"
                )
    if not request.feature_names(known):
        raise HeldoutError(
            f"{request.data} has no feature column besides the target '{request.target}'"
        )
    _check_enough(request, table.num_rows, "")


def repeated_names(table: pa.Table) -> dict[str, int]:
    """Names that stand several times in the file, and how often."""
    renamed = found_reading(table).get("renamed", {}).values()
    return {name: 1 + count for name, count in Counter(renamed).items() if name}


def rows_with_target(request: Request, table: pa.Table, least: int = MIN_ROWS) -> np.ndarray:
    """Find the rows that have a target; all others are left out.

    Parameters
    ----------
    request
        What the config says.
    table
        The rows of the source.
    least
        How many must be left.

    Returns
    -------
    numpy.ndarray
        Their numbers in the source.

    Raises
    ------
    HeldoutError
        If rows without a target are refused, or too few others are left.

    Examples
    --------
    >>> table = pa.table({"x": range(6), "y": [1, None, 2, 3, None, 4]})
    >>> rows_with_target(Request("t", 19, "table.csv", "y"), table)
    array([0, 2, 3, 5])
    """
    bad = is_missing(values_of(table, request.target))
    if bad.all():
        raise HeldoutError(f"target '{request.target}' is missing in all rows of {request.data}")
    if bad.any() and request.missing_target == "refuse":
        raise HeldoutError(
            f"target '{request.target}' is missing in {bad.sum()} of {len(bad)} rows "
            f"(first: {first_rows(bad)}); remove these rows from {request.data}"
        )
    _check_enough(request, int((~bad).sum()), " with a target", least)
    return np.flatnonzero(~bad)


def _check_enough(request: Request, rows: int, which: str, least: int = MIN_ROWS) -> None:
    if rows < least:
        raise HeldoutError(
            f"data: {request.data} has {rows} rows{which}; at least {least} are needed"
        )


def check_target(request: Request, table: pa.Table, numbers: np.ndarray) -> None:
    """Refuse infinite or constant targets, and targets with a class for every row.

    Parameters
    ----------
    request
        What the config says.
    table
        Rows that have a target.
    numbers
        Their numbers in the source, for the message.

    Raises
    ------
    HeldoutError
        If nothing can be learnt.
    """
    values = values_of(table, request.target)
    target = target_of(request, table)
    if target.classes is None:
        infinite = ~np.isfinite(target.encode(values))
        if infinite.any():
            raise HeldoutError(
                f"target '{request.target}' is not finite in {infinite.sum()} rows "
                f"(first: {first_rows(infinite, numbers)}); mend or remove these rows in {request.data}"
            )
    elif len(target.classes) == len(values):
        raise HeldoutError(
            f"target '{request.target}' has as many classes as rows ({len(values)}); is it an "
            "identifier, or a number that needs loss: squared?"
        )
    if len(pc.unique(values)) < 2:
        raise HeldoutError(
            f"target '{request.target}' is constant ({values[0].as_py()!r} in all rows): nothing to learn"
        )


def check_test_columns(request: Request, table: pa.Table, test: pa.Table) -> None:
    """A test table of its own has the same columns."""
    needed = [*request.feature_names(table.column_names), request.target, request.weights]
    present = set(test.column_names)
    absent = [name for name in needed if name is not None and name not in present]
    if absent:
        raise HeldoutError(f"test: {request.test} lacks the columns {', '.join(absent)}")


def check_test_target(
    request: Request, table: pa.Table, test: pa.Table, numbers: np.ndarray
) -> None:
    """A test table of its own has a usable target in every row that has one, with labels spelled as in the other."""
    target = target_of(request, table)
    values = values_of(test, request.target)
    if target.classes is not None:
        _check_labels(request, target, values, numbers)
    bad = _unusable(values, target)
    if bad.any():
        raise HeldoutError(
            f"test: target '{request.target}' is missing or no finite number in {bad.sum()} rows of "
            f"{request.test} (first: {first_rows(bad, numbers)}); mend or remove these rows"
        )


def _check_labels(request: Request, target: Target, values: pa.Array, numbers: np.ndarray) -> None:
    """Refuse labels that differ from the others in their spelling only: every prediction would be an error."""
    assert target.classes is not None
    unknown = target.encode(values) == len(target.classes)
    if not unknown.any():
        return
    known = {_bare(str(label)) for label in target.classes}
    texts = texts_of(plain(request.target, values)).to_pylist()
    alike = np.array([text is not None and _bare(text) in known for text in texts])
    if unknown.all() or (unknown & alike).any():
        bad = unknown if unknown.all() else unknown & alike
        raise HeldoutError(
            f"test: target '{request.target}' has other labels in {bad.sum()} rows of {request.test} (first: "
            f"{first_rows(bad, numbers)}) than in {request.data}: spell them as there "
            f"({some_levels(target.classes)})"
        )


def _bare(label: str) -> str:
    """A label without what may differ by accident: spaces, capitals, the point of a whole number."""
    return re.sub(r"\.0+$", "", label.strip().casefold())


def check_target_kind(request: Request, schema: Schema, classification: bool) -> None:
    """Types come from the unsealed rows, but a text among the sealed targets must not be lost."""
    if classification and not schema.target.classification:
        raise HeldoutError(
            f"target '{request.target}' is a number in all unsealed rows and a text in a sealed one; "
            f"mend it in {request.data}, or set loss: zero_one"
        )


def check_finite(
    features: np.ndarray, schema: Schema, row_numbers: np.ndarray, source: str
) -> None:
    """Features may be missing, but not infinite."""
    for i in np.flatnonzero(np.isinf(features).any(axis=0)):
        infinite = np.flatnonzero(np.isinf(features[:, i]))
        raise HeldoutError(
            f"column '{schema.columns[i].name}' is infinite in {len(infinite)} rows (first: row "
            f"{row_numbers[infinite[0]] + 1}); mend these values in {source}, or leave them empty"
        )


def check_classes(schema: Schema, target: np.ndarray) -> None:
    """The unsealed rows hold two classes or more."""
    if schema.target.classes is not None and len(np.unique(target)) < 2:
        raise HeldoutError(
            f"target '{schema.target.name}': the unsealed rows hold one class only; seal fewer rows"
        )


def target_of(request: Request, table: pa.Table) -> Target:
    """The target as these rows show it, or as `types` says."""
    asked, classification = request.types.get(request.target), request.classification
    if asked not in (None, NUMBER, BOOLEAN, CATEGORY):
        raise HeldoutError(
            f"types: the target '{request.target}' is a number or a category, not {asked!r}"
        )
    if asked is not None and classification is None:
        classification = asked != NUMBER
    values = values_of(table, request.target)
    return infer_target(request.target, values, classification, hints_of(table))


def first_rows(bad: np.ndarray, numbers: np.ndarray | None = None) -> str:
    """`row 3, row 7`: the first rows that are marked, by their numbers in the source, counted from 1."""
    places = np.flatnonzero(bad)[:5]
    return ", ".join(f"row {i + 1}" for i in (places if numbers is None else numbers[places]))


def _unusable(values: pa.Array, target: Target) -> np.ndarray:
    if target.classification:
        return is_missing(values)
    return ~np.isfinite(target.encode(values))
