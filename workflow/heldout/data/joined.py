"""The unsealed rows and the sealed ones in one table, after the test: for the model that is shipped.

Columns, types, levels and classes are those of the unsealed rows. So sealed rows are read as new rows
are at prediction, and a sealed row of a class that the others do not have cannot be learnt from.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.arrow_values import labels_of
from heldout.data.prepared import TIME, WEIGHT, Prepared, seen_digest
from heldout.data.schema import numbers_in, schema_from_json, values_of
from heldout.data.time_order import times_of
from heldout.data.vault import SOURCE_ROW


@dataclass(frozen=True)
class Joined:
    """All rows of a task.

    Parameters
    ----------
    table
        The unsealed rows first, then the sealed ones.
    sealed
        The number of sealed rows among them.
    left_out
        Sealed rows of a class that no unsealed row has; they are not in the table.
    """

    table: Prepared
    sealed: int
    left_out: int


def join_sealed(table: Prepared, sealed: pa.Table) -> Joined:
    """Add sealed rows to the unsealed ones.

    Parameters
    ----------
    table
        The unsealed rows.
    sealed
        The sealed rows as the vault holds them.

    Returns
    -------
    Joined
        All rows, in memory, with a digest of their own.

    Examples
    --------
    >>> schema = {"columns": [], "target": {"name": "y", "classes": ["no", "yes"]}, "missing": []}
    >>> facts = {"schema": schema, "weights": None, "digest": ""}
    >>> rows = np.zeros(2, [("source", np.int64), ("unit", np.int64), ("fold", np.int64)])
    >>> table = Prepared(facts, np.zeros((2, 0)), np.array([0, 1]), rows)
    >>> joined = join_sealed(table, pa.table({"y": ["yes", "never"], SOURCE_ROW: [7, 8]}))
    >>> joined.table.target.tolist(), joined.sealed, joined.left_out
    ([0, 1, 1], 1, 1)
    """
    schema = schema_from_json(table.facts["schema"])
    target = schema.target.encode(values_of(sealed, schema.target.name))
    known = target < len(table.classes) if table.classes is not None else np.isfinite(target)
    kept = sealed.filter(pa.array(known))
    features = np.concatenate([table.features, schema.encode(kept)])
    targets = np.concatenate([table.target, target[known]])
    weights = _weights(table, kept)
    frame = pd.concat([table.frame, schema.frame(kept)], ignore_index=True)
    strings = None
    if table.strings is not None:
        strings = pa.concat_tables([table.strings, schema.strings(kept)])
    digest = seen_digest(table.facts["schema"], features, targets, weights, strings)
    whole = replace(
        table,
        facts={**table.facts, "digest": digest, "n": len(targets)},
        stored_features=features,
        target=targets,
        rows=_rows(table, kept, weights),
        weights=weights,
        stored_strings=strings,
        stored_frame=frame,
    )
    return Joined(whole, kept.num_rows, int((~known).sum()))


def _weights(table: Prepared, sealed: pa.Table) -> np.ndarray | None:
    """The weights of all rows; none where those of the unsealed rows are all alike."""
    if table.weights is None:
        return None
    column = table.facts["weights"]
    return np.concatenate([table.weights, numbers_in(column, values_of(sealed, column))])


def _rows(table: Prepared, sealed: pa.Table, weights: np.ndarray | None) -> np.ndarray:
    """Groups of sealed rows stay together: calibration divides the rows once more."""
    added = np.zeros(sealed.num_rows, table.rows.dtype)
    added["source"] = sealed.column(SOURCE_ROW).to_numpy()
    added["unit"] = _units(table, sealed) + table.rows["unit"].max(initial=-1) + 1
    if table.times is not None:
        added[TIME] = times_of(
            table.facts[TIME]["column"], values_of(sealed, table.facts[TIME]["column"])
        ).values
    added["fold"] = -1
    rows = np.concatenate([table.rows, added])
    if weights is not None:
        rows[WEIGHT] = weights
    return rows


def _units(table: Prepared, sealed: pa.Table) -> np.ndarray:
    groups = table.facts.get("groups")
    if groups is None or groups not in sealed.column_names:
        return np.arange(sealed.num_rows)
    labels = labels_of(values_of(sealed, groups))
    return pc.dictionary_encode(labels).indices.to_numpy(zero_copy_only=False)
