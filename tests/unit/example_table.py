"""The loss table that examples in docstrings use: six rows, three folds, a shrunken mean."""

import numpy as np

from heldout.data.prepared import ROWS, Prepared
from heldout.estimates.loss_table import LossTable, named_resamples
from heldout.measures.registry import LOSSES
from heldout.names import Theta
from heldout.predictions import Predictions
from heldout.resampling.kinds import FOLDS, FULL, PAIRS
from heldout.resampling.split import Resample

TARGET = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 9.0])
THETAS = [{"shrink": 0.0}, {"shrink": 0.5}]


class MeanCells:
    """Predicts (1 − shrink) times the mean of the training rows."""

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        value = (1 - theta["shrink"]) * TARGET[resample.train].mean()
        return Predictions(value=np.full(sum(map(len, resample.held.values())), value))


def example_loss_table() -> LossTable:
    """Squared losses of the learner `mean`, trained on all rows, without a fold and without two."""
    n, kinds = len(TARGET), [FULL, FOLDS, PAIRS]
    rows = np.zeros(n, ROWS)
    rows["unit"], rows["fold"] = np.arange(n), -1
    schema = {"columns": [], "target": {"name": "y", "classes": None}, "missing": []}
    table = Prepared({"schema": schema, "groups": None}, np.zeros((n, 0)), TARGET, rows)
    fold = np.array([1, 2, 3, 1, 2, 3])
    splits = {"kfold": {"repeat": np.ones(n, int), "row": np.arange(n), "fold": fold}}
    resamples = named_resamples(kinds, n, splits)
    return LossTable(table, LOSSES["squared"], {"mean": THETAS}, splits, resamples, MeanCells())
