"""What every oracle is: a generative model p(x, y) that knows the true risk of any predictor.

Given x the expected loss of a prediction is known exactly for every loss, so that only x has to be
integrated: in closed form for affine predictors of Gaussian features, on an even grid for one
feature, else over fresh rows. The Monte Carlo error of a true risk comes from x alone. On fresh rows only the excess over
the best predictor is averaged, which varies less than a loss; the best risk is known far more precisely.
"""

import functools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.measures.loss import Loss
from heldout.names import seed_for
from heldout.predictions import Predictions

Sample = tuple[np.ndarray, np.ndarray]
"""Features and target (numbers, or class indices)."""

PART, PARTS = 5_000, 20
"""Rows that the risk of the best predictor is computed on, in parts that need little memory."""
NODES = 100
"""Of Gauss–Hermite quadrature: smooth functions need fewer."""


@functools.cache
def normal_quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights: Σ w·f(node) is the mean of f over N(0, 1)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()


@dataclass(frozen=True)
class Oracle(ABC):
    """A distribution of rows. Subclasses define how x is drawn, and y given x."""

    params: dict[str, Any]

    @property
    def features(self) -> int:
        """The number of features."""
        return int(self.params["features"])

    @property
    def levels(self) -> list[list[str]]:
        """The levels of each feature that is a category, none for a number."""
        return [[] for _ in range(self.features)]

    grouped = False
    """Whether rows come in groups, and the risk is that for rows of new groups."""

    def units(self, n: int) -> np.ndarray:
        """For each of n rows that are drawn the number of its group, or of itself."""
        return np.arange(n)

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
    def known(self, rows: np.ndarray) -> np.ndarray:
        """What is known of y given x: the probability of each class, or the mean."""

    @abstractmethod
    def losses_given(self, loss: Loss, known: np.ndarray, said: Predictions) -> np.ndarray:
        """E[ℓ(y, prediction) | x] for each row, from what is known of y there."""

    def expected_losses(self, loss: Loss, rows: np.ndarray, said: Predictions) -> np.ndarray:
        """E[ℓ(y, prediction) | x] for each row."""
        return self.losses_given(loss, self.known(rows), said)

    @abstractmethod
    def best_given(self, known: np.ndarray) -> Predictions:
        """The predictions of the best predictor, from what is known of y."""

    def best(self, rows: np.ndarray) -> Predictions:
        """The predictions of the best predictor: none has a smaller risk."""
        return self.best_given(self.known(rows))

    def best_losses(self, loss: Loss, known: np.ndarray) -> np.ndarray:
        """The expected losses of the best predictor, from what is known of y."""
        return self.losses_given(loss, known, self.best_given(known))

    def best_risk(self, loss: Loss) -> tuple[float, float]:
        """The risk of the best predictor and its Monte Carlo error; from many rows, once."""
        if loss.name not in self._best_risks:
            generator = np.random.default_rng(seed_for(0, "best"))
            parts = [
                self.best_losses(loss, self.known(self.integration_rows(PART, generator)))
                for _ in range(PARTS)
            ]
            losses = np.concatenate(parts)
            error = 0.0 if self.integration_is_exact else losses.std() / np.sqrt(len(losses))
            self._best_risks[loss.name] = float(losses.mean()), float(error)
        return self._best_risks[loss.name]

    @functools.cached_property
    def _best_risks(self) -> dict[str, tuple[float, float]]:
        return {}

    def control_variate(self, loss: Loss, rows: np.ndarray, target: np.ndarray) -> float:
        """Mean loss of the best predictor on a sample minus its expectation given x: of mean zero."""
        known = self.known(rows)
        best = self.best_given(known)
        return float((loss(target, best) - self.losses_given(loss, known, best)).mean())

    def affine_risk(self, loss: Loss, weights: np.ndarray, intercept: float) -> float | None:
        """The risk of the predictor wx + b in closed form, or None where there is none."""
        return None
