"""Oracles of classes, whose probabilities given x are known."""

from abc import abstractmethod
from functools import cached_property

import numpy as np

from heldout.data.oracle import Oracle, Sample
from heldout.measures.loss import Loss
from heldout.measures.registry import CLIP
from heldout.names import seed_for
from heldout.predictions import Predictions

CLASSES = ["no", "yes"]


class Classification(Oracle):
    """Classes; `known` gives P(y = c | x), a column for each class."""

    @property
    @abstractmethod
    def classes(self) -> list[str]:
        """The labels, in alphabetical order."""

    def best_given(self, known: np.ndarray) -> Predictions:
        """The true probabilities, and the likeliest class."""
        return Predictions(label=known.argmax(axis=1), proba=known)

    def losses_given(self, loss: Loss, known: np.ndarray, said: Predictions) -> np.ndarray:
        """The loss of each class, weighed by its probability given x."""
        if loss.name == "zero_one":
            assert said.label is not None
            return 1 - np.take_along_axis(known, said.label[:, None], axis=1)[:, 0]
        assert said.proba is not None
        if loss.name == "brier":
            return (said.proba**2).sum(axis=1) - 2 * (known * said.proba).sum(axis=1) + 1
        return -(known * np.log(np.clip(said.proba, CLIP, 1.0))).sum(axis=1)


class TwoClasses(Classification):
    """Two classes; `share_of_yes` is P(y = yes | x)."""

    @property
    def classes(self) -> list[str]:
        """no and yes."""
        return CLASSES

    @abstractmethod
    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """P(yes | x)."""

    def known(self, rows: np.ndarray) -> np.ndarray:
        """P(no | x) and P(yes | x)."""
        yes = self.share_of_yes(rows)
        return np.column_stack([1 - yes, yes])


class TwoGaussians(TwoClasses):
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
        return logistic(2 * self._half * rows[:, 0] + np.log(share / (1 - share)))

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


class Mixture(TwoClasses):
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


class TwoMoons(Mixture):
    """Two half circles that reach into each other: mixtures of Gaussians strung along them."""

    @property
    def features(self) -> int:
        """Two."""
        return 2

    @cached_property
    def centres(self) -> np.ndarray:
        """The upper half of a circle, and the lower half of another one."""
        count = int(self.params["components"])
        angle = np.pi * (np.arange(count) + 0.5) / count
        upper = np.column_stack([np.cos(angle), np.sin(angle)])
        return np.stack([upper, [1.0, 0.5] - upper])


class Noise(TwoClasses):
    """Labels that do not depend on x: with equal shares every classifier has risk one half."""

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features and labels, independent."""
        rows = generator.normal(size=(n, self.features))
        return rows, (generator.random(n) < self.params["share"]).astype(np.int64)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """The same everywhere."""
        return np.full(len(rows), float(self.params["share"]))


class SparseLogistic(TwoClasses):
    """A logistic model in which few of many features count."""

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features, then labels."""
        rows = generator.normal(size=(n, self.features))
        return rows, (generator.random(n) < self.share_of_yes(rows)).astype(np.int64)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """1/(1 + exp(−xβ))."""
        count = int(self.params["informative"])
        return logistic(float(self.params["strength"]) * rows[:, :count].sum(axis=1))


class GaussianClasses(Classification):
    """x ~ N(μ_c, I), the means on a circle, neighbours `distance` apart; all classes equally likely."""

    @property
    def classes(self) -> list[str]:
        """c1, c2, …, in alphabetical order."""
        return numbered("c", int(self.params["classes"]))

    @cached_property
    def means(self) -> np.ndarray:
        """(class, feature)."""
        count = len(self.classes)
        angle = 2 * np.pi * np.arange(count) / count
        radius = float(self.params["distance"]) / (2 * np.sin(np.pi / count))
        means = np.zeros((count, self.features))
        means[:, 0], means[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
        return means

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Labels, then features."""
        label = generator.integers(len(self.classes), size=n)
        return self.means[label] + generator.normal(size=(n, self.features)), label

    def known(self, rows: np.ndarray) -> np.ndarray:
        """Bayes: proportional to exp(−‖x − μ_c‖²/2)."""
        from scipy.special import softmax

        return np.asarray(softmax(rows @ self.means.T - (self.means**2).sum(axis=1) / 2, axis=1))


class Categories(TwoClasses):
    """A logistic model of categories: each level has an effect, and some levels are rare."""

    @cached_property
    def effects(self) -> np.ndarray:
        """(feature, level): part of the model, so the same for every seed."""
        shape = self.features, int(self.params["levels"])
        seed = seed_for(0, "categories", *map(str, shape))
        drawn = np.random.default_rng(seed).normal(size=shape)
        return float(self.params["strength"]) / np.sqrt(self.features) * drawn

    @property
    def levels(self) -> list[list[str]]:
        """The same names for every feature."""
        return [numbered("v", int(self.params["levels"]))] * self.features

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Level r of a feature with a probability proportional to r^−skew, then labels."""
        weights = (1.0 + np.arange(int(self.params["levels"]))) ** -float(self.params["skew"])
        chances = weights / weights.sum()
        rows = generator.choice(len(chances), size=(n, self.features), p=chances).astype(float)
        return rows, (generator.random(n) < self.share_of_yes(rows)).astype(np.int64)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """1/(1 + exp(−sum of effects))."""
        return logistic(self.effects[np.arange(self.features), rows.astype(int)].sum(axis=1))


def numbered(letter: str, count: int) -> list[str]:
    """Names whose alphabetical order is that of their numbers."""
    return [f"{letter}{i + 1:0{len(str(count))}d}" for i in range(count)]


def logistic(values: np.ndarray) -> np.ndarray:
    """1/(1 + exp(−v))."""
    from scipy.special import expit

    return np.asarray(expit(values))
