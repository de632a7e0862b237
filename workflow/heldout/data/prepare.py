"""From the user's table to sealed and unsealed rows, checked before anything is fitted.

The rows are sealed first; names, types and levels are inferred from the unsealed rows only,
so nothing that is written outside the vault depends on a sealed value.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from heldout.data.grouping import numbered_rows
from heldout.data.infer import Found, infer_columns
from heldout.data.input_checks import (
    check_classes,
    check_columns,
    check_finite,
    check_target,
    check_target_kind,
    target_of,
)
from heldout.data.kinds import CATEGORY
from heldout.data.prepared import WEIGHTED_ROWS, write_prepared
from heldout.data.read import draw_table, read_table
from heldout.data.request import Request
from heldout.data.schema import Schema, values_of
from heldout.data.sealing import check_sealed, seal
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
    schema, notes = _infer_schema(request, unsealed, source)
    check_target_kind(request, schema, table)
    rows = numbered_rows(request, unsealed, source)
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
        "weights": request.weights if rows.dtype == WEIGHTED_ROWS else None,
        "notes": [*notes, *_notes_on_weights(request, rows)],
        "schema": schema.as_json(),
    }
    write_sealed(vault, sealed, request.private)
    write_prepared(data_folder, facts, features, target, rows, schema.strings(unsealed))
    return facts


def _read(request: Request) -> pa.Table:
    if request.oracle is None:
        return read_table(request.data, list(request.missing))
    return draw_table(request.data, request.oracle, seed_for(request.seed, request.task, "oracle"))


def _notes_on_weights(request: Request, rows: np.ndarray) -> list[str]:
    if request.weights is None or rows.dtype == WEIGHTED_ROWS:
        return []
    same = f"weights: '{request.weights}' is the same in all unsealed rows"
    return [f"{same}, which counts as no weights"]


def _infer_schema(
    request: Request, unsealed: pa.Table, source: np.ndarray
) -> tuple[Schema, list[str]]:
    """The types of the columns, and notes on what was guessed, is empty or looks like an identifier."""
    asked = {**dict.fromkeys(request.categories, CATEGORY), **request.types}
    names = request.feature_names(unsealed.column_names)
    found = infer_columns(unsealed, names, asked, rows=source)
    if not found.columns:
        raise HeldoutError(f"{request.data}: every feature column is empty")
    target = target_of(request, unsealed)
    schema = Schema(tuple(found.columns), target, tuple(request.missing))
    return schema, [*found.notes, *_notes_on_identifiers(found, unsealed.num_rows)]


def _notes_on_identifiers(found: Found, rows: int) -> list[str]:
    suggested = " ".join(found.notes)
    return [
        f"column '{column.name}' has {column.count} different texts in {rows} rows: "
        "an identifier? Consider drop"
        for column in found.columns
        if column.count > rows // 2 and f"types: {{{column.name}: text}}" not in suggested
    ]
