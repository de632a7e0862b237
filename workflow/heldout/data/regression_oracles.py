"""Oracles of regression: a known function of x plus Gaussian noise."""

from abc import abstractmethod
from functools import cached_property

import numpy as np

from heldout.data.oracle import Oracle, Sample
from heldout.measures.losses import Loss
from heldout.predictions import Predictions


class Regression(Oracle):
    """y = g(x) + Gaussian noise."""

    @property
    def classes(self) -> None:
        """None: a number is predicted."""
        return None

    @property
    def noise(self) -> float:
        """The standard deviation σ of y given x."""
        return float(self.params["noise"])

    @abstractmethod
    def mean(self, rows: np.ndarray) -> np.ndarray:
        """g(x)."""

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features, then noise."""
        rows = self.draw_rows(n, generator)
        return rows, self.mean(rows) + self.noise * generator.normal(size=n)

    def draw_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """x alone."""
        return generator.normal(size=(n, self.features))

    def best(self, rows: np.ndarray) -> Predictions:
        """g(x): mean and median of y."""
        return Predictions(value=self.mean(rows))

    def expected_losses(self, loss: Loss, rows: np.ndarray, predictions: Predictions) -> np.ndarray:
        """With δ = f(x) − g(x): δ² + σ², or the mean of |δ + noise|."""
        assert predictions.value is not None
        gap = predictions.value - self.mean(rows)
        if loss.name == "squared":
            return gap**2 + self.noise**2
        if self.noise == 0:
            return np.abs(gap)
        from scipy.special import erf

        ratio = gap / (self.noise * np.sqrt(2))
        return self.noise * np.sqrt(2 / np.pi) * np.exp(-(ratio**2)) + gap * erf(ratio)


class GaussianLinear(Regression):
    """y = xβ + ε with x ~ N(0, (1−ρ)I + ρ11ᵀ), ε ~ N(0, σ²)."""

    @cached_property
    def beta(self) -> np.ndarray:
        """Equal coefficients for the informative features, none for the others."""
        count = int(self.params["informative"])
        size = float(self.params["signal"]) / np.sqrt(count)
        return np.where(np.arange(self.features) < count, size, 0.0)

    def draw_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """A component of its own for each feature, and one that all share."""
        share = float(self.params["correlation"])
        own = generator.normal(size=(n, self.features))
        return np.sqrt(1 - share) * own + np.sqrt(share) * generator.normal(size=(n, 1))

    def mean(self, rows: np.ndarray) -> np.ndarray:
        """xβ."""
        return rows @ self.beta

    def affine_risk(self, loss: Loss, weights: np.ndarray, intercept: float) -> float | None:
        """σ² + (w−β)ᵀΣ(w−β) + b² for squared loss; |N(b, v)| has a known mean for absolute loss."""
        gap, share = weights - self.beta, float(self.params["correlation"])
        variance = (1 - share) * float(gap @ gap) + share * float(gap.sum()) ** 2 + self.noise**2
        if loss.name == "squared":
            return variance + intercept**2
        if variance == 0:
            return abs(intercept)
        from scipy.special import erf

        ratio = intercept / np.sqrt(2 * variance)
        spread = np.sqrt(2 * variance / np.pi) * np.exp(-(ratio**2))
        return float(spread + intercept * erf(ratio))


class Polynomial(Regression):
    """y = Σ cₖxᵏ + ε, x uniform on [−1, 1]: the figure of the notes."""

    integration_is_exact = True

    @property
    def features(self) -> int:
        """One."""
        return 1

    def draw_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """Uniform."""
        return generator.uniform(-1, 1, size=(n, 1))

    def mean(self, rows: np.ndarray) -> np.ndarray:
        """The curve."""
        return np.polynomial.polynomial.polyval(rows[:, 0], self.params["coefficients"])

    def integration_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """The midpoints of n equal parts of [−1, 1]."""
        return ((np.arange(n) + 0.5) / n * 2 - 1)[:, None]
