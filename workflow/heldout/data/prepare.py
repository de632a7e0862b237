"""From the user's table to sealed and unsealed rows, checked before anything is fitted.

The rows are sealed first; names, types and levels are inferred from the unsealed rows only,
so nothing that is written outside the vault depends on a sealed value.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.prepared import ROWS, write_prepared
from heldout.data.read import draw_table, read_table
from heldout.data.request import Request
from heldout.data.schema import Schema, Target, infer_column, infer_target
from heldout.errors import HeldoutError, did_you_mean
from heldout.files import write_atomic
from heldout.names import seed_for
from heldout.resampling.draw import draw_part

SOURCE_ROW = "__row__"
MIN_ROWS = 4


def prepare(request: Request, data_folder: Path, vault: Path) -> dict[str, Any]:
    """Read, check, seal and write; returns the facts about the unsealed table."""
    table = _read(request)
    _check_columns(request, table)
    _check_target(request, table)
    open_rows, sealed = _seal(request, table)
    part = table.take(pa.array(open_rows))
    schema, notes = _infer_schema(request, part)
    _check_kind(request, schema, table)
    rows = _rows(request, part, open_rows)
    features = schema.encode(part)
    target = schema.target.encode(_column(part, request.target))
    _check_finite(features, schema, rows["source"], request.data)
    _check_sealed(request, schema, sealed)
    _check_classes(schema, target)
    facts = {
        "task": request.task,
        "source": request.data,
        "source_rows": table.num_rows,
        "n": len(target),
        "sealed": sealed.num_rows,
        "groups": request.groups,
        "fold_column": request.fold_column,
        "notes": notes,
        "schema": schema.as_json(),
    }
    _write_sealed(vault / "sealed.parquet", sealed)
    write_prepared(data_folder, facts, features, target, rows)
    return facts


def _read(request: Request) -> pa.Table:
    if request.oracle is None:
        return read_table(request.data, list(request.missing))
    return draw_table(request.data, request.oracle, seed_for(request.seed, request.task, "oracle"))


def _column(table: pa.Table, name: str) -> pa.Array:
    return table.column(name).combine_chunks()


def _check_columns(request: Request, table: pa.Table) -> None:
    known = table.column_names
    wanted = {
        "target": [request.target],
        "groups": [request.groups] if request.groups else [],
        "kfold.column": [request.fold_column] if request.fold_column else [],
        "drop": list(request.drop),
        "categories": list(request.categories),
    }
    for key, names in wanted.items():
        for name in names:
            if name not in known:
                raise HeldoutError(
                    f"{key}: no column '{name}' in {request.data}{did_you_mean(name, known)}"
                )
    if not _feature_names(request, table):
        raise HeldoutError(
            f"{request.data} has no feature column besides the target '{request.target}'"
        )
    if table.num_rows < MIN_ROWS:
        raise HeldoutError(
            f"data: {request.data} has {table.num_rows} rows; at least {MIN_ROWS} are needed"
        )


def _feature_names(request: Request, table: pa.Table) -> list[str]:
    apart = {request.target, request.groups, request.fold_column, *request.drop}
    return [name for name in table.column_names if name not in apart]


def _check_target(request: Request, table: pa.Table) -> None:
    """Missing, infinite or constant targets, and targets with a class for every row."""
    values = _column(table, request.target)
    bad = pc.is_null(values, nan_is_null=True).to_numpy(zero_copy_only=False)
    if bad.any():
        raise HeldoutError(
            f"target '{request.target}' is missing in {bad.sum()} of {len(bad)} rows "
            f"(first: {_first_rows(bad)}); remove these rows from {request.data}"
        )
    target = infer_target(request.target, values, request.classification)
    if target.classes is None:
        infinite = ~np.isfinite(target.encode(values))
        if infinite.any():
            raise HeldoutError(
                f"target '{request.target}' is not finite in {infinite.sum()} rows "
                f"(first: {_first_rows(infinite)}); mend or remove these rows in {request.data}"
            )
    elif len(target.classes) == len(values):
        raise HeldoutError(
            f"target '{request.target}' has as many classes as rows ({len(values)}); is it an "
            "identifier, or a number that wants loss: squared?"
        )
    if len(pc.unique(values)) < 2:
        raise HeldoutError(
            f"target '{request.target}' is constant ({values[0].as_py()!r} in all rows): nothing to learn"
        )


def _first_rows(bad: np.ndarray) -> str:
    return ", ".join(f"row {i + 1}" for i in np.flatnonzero(bad)[:5])


def _seal(request: Request, table: pa.Table) -> tuple[np.ndarray, pa.Table]:
    """The numbers of the unsealed rows, and the sealed rows as they were read."""
    everything = np.arange(table.num_rows)
    if isinstance(request.test, str):
        return everything, _with_row_numbers(_read_test(request, table), None)
    if request.test == 0:
        return everything, _with_row_numbers(table.slice(0, 0), everything[:0])
    target = _target(request, table)
    values = _column(table, request.target)
    strata = target.encode(values) if target.classification and request.stratify else None
    sealed = draw_part(
        units=_units(request, table),
        strata=strata,
        fraction=request.test,
        seed=seed_for(request.seed, request.task, "seal"),
    )
    if not 0 < len(sealed) < table.num_rows:
        raise HeldoutError(
            f"test: a share of {request.test} of {table.num_rows} rows seals none or all"
        )
    return np.setdiff1d(everything, sealed), _with_row_numbers(table.take(pa.array(sealed)), sealed)


def _read_test(request: Request, table: pa.Table) -> pa.Table:
    test = read_table(str(request.test), list(request.missing))
    absent = [
        n for n in (*_feature_names(request, table), request.target) if n not in test.column_names
    ]
    if absent:
        raise HeldoutError(f"test: {request.test} lacks the columns {', '.join(absent)}")
    bad = _unusable(_column(test, request.target), _target(request, table))
    if bad.any():
        raise HeldoutError(
            f"test: target '{request.target}' is missing or no finite number in {bad.sum()} rows of "
            f"{request.test} (first: {_first_rows(bad)}); mend or remove these rows"
        )
    return test


def _target(request: Request, table: pa.Table) -> Target:
    return infer_target(request.target, _column(table, request.target), request.classification)


def _unusable(values: pa.Array, target: Target) -> np.ndarray:
    if target.classification:
        return pc.is_null(values, nan_is_null=True).to_numpy(zero_copy_only=False)
    return ~np.isfinite(target.encode(values))


def _with_row_numbers(table: pa.Table, numbers: np.ndarray | None) -> pa.Table:
    numbers = np.arange(table.num_rows) if numbers is None else numbers
    return table.append_column(SOURCE_ROW, pa.array(numbers, pa.int64()))


def _units(request: Request, table: pa.Table) -> np.ndarray:
    """For each row the number of its group, or of itself."""
    if request.groups is None:
        return np.arange(table.num_rows)
    groups = _column(table, request.groups)
    absent = pc.is_null(groups, nan_is_null=True).to_numpy(zero_copy_only=False)
    if absent.any():
        raise HeldoutError(f"groups: '{request.groups}' is missing in {_first_rows(absent)}")
    return _dense_codes(groups)


def _dense_codes(values: pa.Array) -> np.ndarray:
    return pc.dictionary_encode(values).indices.to_numpy().astype(np.int64)


def _rows(request: Request, part: pa.Table, open_rows: np.ndarray) -> np.ndarray:
    rows = np.empty(part.num_rows, ROWS)
    rows["source"] = open_rows
    rows["unit"] = _units(request, part)
    rows["fold"] = -1
    if request.fold_column:
        rows["fold"] = _user_folds(request.fold_column, part, rows["unit"], request.groups)
    return rows


def _user_folds(name: str, part: pa.Table, units: np.ndarray, groups: str | None) -> np.ndarray:
    values = _column(part, name)
    absent = pc.is_null(values, nan_is_null=True).to_numpy(zero_copy_only=False)
    if absent.any():
        raise HeldoutError(f"kfold.column: '{name}' is missing in {absent.sum()} unsealed rows")
    labels = values.to_pylist()
    levels = sorted(set(labels), key=_fold_order)
    if len(levels) < 2:
        raise HeldoutError(f"kfold.column: '{name}' holds one fold only; K must be at least 2")
    number = {level: i for i, level in enumerate(levels)}
    folds = np.array([number[label] for label in labels], np.int64)
    if groups is not None:
        _check_groups_whole(folds, units, _column(part, groups), name, groups)
    return folds


def _fold_order(label: Any) -> tuple[float, str]:
    try:
        return float(label), str(label)
    except (TypeError, ValueError):
        return float("inf"), str(label)


def _check_groups_whole(
    folds: np.ndarray, units: np.ndarray, labels: pa.Array, column: str, groups: str
) -> None:
    first = np.full(units.max() + 1, -1)
    first[units[::-1]] = folds[::-1]
    torn = np.flatnonzero(first[units] != folds)
    if len(torn):
        raise HeldoutError(
            f"kfold.column: group {labels[int(torn[0])].as_py()!r} of '{groups}' lies in two folds of "
            f"'{column}'; a group must stay whole"
        )


def _infer_schema(request: Request, part: pa.Table) -> tuple[Schema, list[str]]:
    columns, notes = [], []
    for name in _feature_names(request, part):
        column = infer_column(name, _column(part, name), name in request.categories)
        if column is None:
            notes.append(f"column '{name}' is empty and not used")
            continue
        if len(column.levels) > max(50, part.num_rows // 2):
            notes.append(
                f"column '{name}' has {len(column.levels)} different texts in {part.num_rows} rows: "
                "an identifier? Consider drop"
            )
        columns.append(column)
    if not columns:
        raise HeldoutError(f"{request.data}: every feature column is empty")
    target = infer_target(request.target, _column(part, request.target), request.classification)
    return Schema(tuple(columns), target, tuple(request.missing)), notes


def _check_finite(
    features: np.ndarray, schema: Schema, row_numbers: np.ndarray, source: str
) -> None:
    for i, column in enumerate(schema.columns):
        infinite = np.flatnonzero(np.isinf(features[:, i]))
        if len(infinite):
            raise HeldoutError(
                f"column '{column.name}' is infinite in {len(infinite)} rows (first: row "
                f"{row_numbers[infinite[0]] + 1}); mend these values in {source}, or leave them empty"
            )


def _check_sealed(request: Request, schema: Schema, sealed: pa.Table) -> None:
    """The test must not fail after all the fits; nothing but an error tells of these rows."""
    source = request.test if isinstance(request.test, str) else request.data
    _check_finite(schema.encode(sealed), schema, sealed.column(SOURCE_ROW).to_numpy(), source)


def _check_kind(request: Request, schema: Schema, table: pa.Table) -> None:
    """Types come from the unsealed rows, but a text among the sealed targets must not be lost."""
    if _target(request, table).classification and not schema.target.classification:
        raise HeldoutError(
            f"target '{request.target}' is a number in all unsealed rows and a text in a sealed one; "
            f"mend it in {request.data}, or set loss: zero_one"
        )


def _check_classes(schema: Schema, target: np.ndarray) -> None:
    if schema.target.classes is not None and len(np.unique(target)) < 2:
        raise HeldoutError(
            f"target '{schema.target.name}': the unsealed rows hold one class only; seal fewer rows"
        )


def _write_sealed(path: Path, sealed: pa.Table) -> None:
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, lambda file: parquet.write_table(sealed, file))
