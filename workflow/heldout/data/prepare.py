"""From the user's table to sealed and unsealed rows, checked before anything is fitted.

The rows are sealed first; names, types and levels are inferred from the unsealed rows only,
so nothing that is written outside the vault depends on a sealed value.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from heldout.data.grouping import numbered_rows
from heldout.data.input_checks import (
    check_classes,
    check_columns,
    check_finite,
    check_target,
    check_target_kind,
    target_of,
)
from heldout.data.prepared import TIME, WEIGHT, write_prepared
from heldout.data.read import draw_table, read_table
from heldout.data.request import Request
from heldout.data.schema import Schema, infer_column, values_of
from heldout.data.sealing import check_sealed, seal
from heldout.data.time_order import facts_about, with_times
from heldout.data.vault import write_sealed
from heldout.data.weighting import check_some_weight, check_weights
from heldout.errors import HeldoutError
from heldout.names import seed_for


def prepare(request: Request, data_folder: Path, vault: Path) -> dict[str, Any]:
    """Read a task's table, check it, seal rows, and write sealed and unsealed rows.

    Parameters
    ----------
    request
        What the config says about the table.
    data_folder
        Where the unsealed rows go, as `heldout.data.prepared.open_prepared` reads them.
    vault
        Where the sealed rows go.

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
    table = _read(request)
    check_columns(request, table)
    check_target(request, table)
    check_weights(request.weights, table, request.data)
    source, sealed = seal(request, table)
    unsealed = table.take(pa.array(source))
    check_some_weight(request.weights, unsealed, "unsealed")
    check_some_weight(request.weights, sealed, "sealed")
    schema, notes = _infer_schema(request, unsealed)
    check_target_kind(request, schema, table)
    rows = numbered_rows(request, unsealed, source)
    time = None
    if request.time is not None:
        rows = with_times(rows, request.time, unsealed)
        apart = 0 if isinstance(request.test, str) else sealed.num_rows
        time, more = facts_about(request, unsealed, table.num_rows - len(source) - apart)
        notes += more
    features = schema.encode(unsealed)
    target = schema.target.encode(values_of(unsealed, request.target))
    check_finite(features, schema, rows["source"], request.data)
    check_sealed(request, schema, sealed)
    check_classes(schema, target)
    facts = {
        "task": request.task,
        "source": request.data,
        "source_rows": table.num_rows,
        "n": len(target),
        "sealed": sealed.num_rows,
        "groups": request.groups,
        "fold_column": request.fold_column,
        "weights": request.weights if WEIGHT in (rows.dtype.names or ()) else None,
        TIME: time,
        "notes": [*notes, *_notes_on_weights(request, rows)],
        "schema": schema.as_json(),
    }
    write_sealed(vault, sealed, request.private)
    write_prepared(data_folder, facts, features, target, rows)
    return facts


def _read(request: Request) -> pa.Table:
    if request.oracle is None:
        return read_table(request.data, list(request.missing))
    return draw_table(request.data, request.oracle, seed_for(request.seed, request.task, "oracle"))


def _notes_on_weights(request: Request, rows: np.ndarray) -> list[str]:
    if request.weights is None or WEIGHT in (rows.dtype.names or ()):
        return []
    same = f"weights: '{request.weights}' is the same in all unsealed rows"
    return [f"{same}, which counts as no weights"]


def _infer_schema(request: Request, unsealed: pa.Table) -> tuple[Schema, list[str]]:
    """The types of the columns, and notes on those that are empty or look like identifiers."""
    columns, notes = [], []
    for name in request.feature_names(unsealed.column_names):
        column = infer_column(name, values_of(unsealed, name), name in request.categories)
        if column is None:
            notes.append(f"column '{name}' is empty and not used")
            continue
        if len(column.levels) > max(50, unsealed.num_rows // 2):
            notes.append(
                f"column '{name}' has {len(column.levels)} different texts in {unsealed.num_rows} rows: "
                "an identifier? Consider drop"
            )
        columns.append(column)
    if not columns:
        raise HeldoutError(f"{request.data}: every feature column is empty")
    return Schema(tuple(columns), target_of(request, unsealed), tuple(request.missing)), notes
