"""The logistic loss of two classes, and the multinomial one of more, as functions of the scores."""

import numpy as np


class Loss:
    """The loss of a set of rows.

    Parameters
    ----------
    codes
        The class of each row, from 0.
    classes
        The number of classes. Two have one column of scores, that of the second class; more have
        one column each.
    weights
        The weight of each row.

    Examples
    --------
    >>> loss = Loss(np.array([0, 1]), 2, np.ones(2))
    >>> total, shares = loss.at(np.zeros((2, 1)))
    >>> float(total.round(4)), loss.slopes(shares).ravel().tolist()
    (1.3863, [0.5, -0.5])
    """

    def __init__(self, codes: np.ndarray, classes: int, weights: np.ndarray):
        self.classes, self.columns = classes, 1 if classes == 2 else classes
        self.weights = weights[:, None]
        self.weight = float(weights.sum())
        whole = codes[:, None] == np.arange(classes)
        self._truth = np.ascontiguousarray(whole[:, -self.columns :], np.float64)

    def at(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sum of the losses, and the probability of each column's class.

        The last two axes are those of a matrix of scores; of the others, one sum for each.
        """
        if self.columns == 1:
            highest = np.maximum(scores, 0.0)
            powers, chosen = np.exp(scores - highest), self._truth * scores
            total = powers + np.exp(-highest)
        else:
            highest = scores.max(axis=-1, keepdims=True)
            powers = np.exp(scores - highest)
            total = powers.sum(axis=-1, keepdims=True)
            chosen = (self._truth * scores).sum(axis=-1, keepdims=True)
        losses = self.weights * (np.log(total) + highest - chosen)
        return losses[..., 0].sum(axis=-1), powers / total

    def slopes(self, shares: np.ndarray) -> np.ndarray:
        """The derivative of each row's loss by its scores."""
        return np.asarray(self.weights * (shares - self._truth))
