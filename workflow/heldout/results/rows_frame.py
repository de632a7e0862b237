"""Predictions of rows as a DataFrame, with the labels of the table and the loss of each row."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.data.prepared import Prepared
from heldout.measures.loss import Loss
from heldout.measures.registry import LOSSES
from heldout.predictions import Predictions

if TYPE_CHECKING:
    import pandas as pd


def rows_frame(
    table: Prepared, loss: Loss, rows: np.ndarray, sets: Sequence[str], said: Predictions
) -> "pd.DataFrame":
    """Put predictions into a DataFrame.

    Parameters
    ----------
    table
        The prepared table.
    loss
        The loss of the task.
    rows
        The row of each prediction, by its number in the prepared table.
    sets
        The held-out set of each.
    said
        The predictions.

    Returns
    -------
    pandas.DataFrame
        `row` as in `splits/*.csv`, `source_row` (the position in the table as it was given), `target`,
        `prediction`, `p_CLASS` or `decision` where the model gives them, `loss`, `weight` where rows have
        weights, `set`. A loss of whole sets has no value for a row: the column is called after the loss it
        holds instead (`zero_one`, `cross_entropy`, `squared`).

    Examples
    --------
    >>> table = Prepared({"schema": {"columns": [], "target": {"name": "y", "classes": None}}}, np.zeros((2, 0)),
    ...     np.array([1.0, 2.0]), np.array([(4,), (7,)], [("source", int)]))
    >>> frame = rows_frame(table, LOSSES["squared"], np.array([1]), ["dev"], Predictions(value=np.array([1.5])))
    >>> {name: values[0] for name, values in frame.to_dict("list").items()}
    {'row': 1, 'source_row': 7, 'target': 2.0, 'prediction': 1.5, 'loss': 0.25, 'set': 'dev'}
    """
    import pandas as pd

    by_row = plain_loss(loss, said)
    target = np.asarray(table.target)[rows]
    columns: dict[str, Any] = {
        "row": rows,
        "source_row": np.asarray(table.rows["source"])[rows],
        "target": _labels(table, target),
        "prediction": _labels(table, said.label if said.value is None else said.value),
        **_probabilities(table, said),
        "loss" if by_row is loss else by_row.name: by_row(target, said),
    }
    if table.weights is not None:
        columns["weight"] = np.asarray(table.weights)[rows]
    return pd.DataFrame({**columns, "set": list(sets)})


def plain_loss(loss: Loss, said: Predictions) -> Loss:
    """The loss itself, or, for a loss of whole sets, one that single rows have."""
    if loss.by_example:
        return loss
    labelled = "zero_one" if said.proba is None else "cross_entropy"
    return LOSSES["squared" if said.value is not None else labelled]


def _labels(table: Prepared, values: Any) -> Any:
    """Names of classes for their codes; numbers as they are."""
    if table.classes is None or values is None:
        return values
    return np.array(table.classes, dtype=object)[np.asarray(values, int)]


def _probabilities(table: Prepared, said: Predictions) -> dict[str, Any]:
    """The probability of each class, or the decision values."""
    if said.proba is not None and table.classes is not None:
        return {
            f"p_{name}": said.proba[:, i]
            for i, name in enumerate(table.classes)
            if i < said.proba.shape[1]
        }
    if said.decision is None:
        return {}
    if said.decision.ndim == 1:
        return {"decision": said.decision}
    return {f"decision_{i + 1}": said.decision[:, i] for i in range(said.decision.shape[1])}
