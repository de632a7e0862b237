"""What a fitted model predicts for some rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Predictions:
    """The predictions of one model, row by row; None for a kind that the model does not give.

    Parameters
    ----------
    label
        The predicted class of each row, as a position in the list of classes.
    proba
        The probability of each class (across) for each row (down).
    decision
        The decision function: a number per row for two classes, else a row of them.
    value
        The predicted number of each row, in regression.

    Examples
    --------
    >>> predicted = Predictions(label=np.array([0, 1, 1]))
    >>> predicted.take(slice(0, 2)).arrays()
    {'label': array([0, 1])}
    """

    label: np.ndarray | None = None
    proba: np.ndarray | None = None
    decision: np.ndarray | None = None
    value: np.ndarray | None = None

    def take(self, part: slice | np.ndarray) -> "Predictions":
        """The predictions of some of the rows."""
        return Predictions(**{k: v[part] for k, v in self.arrays().items()})

    def arrays(self) -> dict[str, np.ndarray]:
        """The kinds of predictions that the model gives, by name."""
        return {k: v for k, v in vars(self).items() if v is not None}


def joined(parts: Sequence[Predictions]) -> Predictions:
    """Put predictions of the same model, or of models of one kind, one after the other.

    Parameters
    ----------
    parts
        Predictions with the same fields.

    Returns
    -------
    Predictions
        Those of all rows. A field that some parts lack is left out.

    Examples
    --------
    >>> one, other = Predictions(value=np.zeros(1)), Predictions(value=np.ones(2))
    >>> joined([one, other]).value
    array([0., 1., 1.])
    """
    shared = set.intersection(*(set(part.arrays()) for part in parts))
    return Predictions(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in shared}
    )
