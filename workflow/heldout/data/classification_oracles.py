"""Oracles of two classes, whose probabilities given x are known."""

from abc import abstractmethod
from functools import cached_property

import numpy as np

from heldout.data.oracle import Oracle, Sample
from heldout.measures.losses import CLIP, Loss
from heldout.names import seed_for
from heldout.predictions import Predictions

CLASSES = ["no", "yes"]


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

    def expected_losses(self, loss: Loss, rows: np.ndarray, predictions: Predictions) -> np.ndarray:
        """The loss of each class, weighed by its probability given x."""
        yes = self.share_of_yes(rows)
        if loss.name == "zero_one":
            assert predictions.label is not None
            return np.where(predictions.label == 1, 1 - yes, yes)
        assert predictions.proba is not None
        shares = np.column_stack([1 - yes, yes])
        if loss.name == "brier":
            return (
                (predictions.proba**2).sum(axis=1)
                - 2 * (shares * predictions.proba).sum(axis=1)
                + 1
            )
        return -(shares * np.log(np.clip(predictions.proba, CLIP, 1.0))).sum(axis=1)


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
        """A class, a component, a point around its centre; some labels are flipped."""
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
    """Labels that do not depend on x: with equal shares every classifier has risk one half."""

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
