"""Oracles: generative models p(x, y) that know the true risk of any predictor.

Given x the expected loss of a prediction is known exactly for every loss, so that only x has to be
integrated: in closed form for affine predictors of Gaussian features, on an even grid for one
feature, else over fresh rows. The Monte Carlo error of a true risk comes from x alone.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from heldout.measures.losses import CLIP, Loss
from heldout.names import seed_for
from heldout.predictions import Predictions

CLASSES = ["no", "yes"]
Sample = tuple[np.ndarray, np.ndarray]
"""Features and target (numbers, or class indices)."""


@dataclass(frozen=True)
class Oracle(ABC):
    """A distribution of rows. Subclasses say how x is drawn and what y is, given x."""

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
    def expected_losses(self, loss: Loss, rows: np.ndarray, said: Predictions) -> np.ndarray:
        """E[ℓ(y, prediction) | x] for each row."""

    @abstractmethod
    def best(self, rows: np.ndarray) -> Predictions:
        """What the model itself would say: no predictor has a smaller risk."""

    def luck(self, loss: Loss, rows: np.ndarray, target: np.ndarray) -> float:
        """How much more than expected the best predictor loses on a sample: of mean zero."""
        said = self.best(rows)
        return float((loss(target, said) - self.expected_losses(loss, rows, said)).mean())

    def affine_risk(self, loss: Loss, weights: np.ndarray, intercept: float) -> float | None:
        """The risk of the predictor wx + b in closed form, or None where there is none."""
        return None


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

    def expected_losses(self, loss: Loss, rows: np.ndarray, said: Predictions) -> np.ndarray:
        """With δ = f(x) − g(x): δ² + σ², or the mean of |δ + noise|."""
        assert said.value is not None
        gap = said.value - self.mean(rows)
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
        """Independent parts and a common one."""
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


class Classification(Oracle):
    """Two classes; `share_of_yes` is P(y = yes | x)."""

    @property
    def classes(self) -> list[str]:
        """no and yes."""
        return CLASSES

    @abstractmethod
    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """P(yes | x)."""

    def best(self, rows: np.ndarray) -> Predictions:
        """The true probabilities, and the likelier class."""
        yes = self.share_of_yes(rows)
        label = (yes > 0.5).astype(np.int64)
        return Predictions(label=label, proba=np.column_stack([1 - yes, yes]))

    def expected_losses(self, loss: Loss, rows: np.ndarray, said: Predictions) -> np.ndarray:
        """The loss of each class, weighed by its probability given x."""
        yes = self.share_of_yes(rows)
        if loss.name == "zero_one":
            assert said.label is not None
            return np.where(said.label == 1, 1 - yes, yes)
        assert said.proba is not None
        shares = np.column_stack([1 - yes, yes])
        if loss.name == "brier":
            return (said.proba**2).sum(axis=1) - 2 * (shares * said.proba).sum(axis=1) + 1
        return -(shares * np.log(np.clip(said.proba, CLIP, 1.0))).sum(axis=1)


class TwoGaussians(Classification):
    """x ~ N(±μ, I), μ = distance/2 along the first feature."""

    @property
    def _half(self) -> float:
        return float(self.params["distance"]) / 2

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Labels, then features."""
        yes = generator.random(n) < self.params["share"]
        rows = generator.normal(size=(n, self.features))
        rows[:, 0] += np.where(yes, self._half, -self._half)
        return rows, yes.astype(np.int64)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """Bayes: the logit is 2μx₁ + ln(π/(1−π))."""
        share = float(self.params["share"])
        return _logistic(2 * self._half * rows[:, 0] + np.log(share / (1 - share)))

    def affine_risk(self, loss: Loss, weights: np.ndarray, intercept: float) -> float | None:
        """Zero-one: π·Φ(−(b + wμ)/‖w‖) + (1−π)·Φ((b − wμ)/‖w‖)."""
        if loss.name != "zero_one":
            return None
        from scipy.special import ndtr

        share, norm = float(self.params["share"]), float(np.linalg.norm(weights))
        if norm == 0:
            return 1 - share if intercept > 0 else share
        shift = float(weights[0]) * self._half
        missed, false = ndtr(-(intercept + shift) / norm), ndtr((intercept - shift) / norm)
        return float(share * missed + (1 - share) * false)


class Mixture(Classification):
    """Each class a mixture of Gaussians of one width; some labels are flipped."""

    @cached_property
    def centres(self) -> np.ndarray:
        """(class, component, feature): part of the model, so the same for every seed."""
        count = int(self.params["components"])
        seed = seed_for(0, "mixture", str(count), str(self.features))
        drawn = np.random.default_rng(seed).normal(size=(2, count, self.features))
        return float(self.params["spread"]) * drawn

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """A class, a component, a point around its centre, and perhaps the wrong label."""
        label = generator.integers(2, size=n)
        component = generator.integers(self.centres.shape[1], size=n)
        around = float(self.params["width"]) * generator.normal(size=(n, self.features))
        flipped = generator.random(n) < self.params["label_noise"]
        return self.centres[label, component] + around, np.where(flipped, 1 - label, label)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """(1−ε)·p(yes | x) + ε·p(no | x)."""
        gaps = ((rows[:, None, None, :] - self.centres) ** 2).sum(axis=-1)
        logs = -gaps / (2 * float(self.params["width"]) ** 2)
        densities = np.exp(logs - logs.max(axis=(1, 2), keepdims=True)).sum(axis=2)
        clean, flip = densities[:, 1] / densities.sum(axis=1), float(self.params["label_noise"])
        return (1 - flip) * clean + flip * (1 - clean)


class Noise(Classification):
    """Nothing can be learnt: with equal shares every classifier errs half the time."""

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features and labels, independent."""
        rows = generator.normal(size=(n, self.features))
        return rows, (generator.random(n) < self.params["share"]).astype(np.int64)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """The same everywhere."""
        return np.full(len(rows), float(self.params["share"]))


class SparseLogistic(Classification):
    """A logistic model in which few of many features count."""

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features, then labels."""
        rows = generator.normal(size=(n, self.features))
        return rows, (generator.random(n) < self.share_of_yes(rows)).astype(np.int64)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """1/(1 + exp(−xβ))."""
        count = int(self.params["informative"])
        return _logistic(float(self.params["strength"]) * rows[:, :count].sum(axis=1))


def _logistic(values: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    return np.asarray(expit(values))


ORACLES: dict[str, type[Oracle]] = {
    "gaussian_linear": GaussianLinear,
    "polynomial": Polynomial,
    "two_gaussians": TwoGaussians,
    "mixture": Mixture,
    "noise": Noise,
    "sparse_logistic": SparseLogistic,
}


def oracle_of(name: str, params: dict[str, Any]) -> Oracle:
    """The oracle with this name."""
    return ORACLES[name](params)


def feature_names(oracle: Oracle) -> list[str]:
    """x1, x2, …"""
    return [f"x{i + 1}" for i in range(oracle.features)]
