"""What the final model predicted for the sealed rows, stored when they were opened.

Any loss, metric or level can be computed from it later: that is no new look at the rows.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.data.arrow_values import labels_of, values_of
from heldout.data.prepared import TIME
from heldout.data.schema import schema_from_json
from heldout.data.time_order import times_of
from heldout.data.vault import SOURCE_ROW
from heldout.data.weighting import differing_weights
from heldout.files import write_atomic
from heldout.predictions import Predictions
from heldout.selection.final import Predictor

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "predictions.parquet"
CLASSES = b"classes"
WEIGHT = "weight"


@dataclass(frozen=True)
class SealedPredictions:
    """Sealed rows as they were judged: no features.

    `row`: their numbers in the source; `unit`: the group of each, or itself; `target`: numbers, or
    positions in `classes`, which is None for regression; `weight`: None if all rows are alike; `time`: None
    if they are in no time order.
    """

    row: np.ndarray
    unit: np.ndarray
    target: np.ndarray
    predictions: Predictions
    classes: list[Any] | None
    weight: np.ndarray | None = None
    time: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.row)


def predict_sealed(
    predictor: Predictor,
    sealed: "pa.Table",
    groups: str | None,
    weights: str | None = None,
    time: str | None = None,
) -> SealedPredictions:
    """Apply the final model to sealed rows.

    Parameters
    ----------
    predictor
        The final model.
    sealed
        The sealed rows; none where they may not be opened.
    groups
        The column whose rows belong together, if there is one.
    weights
        The column of the rows' weights, if there is one.
    time
        The column that puts rows in time order, if there is one.

    Returns
    -------
    SealedPredictions
        What can be stored.
    """
    target = schema_from_json(predictor.schema).target
    return SealedPredictions(
        row=sealed.column(SOURCE_ROW).to_numpy(),
        unit=_units(sealed, groups),
        target=target.encode(sealed.column(target.name).combine_chunks()),
        predictions=predictor.predictions(sealed, sealed=True)
        if sealed.num_rows
        else Predictions(),
        classes=predictor.classes,
        weight=differing_weights(weights, sealed),
        time=None if time is None else _times(sealed, time),
    )


def _units(sealed: "pa.Table", groups: str | None) -> np.ndarray:
    """The group of each row; the row itself where there are no groups."""
    if groups is None or groups not in sealed.column_names:
        return np.arange(sealed.num_rows)
    names = np.array(labels_of(values_of(sealed, groups)).to_pylist(), str)
    return np.unique(names, return_inverse=True)[1]


def _times(sealed: "pa.Table", name: str) -> np.ndarray:
    return times_of(name, sealed.column(name).combine_chunks()).values


def write_predictions(vault: Path, found: SealedPredictions) -> None:
    """Write predictions for sealed rows.

    Parameters
    ----------
    vault
        A folder.
    found
        The predictions.

    Examples
    --------
    >>> one = np.arange(2)
    >>> found = SealedPredictions(one, one, one, Predictions(proba=np.eye(2)), ["a", "b"])
    >>> write_predictions(folder, found)
    >>> read_predictions(folder).predictions.proba.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    import pyarrow as pa
    from pyarrow import parquet

    columns = {"row": found.row, "unit": found.unit, "target": found.target}
    columns |= {} if found.weight is None else {WEIGHT: found.weight}
    columns |= {} if found.time is None else {TIME: found.time}
    columns |= found.predictions.arrays()
    table = pa.table({name: _as_column(array) for name, array in columns.items()})
    table = table.replace_schema_metadata({CLASSES: json.dumps(found.classes)})
    vault.mkdir(parents=True, exist_ok=True)
    write_atomic(vault / FILE, lambda file: parquet.write_table(table, file))


def read_predictions(vault: Path) -> SealedPredictions:
    """Read predictions for sealed rows.

    Parameters
    ----------
    vault
        A folder.

    Returns
    -------
    SealedPredictions
        What `write_predictions` wrote; without rows if the opening was refused.

    Examples
    --------
    >>> none = np.arange(0)
    >>> write_predictions(folder, SealedPredictions(none, none, none, Predictions(), None))
    >>> len(read_predictions(folder))
    0
    """
    from pyarrow import parquet

    with parquet.ParquetFile(vault / FILE) as file:
        table = file.read()
    arrays = {name: _as_array(table.column(name).combine_chunks()) for name in table.column_names}
    row, unit, target = (arrays.pop(name) for name in ("row", "unit", "target"))
    classes = json.loads(table.schema.metadata[CLASSES])
    weight, time = arrays.pop(WEIGHT, None), arrays.pop(TIME, None)
    return SealedPredictions(row, unit, target, Predictions(**arrays), classes, weight, time)


def _as_column(array: np.ndarray) -> "pa.Array":
    import pyarrow as pa

    if array.ndim == 1:
        return pa.array(array)
    return pa.FixedSizeListArray.from_arrays(pa.array(array.reshape(-1)), array.shape[1])


def _as_array(column: "pa.Array") -> np.ndarray:
    import pyarrow as pa

    if not pa.types.is_fixed_size_list(column.type):
        return column.to_numpy()
    return column.flatten().to_numpy().reshape(len(column), -1)
