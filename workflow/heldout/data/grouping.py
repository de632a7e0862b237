"""What is known of each row besides features and target: its unit, the user's own fold, its weight."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.arrow_values import labels_of
from heldout.data.input_checks import first_rows
from heldout.data.prepared import WEIGHT, rows_with
from heldout.data.request import Request
from heldout.data.schema import is_missing, values_of
from heldout.data.weighting import differing_weights
from heldout.errors import HeldoutError


def units_of(request: Request, table: pa.Table, numbers: np.ndarray | None = None) -> np.ndarray:
    """For each row the number of its group, or of itself; `numbers` are those of the rows in the source."""
    if request.groups is None:
        return np.arange(table.num_rows)
    groups = values_of(table, request.groups)
    absent = is_missing(groups)
    if absent.any():
        raise HeldoutError(
            f"groups: '{request.groups}' is missing in {first_rows(absent, numbers)}"
        )
    return pc.dictionary_encode(labels_of(groups)).indices.to_numpy().astype(np.int64)


def numbered_rows(request: Request, unsealed: pa.Table, source: np.ndarray) -> np.ndarray:
    """For each unsealed row its number in the source table, its unit, the user's own fold, its weight."""
    weights = differing_weights(request.weights, unsealed)
    rows = np.empty(unsealed.num_rows, rows_with(*([] if weights is None else [WEIGHT])))
    if weights is not None:
        rows[WEIGHT] = weights
    rows["source"] = source
    rows["unit"] = units_of(request, unsealed, source)
    rows["fold"] = -1
    if request.fold_column:
        rows["fold"] = _user_folds(request.fold_column, unsealed, rows["unit"], request.groups)
    return rows


def _user_folds(name: str, unsealed: pa.Table, units: np.ndarray, groups: str | None) -> np.ndarray:
    values = values_of(unsealed, name)
    absent = is_missing(values)
    if absent.any():
        raise HeldoutError(f"kfold.column: '{name}' is missing in {absent.sum()} unsealed rows")
    labels = labels_of(values).to_pylist()
    levels = sorted(set(labels), key=_fold_order)
    if len(levels) < 2:
        raise HeldoutError(f"kfold.column: '{name}' holds one fold only; K must be at least 2")
    number = {level: i for i, level in enumerate(levels)}
    folds = np.array([number[label] for label in labels], np.int64)
    if groups is not None:
        _check_groups_whole(folds, units, values_of(unsealed, groups), name, groups)
    return folds


def _fold_order(label: Any) -> tuple[float, str]:
    """Numbers in their order, whether written as numbers or as text; then texts."""
    try:
        return float(label), str(label)
    except (TypeError, ValueError):
        return float("inf"), str(label)


def _check_groups_whole(
    folds: np.ndarray, units: np.ndarray, labels: pa.Array, column: str, groups: str
) -> None:
    first = np.full(units.max() + 1, -1)
    first[units[::-1]] = folds[::-1]
    divided = np.flatnonzero(first[units] != folds)
    if len(divided):
        raise HeldoutError(
            f"kfold.column: group {labels[int(divided[0])].as_py()!r} of '{groups}' lies in two folds of "
            f"'{column}'; a group must stay whole"
        )
