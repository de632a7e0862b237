"""Predictions for sealed rows come back as they were, whatever a model gives."""

from dataclasses import replace

import numpy as np
import pytest
from pyarrow import parquet

from heldout.predictions import Predictions
from heldout.selection.sealed_predictions import (
    FILE,
    SealedPredictions,
    read_predictions,
    write_predictions,
)

PREDICTIONS = {
    "labels": Predictions(label=np.array([0, 1, 1])),
    "probabilities of two": Predictions(label=np.array([0, 1, 1]), proba=np.eye(3)[:, :2]),
    "decision values": Predictions(label=np.array([0, 1, 1]), decision=np.array([0.1, -2, 3])),
    "decision values of three": Predictions(label=np.array([0, 1, 2]), decision=np.eye(3) / 7),
    "numbers": Predictions(value=np.array([0.1, 1e300, -5])),
}


def found(predictions, classes=None):
    numbers = np.array([5, 8, 2])
    target = np.array([0.5, 1, 2]) if classes is None else np.array([0, 1, 1])
    return SealedPredictions(numbers, np.array([0, 0, 1]), target, predictions, classes)


@pytest.mark.parametrize("predictions", PREDICTIONS.values(), ids=PREDICTIONS)
def test_what_was_written_is_read(tmp_path, predictions):
    given = found(predictions, None if predictions.value is not None else ["no", 1, True])
    write_predictions(tmp_path, given)
    read = read_predictions(tmp_path)
    assert read.classes == given.classes
    for name in ("row", "unit", "target"):
        assert getattr(read, name).tolist() == getattr(given, name).tolist()
        assert getattr(read, name).dtype == getattr(given, name).dtype
    assert read.predictions.arrays().keys() == predictions.arrays().keys()
    for name, array in predictions.arrays().items():
        again = read.predictions.arrays()[name]
        assert again.shape == array.shape
        assert again.tobytes() == array.tobytes()


def test_rows_that_stayed_sealed(tmp_path):
    none = np.arange(0)
    write_predictions(tmp_path, SealedPredictions(none, none, none, Predictions(), ["a"]))
    assert len(read_predictions(tmp_path)) == 0


@pytest.mark.parametrize("weight", [None, np.array([0.5, 0, 2])], ids=["alike", "weighted"])
def test_weights_are_stored_where_there_are_some(tmp_path, weight):
    given = replace(found(PREDICTIONS["numbers"]), weight=weight)
    write_predictions(tmp_path, given)
    read = read_predictions(tmp_path)
    assert ("weight" in parquet.read_schema(tmp_path / FILE).names) == (weight is not None)
    assert read.weight is None if weight is None else read.weight.tolist() == weight.tolist()
    assert read.predictions.arrays().keys() == {"value"}
