"""The predictions of every row by models that have not seen it, as a DataFrame."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.errors import HeldoutError
from heldout.estimates.lookup import available_kind
from heldout.predictions import joined
from heldout.resampling.kinds import FOLDS
from heldout.resampling.split import TRAIN
from heldout.results.cell import OpenedCells
from heldout.results.predictions import kind_of
from heldout.results.rows_frame import rows_frame

if TYPE_CHECKING:
    import pandas as pd

FOLD = re.compile(r"k\d+\.r(\d+)\.f(\d+)")


def out_of_fold(cells: OpenedCells, learner: str, theta: Any = None) -> "pd.DataFrame":
    """Collect the predictions of rows that their models have not seen.

    Those of folds; else of rows left out one at a time, of blocks of time, or of the development set.

    Parameters
    ----------
    cells
        The cells of the task.
    learner, theta
        Whose predictions; without θ, those of the selected one.

    Returns
    -------
    pandas.DataFrame
        A row for each row of each repeat, as `rows_frame` makes it; for folds also `repeat` and `fold`.
    """
    table = cells.table
    chosen = cells.theta(learner, theta)
    kind = kind_of(list(table.resamples))
    if kind is None:
        raise HeldoutError(
            f"task '{cells.task.name}' holds no rows out in folds, one by one, in blocks or in a development "
            "set: name kfold under estimators, and run: heldout run"
        )
    found = available_kind(kind, table.resamples)
    assert found is not None
    rows, sets, said = list[np.ndarray](), list[str](), []
    for resample in table.resamples[found].values():
        predictions = table.predictions(learner, chosen, resample)
        held = [name for name in resample.held if name != TRAIN]
        rows += [resample.held[name] for name in held]
        sets += [name for name in held for _ in range(len(resample.held[name]))]
        said += [predictions[name] for name in held]
    frame = rows_frame(table.table, table.loss, np.concatenate(rows), sets, joined(said))
    if kind == FOLDS:
        numbers = [[int(one) for one in match.groups()] for name in sets if (match := FOLD.fullmatch(name))]
        frame[["repeat", "fold"]] = numbers
    return frame
