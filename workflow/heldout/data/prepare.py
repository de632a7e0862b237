"""From the user's table to sealed and unsealed rows, checked before anything is fitted.

The rows are sealed first; names, types and levels are inferred from the unsealed rows only,
so nothing that is written outside the vault depends on a sealed value.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from heldout.data.grouping import numbered_rows
from heldout.data.guess import hints_of
from heldout.data.infer import Found, infer_columns
from heldout.data.input_checks import (
    check_classes,
    check_columns,
    check_finite,
    check_target,
    check_target_kind,
    rows_with_target,
    target_of,
)
from heldout.data.kinds import CATEGORY
from heldout.data.notes import Note, worded
from heldout.data.prepared import TIME, WEIGHT, write_prepared
from heldout.data.read import read_raw
from heldout.data.read_notes import (
    notes_on,
    notes_on_constants,
    notes_on_empty_rows,
    reading_facts,
    with_new_names,
    without_constants,
)
from heldout.data.read_oracle import draw_table
from heldout.data.read_values import refined
from heldout.data.request import Request
from heldout.data.schema import Schema, values_of
from heldout.data.sealed_facts import facts_of, write_facts
from heldout.data.sealing import check_sealed, seal
from heldout.data.time_order import facts_about, with_times
from heldout.data.time_spelling import typed_times
from heldout.data.unused import unused_columns
from heldout.data.vault import write_sealed
from heldout.data.weighting import check_some_weight, check_weights
from heldout.errors import HeldoutError
from heldout.names import seed_for


def prepare(
    request: Request, data_folder: Path, vault: Path, given: pa.Table | None = None
) -> dict[str, Any]:
    """Read a task's table, check it, seal rows, and write sealed and unsealed rows.

    Parameters
    ----------
    request
        What the config says about the table.
    data_folder
        Where the unsealed rows go, as `heldout.data.prepared.open_prepared` reads them.
    vault
        Where the sealed rows go.
    given
        The table, as `heldout.data.read.raw_of` gives one that is in memory; None: it is read.

    Returns
    -------
    dict
        The facts about the table: `n` unsealed and `sealed` rows, `notes` for the user, the
        `schema` of the columns, and where the rows come from.

    Examples
    --------
    >>> request = Request("irises", 19, "sklearn:iris", "target", test=0.2)
    >>> facts = prepare(request, folder / "data", folder / "vault")
    >>> facts["n"], facts["sealed"], facts["schema"]["target"]["classes"]
    (120, 30, ('setosa', 'versicolor', 'virginica'))
    """
    apart = _read_and_seal(request, given)
    request, unsealed, sealed, source = apart.request, apart.unsealed, apart.sealed, apart.source
    schema, notes = _infer_schema(request, unsealed, source)
    check_target_kind(request, schema, apart.classification)
    rows = numbered_rows(request, unsealed, source)
    time = None
    if request.time is not None:
        rows = with_times(rows, request.time, unsealed)
        judged = 0 if isinstance(request.test, str) else sealed.num_rows
        time, more = facts_about(request, unsealed, apart.with_target - len(source) - judged)
        notes += more
    schema, features, constant = without_constants(schema, schema.encode(unsealed))
    strings = schema.strings(unsealed)
    target = schema.target.encode(values_of(unsealed, request.target))
    check_finite(features, schema, rows["source"], request.data)
    sealed_features = check_sealed(request, schema, sealed)
    check_classes(schema, target)
    facts = {
        "task": request.task,
        "source": request.data,
        "source_rows": apart.source_rows,
        "reading": apart.reading,
        "n": len(target),
        "sealed": sealed.num_rows,
        "constant": constant,
        "groups": request.groups,
        "fold_column": request.fold_column,
        "weights": request.weights if WEIGHT in (rows.dtype.names or ()) else None,
        TIME: time,
        "notes": [
            *apart.notes,
            *notes,
            *notes_on_constants(constant),
            *notes_on_empty_rows(schema, features, unsealed, source),
            *_notes_on_weights(request, rows),
        ],
        "missing": _missing(schema, features, strings),
        "schema": schema.as_json(),
    }
    write_sealed(vault, sealed, request.private)
    counts = facts_of(request, schema, (features, sealed_features), unsealed, sealed)
    write_facts(vault, counts, request.private)
    unused = unused_columns(request, unsealed)
    write_prepared(data_folder, facts, features, target, rows, strings, unused)
    return facts


class _Apart(NamedTuple):
    """The sealed and the unsealed rows, and what has to be known of the table that they come from."""

    request: Request
    unsealed: pa.Table
    sealed: pa.Table
    source: np.ndarray
    """The number of each unsealed row."""
    source_rows: int
    with_target: int
    """How many rows have a target."""
    classification: bool
    """Whether the target looks like a class in all of them."""
    reading: dict[str, Any]
    notes: list[str]


def _read_and_seal(request: Request, given: pa.Table | None) -> _Apart:
    """Read, check and seal; the whole table is given up then, for it may take much memory."""
    raw = _read(request) if given is None else given
    whole = refined(raw, request.reading)
    request = with_new_names(request, whole)
    check_columns(request, whole)
    numbers = rows_with_target(request, whole)
    table = whole.take(pa.array(numbers)) if len(numbers) < whole.num_rows else whole
    check_target(request, table, numbers)
    request, table = typed_times(request, table, request.data, numbers)
    check_weights(request.weights, table, request.data, numbers)
    places, sealed = seal(request, raw, table, numbers)
    whole_table = np.array_equal(places, np.arange(table.num_rows))
    unsealed = table if whole_table else table.take(pa.array(places))  # a copy
    check_some_weight(request.weights, unsealed, "unsealed")
    check_some_weight(request.weights, sealed, "sealed")
    return _Apart(
        request,
        unsealed,
        sealed,
        numbers[places],
        whole.num_rows,
        table.num_rows,
        target_of(request, table).classification,
        reading_facts(whole, numbers),
        notes_on(request, whole, numbers),
    )


def _read(request: Request) -> pa.Table:
    if request.oracle is None:
        return read_raw(request.data, request.reading)
    return draw_table(request.data, request.oracle, seed_for(request.seed, request.task, "oracle"))


def _missing(schema: Schema, features: np.ndarray, strings: pa.Table) -> dict[str, int]:
    """How many values are missing, by column; columns without missing values are left out."""
    counts = np.isnan(features).sum(axis=0).tolist()
    found = {column.name: count for column, count in zip(schema.columns, counts, strict=True)}
    found |= {name: strings.column(name).null_count for name in strings.column_names}
    return {name: count for name, count in found.items() if count}


def _notes_on_weights(request: Request, rows: np.ndarray) -> list[str]:
    if request.weights is None or WEIGHT in (rows.dtype.names or ()):
        return []
    same = f"weights: '{request.weights}' is the same in all unsealed rows"
    return [f"{same}, which counts as no weights"]


def _infer_schema(
    request: Request, unsealed: pa.Table, source: np.ndarray
) -> tuple[Schema, list[str]]:
    """The types of the columns, and notes on what was guessed, is empty or looks like an identifier."""
    asked = {**dict.fromkeys(request.categories, CATEGORY), **request.types}
    names = request.feature_names(unsealed.column_names)
    found = infer_columns(unsealed, names, asked, hints_of(unsealed), source)
    if not found.columns:
        raise HeldoutError(f"{request.data}: every feature column is empty")
    target = target_of(request, unsealed)
    schema = Schema(tuple(found.columns), target, tuple(request.missing))
    return schema, worded([*found.notes, *_identifiers(found, unsealed.num_rows)])


def _identifiers(found: Found, rows: int) -> list[Note]:
    """Notes on columns with a different text in most rows, other than those that look like free text."""
    texts = {note.column for note in found.notes if note.sort == "text"}
    return [
        Note(
            "identifier",
            column.name,
            f"has {column.count} different texts in {rows} rows: an identifier? Consider drop",
        )
        for column in found.columns
        if column.count > rows // 2 and column.name not in texts
    ]
