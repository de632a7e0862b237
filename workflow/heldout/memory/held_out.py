"""What models predicted for rows that they had not seen, as a DataFrame."""

import re
from typing import TYPE_CHECKING

import numpy as np

from heldout.errors import HeldoutError
from heldout.estimates.lookup import available_kind
from heldout.estimates.loss_table import LossTable
from heldout.names import Theta
from heldout.resampling.kinds import FOLDS, PREFIXES
from heldout.resampling.split import TRAIN, Resample

if TYPE_CHECKING:
    import pandas as pd

FOLD = re.compile(r"k\d+\.r(\d+)\.f(\d+)")


def out_of_fold(loss_table: LossTable, learner: str, theta: Theta) -> "pd.DataFrame":
    """Collect the predictions for rows that their models have not seen: of folds, or of blocks of time.

    Parameters
    ----------
    loss_table
        The losses of a task.
    learner, theta
        Whose predictions.

    Returns
    -------
    pandas.DataFrame
        `row` (as in the splits), `source_row` (the position in the table as it was given), `target`, `prediction`,
        `p_CLASS` where there are probabilities, `loss`, `set`, and of folds `repeat` and `fold`. Losses of a score
        are pseudo-losses, whose mean over a set is its risk.

    Examples
    --------
    >>> out_of_fold(loss_table, "mean", {"shrink": 0.0})["row"].tolist()
    [0, 3, 1, 4, 2, 5]
    """
    import pandas as pd

    resamples = loss_table.resamples
    kind = PREFIXES if PREFIXES in resamples else available_kind(FOLDS, resamples)
    if kind is None:
        raise HeldoutError("no folds were fitted; add kfold to the estimators")
    parts = [_part(loss_table, learner, theta, one) for one in resamples[kind].values()]
    frame = pd.concat(parts, ignore_index=True)
    found = [FOLD.fullmatch(name) for name in frame["set"]]
    if all(found):
        frame["repeat"], frame["fold"] = ([int(one[i]) for one in found if one] for i in (1, 2))
    return frame


def _part(table: LossTable, learner: str, theta: Theta, resample: Resample) -> "pd.DataFrame":
    import pandas as pd

    said = table.predictions(learner, theta, resample)
    losses = table.losses(learner, theta, resample)
    parts = []
    for name in [one for one in resample.held if one != TRAIN]:
        rows, one = resample.held[name], said[name]
        columns = {
            "row": rows,
            "source_row": table.table.rows["source"][rows],
            "target": _labelled(table, table.table.target[rows]),
            "prediction": _labelled(table, one.label if one.value is None else one.value),
        }
        for i, label in enumerate(table.table.classes or []):
            if one.proba is not None:
                columns[f"p_{label}"] = one.proba[:, i]
        parts.append(pd.DataFrame({**columns, "loss": losses[name], "set": name}))
    return pd.concat(parts, ignore_index=True)


def _labelled(table: LossTable, values: np.ndarray | None) -> np.ndarray | None:
    classes = table.table.classes
    return values if classes is None or values is None else np.asarray(classes, object)[values]
