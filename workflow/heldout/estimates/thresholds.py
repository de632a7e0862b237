"""Cells whose labels are decided by a threshold: a source of a loss table, without a fit."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.errors import HeldoutError
from heldout.measures.thresholds import THRESHOLD, without_threshold
from heldout.names import Theta, canonical
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

if TYPE_CHECKING:
    from heldout.estimates.loss_table import Cells

ROWS = 2_000_000
"""About how many predicted rows are kept in memory: less than 100 MB."""


def decided(said: Predictions, threshold: float, positive: int) -> Predictions:
    """Decide the labels of two classes by a threshold.

    Parameters
    ----------
    said
        Predictions with probabilities.
    threshold
        A row gets the positive class where its probability is at least this.
    positive
        The position of the positive class, 0 or 1.

    Returns
    -------
    Predictions
        The same with other labels.

    Raises
    ------
    HeldoutError
        If there are no probabilities of two classes.

    Examples
    --------
    >>> said = Predictions(label=np.array([0, 0, 1]), proba=np.array([[0.9, 0.1], [0.8, 0.2], [0, 1]]))
    >>> decided(said, 0.2, positive=1).label
    array([0, 1, 1])
    """
    if said.proba is None or said.label is None or said.proba.shape[1] != 2:
        raise HeldoutError("threshold: needs the probabilities of two classes")
    label = np.where(said.proba[:, positive] >= threshold, positive, 1 - positive)
    return replace(said, label=label.astype(said.label.dtype))


@dataclass(frozen=True)
class ThresholdedCells:
    """Cells of θ with a threshold, from those of θ without it.

    The cells of the last θ stay in memory, because its thresholds are asked for one after another.

    Parameters
    ----------
    cells
        The cells that were fitted.
    positive
        The position of the positive class.
    """

    cells: "Cells"
    positive: int
    _kept: dict[tuple[str, str], dict[str, Predictions]] = field(default_factory=dict)

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        """The predictions of a cell, one held-out set after another."""
        said = self._fitted(learner, without_threshold(theta), resample)
        return decided(said, theta[THRESHOLD], self.positive)

    def _fitted(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        place = learner, canonical(theta)
        if place not in self._kept:
            self._kept.clear()
        cells = self._kept.setdefault(place, {})
        if resample.name not in cells:
            found = self.cells.predictions(learner, theta, resample)
            if sum(map(_size, cells.values())) + _size(found) > ROWS:
                cells.clear()
            cells[resample.name] = found
        return cells[resample.name]


def _size(said: Predictions) -> int:
    return 0 if said.label is None else len(said.label)
