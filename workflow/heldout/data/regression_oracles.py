"""Oracles of regression: a known function of x plus noise."""

from abc import abstractmethod
from functools import cached_property

import numpy as np

from heldout.data.oracle import Oracle, Sample, normal_quadrature
from heldout.measures.loss import Loss
from heldout.predictions import Predictions


class Regression(Oracle):
    """y = g(x) + noise, Gaussian unless a subclass says otherwise."""

    @property
    def classes(self) -> None:
        """None: a number is predicted."""
        return None

    @property
    def noise(self) -> float:
        """The standard deviation σ of y given x."""
        return float(self.params["noise"])

    @abstractmethod
    def known(self, rows: np.ndarray) -> np.ndarray:
        """g(x): mean and median of y."""

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features, then noise."""
        rows = self.draw_rows(n, generator)
        return rows, self.known(rows) + self.draw_noise(n, generator)

    def draw_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """x alone."""
        return generator.normal(size=(n, self.features))

    def draw_noise(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """y − g(x)."""
        return self.noise * generator.normal(size=n)

    def best_given(self, known: np.ndarray) -> Predictions:
        """g(x)."""
        return Predictions(value=known)

    def losses_given(self, loss: Loss, known: np.ndarray, said: Predictions) -> np.ndarray:
        """With δ = f(x) − g(x): δ² + σ², or the mean of |δ − noise|."""
        assert said.value is not None
        gap = said.value - known
        if loss.name == "squared":
            return gap**2 + self.noise**2
        return self.mean_distance(gap)

    def best_risk(self, loss: Loss) -> tuple[float, float]:
        """The same for every x, so it is known exactly."""
        return float(self.best_losses(loss, np.zeros(1))[0]), 0.0

    def mean_distance(self, gap: np.ndarray) -> np.ndarray:
        """E|δ − noise|."""
        return mean_distance_to_normal(gap, self.noise)


class GaussianLinear(Regression):
    """y = xβ + ε with x ~ N(0, (1−ρ)I + ρ11ᵀ), ε ~ N(0, σ²), or Student's t with variance σ²."""

    @property
    def tails(self) -> float | None:
        """The degrees of freedom of the noise; None if it is Gaussian."""
        return self.params["tails"]

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

    def known(self, rows: np.ndarray) -> np.ndarray:
        """xβ."""
        return rows @ self.beta

    def draw_noise(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """Gaussian, or Student's t scaled to the same variance."""
        if self.tails is None:
            return super().draw_noise(n, generator)
        return self._unit * generator.standard_t(self.tails, size=n)

    @property
    def _unit(self) -> float:
        """What Student's t is multiplied by: its variance is ν/(ν − 2)."""
        assert self.tails is not None
        return self.noise * float(np.sqrt(1 - 2 / self.tails))

    def mean_distance(self, gap: np.ndarray) -> np.ndarray:
        """For Student's t: E|T − a| = 2(ν + a²)/(ν − 1)·f(a) + a·(2F(a) − 1)."""
        if self.tails is None or self.noise == 0:
            return super().mean_distance(gap)
        from scipy.special import beta, stdtr

        ratio, degrees = gap / self._unit, self.tails
        top = 1 / (np.sqrt(degrees) * beta(degrees / 2, 0.5))
        density = top * (1 + ratio**2 / degrees) ** (-(degrees + 1) / 2)
        spread = 2 * (degrees + ratio**2) / (degrees - 1) * density
        return np.asarray(self._unit * (spread + ratio * (2 * stdtr(degrees, ratio) - 1)))

    def affine_risk(self, loss: Loss, weights: np.ndarray, intercept: float) -> float | None:
        """σ² + (w−β)ᵀΣ(w−β) + b² for squared loss; E|N(b, v) − noise| for absolute loss."""
        gap, share = weights - self.beta, float(self.params.get("correlation", 0.0))
        spread = (1 - share) * float(gap @ gap) + share * float(gap.sum()) ** 2
        if loss.name == "squared":
            return spread + self.noise**2 + intercept**2
        if self.tails is None:
            total = np.sqrt(spread + self.noise**2)
            return float(mean_distance_to_normal(np.array(intercept), total))
        return self._absolute_risk(intercept, float(np.sqrt(spread)))

    def _absolute_risk(self, intercept: float, spread: float) -> float:
        """The mean over δ ~ N(b, v) of what is known given δ, by Gauss–Hermite quadrature."""
        nodes, weights = normal_quadrature()
        return float(weights @ self.mean_distance(intercept + spread * nodes))


class Friedman(Regression):
    """y = 10 sin(πx₁x₂) + 20(x₃ − ½)² + 10x₄ + 5x₅ + ε, x uniform on [0, 1]; the other x do not count."""

    def draw_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """Uniform."""
        return generator.random(size=(n, self.features))

    def known(self, rows: np.ndarray) -> np.ndarray:
        """Friedman's function."""
        one, two, three, four, five = rows[:, :5].T
        return 10 * np.sin(np.pi * one * two) + 20 * (three - 0.5) ** 2 + 10 * four + 5 * five


class Polynomial(Regression):
    """y = Σ cₖxᵏ + ε, x uniform on [−1, 1] (an example of the model-selection curve)."""

    integration_is_exact = True

    @property
    def features(self) -> int:
        """One."""
        return 1

    def draw_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """Uniform."""
        return generator.uniform(-1, 1, size=(n, 1))

    def known(self, rows: np.ndarray) -> np.ndarray:
        """The curve."""
        return np.polynomial.polynomial.polyval(rows[:, 0], self.params["coefficients"])

    def integration_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """The midpoints of n equal parts of [−1, 1]."""
        return ((np.arange(n) + 0.5) / n * 2 - 1)[:, None]


def mean_distance_to_normal(gap: np.ndarray, noise: float) -> np.ndarray:
    """E|δ − N(0, σ²)|; |δ| where σ is 0."""
    if noise == 0:
        return np.abs(gap)
    from scipy.special import erf

    ratio = gap / (noise * np.sqrt(2))
    return np.asarray(noise * np.sqrt(2 / np.pi) * np.exp(-(ratio**2)) + gap * erf(ratio))
