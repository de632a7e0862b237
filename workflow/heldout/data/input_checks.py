"""What the user's table must be like, checked before anything is fitted.

Every check raises an error that says what is wrong, in which row or column, and what to do.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.guess import hints_of
from heldout.data.infer_target import infer_target
from heldout.data.kinds import BOOLEAN, CATEGORY, NUMBER
from heldout.data.request import Request
from heldout.data.schema import Schema, Target, is_missing, values_of
from heldout.errors import HeldoutError, did_you_mean

MIN_ROWS = 4


def check_columns(request: Request, table: pa.Table) -> None:
    """Every column that the config names is there, and there are features and rows."""
    known = table.column_names
    wanted = {
        "target": [request.target],
        "groups": [request.groups] if request.groups else [],
        "kfold.column": [request.fold_column] if request.fold_column else [],
        "weights": [request.weights] if request.weights else [],
        "drop": list(request.drop),
        "categories": list(request.categories),
        "types": list(request.types),
    }
    for key, names in wanted.items():
        for name in names:
            if name not in known:
                raise HeldoutError(
                    f"{key}: no column '{name}' in {request.data}{did_you_mean(name, known)}"
                )
    if not request.feature_names(known):
        raise HeldoutError(
            f"{request.data} has no feature column besides the target '{request.target}'"
        )
    if table.num_rows < MIN_ROWS:
        raise HeldoutError(
            f"data: {request.data} has {table.num_rows} rows; at least {MIN_ROWS} are needed"
        )


def check_target(request: Request, table: pa.Table) -> None:
    """Refuse missing, infinite or constant targets, and targets with a class for every row."""
    values = values_of(table, request.target)
    bad = is_missing(values)
    if bad.any():
        raise HeldoutError(
            f"target '{request.target}' is missing in {bad.sum()} of {len(bad)} rows "
            f"(first: {first_rows(bad)}); remove these rows from {request.data}"
        )
    target = target_of(request, table)
    if target.classes is None:
        infinite = ~np.isfinite(target.encode(values))
        if infinite.any():
            raise HeldoutError(
                f"target '{request.target}' is not finite in {infinite.sum()} rows "
                f"(first: {first_rows(infinite)}); mend or remove these rows in {request.data}"
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


def check_test_table(request: Request, table: pa.Table, test: pa.Table) -> None:
    """A test table of its own has the same columns, and a usable target in every row."""
    needed = [*request.feature_names(table.column_names), request.target, request.weights]
    absent = [name for name in needed if name is not None and name not in test.column_names]
    if absent:
        raise HeldoutError(f"test: {request.test} lacks the columns {', '.join(absent)}")
    bad = _unusable(values_of(test, request.target), target_of(request, table))
    if bad.any():
        raise HeldoutError(
            f"test: target '{request.target}' is missing or no finite number in {bad.sum()} rows of "
            f"{request.test} (first: {first_rows(bad)}); mend or remove these rows"
        )


def check_target_kind(request: Request, schema: Schema, table: pa.Table) -> None:
    """Types come from the unsealed rows, but a text among the sealed targets must not be lost."""
    if target_of(request, table).classification and not schema.target.classification:
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


def first_rows(bad: np.ndarray) -> str:
    """`row 3, row 7`: the first rows that are marked, counted from 1."""
    return ", ".join(f"row {i + 1}" for i in np.flatnonzero(bad)[:5])


def _unusable(values: pa.Array, target: Target) -> np.ndarray:
    if target.classification:
        return is_missing(values)
    return ~np.isfinite(target.encode(values))
