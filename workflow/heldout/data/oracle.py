"""What every oracle is: a generative model p(x, y) that knows the true risk of any predictor.

Given x the expected loss of a prediction is known exactly for every loss, so that only x has to be
integrated: in closed form for affine predictors of Gaussian features, on an even grid for one
feature, else over fresh rows. The Monte Carlo error of a true risk comes from x alone.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.measures.losses import Loss
from heldout.predictions import Predictions

Sample = tuple[np.ndarray, np.ndarray]
"""Features and target (numbers, or class indices)."""


@dataclass(frozen=True)
class Oracle(ABC):
    """A distribution of rows. Subclasses define how x is drawn, and y given x."""

    params: dict[str, Any]

    @property
    def features(self) -> int:
        """The number of features."""
        return int(self.params["features"])

    @property
    @abstractmethod
    def classes(self) -> list[str] | None:
        """The labels, or None for regression."""

    @abstractmethod
    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Rows from the model."""

    def integration_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """Rows of x whose mean expected loss is the risk."""
        return self.draw(n, generator)[0]

    integration_is_exact = False
    """Whether these rows are a grid, without Monte Carlo error."""

    @abstractmethod
    def expected_losses(self, loss: Loss, rows: np.ndarray, predictions: Predictions) -> np.ndarray:
        """E[ℓ(y, prediction) | x] for each row."""

    @abstractmethod
    def best(self, rows: np.ndarray) -> Predictions:
        """The predictions of the best predictor: none has a smaller risk."""

    def control_variate(self, loss: Loss, rows: np.ndarray, target: np.ndarray) -> float:
        """Mean loss of the best predictor on a sample minus its expectation given x: of mean zero."""
        best = self.best(rows)
        return float((loss(target, best) - self.expected_losses(loss, rows, best)).mean())

    def affine_risk(self, loss: Loss, weights: np.ndarray, intercept: float) -> float | None:
        """The risk of the predictor wx + b in closed form, or None where there is none."""
        return None
