"""The true risk of a fitted model, from its predictions for probe rows.

Probe rows are appended to the rows that a cell predicts. For an affine predictor of Gaussian features
they are the origin and the standard basis, which give its coefficients and so its risk in closed form.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from heldout.data.oracle import Oracle
from heldout.data.prepared import Prepared
from heldout.learners.definition import Definition
from heldout.measures.loss import Loss, takes_weights
from heldout.measures.registry import plain_names
from heldout.predictions import Predictions

AFFINE = {
    "sklearn.linear_model.LinearRegression",
    "sklearn.linear_model.Ridge",
    "sklearn.linear_model.RidgeClassifier",
    "sklearn.linear_model.Lasso",
    "sklearn.linear_model.ElasticNet",
    "sklearn.linear_model.LogisticRegression",
    "sklearn.dummy.DummyRegressor",
}
"""Estimators that predict wx + b, or its sign."""


PARTS = 10
"""The error of a true risk without a formula is estimated on this many parts of the rows."""


class Risk(NamedTuple):
    """A true risk and its Monte Carlo error (0 where it is exact)."""

    value: float
    error: float


class Probe(Protocol):
    """Rows to predict, and the true risk that follows from the predictions."""

    @property
    def features(self) -> np.ndarray:
        """The rows."""

    def risk(self, loss: Loss, predictions: Predictions) -> Risk:
        """The true risk of a model, from its predictions for the rows."""


class Truth(Protocol):
    """Gives the true risks of the models of a draw."""

    def probe(self, learner: Definition, loss: Loss, classification: bool) -> Probe:
        """The probe for the models of a learner; the same object for learners that can share it."""

    def control_variate(self, loss: Loss, table: Prepared) -> float:
        """A number of mean zero that is correlated with the losses on the rows; 0 if none is known."""


@dataclass(frozen=True)
class OracleTruth:
    """A known distribution; the generator draws x where the risk is a mean over x."""

    oracle: Oracle
    rows: int
    generator: np.random.Generator

    def probe(self, learner: Definition, loss: Loss, classification: bool) -> Probe:
        """Closed form for affine models where the oracle has one."""
        if loss.name not in plain_names():
            return self._drawn
        zero = np.zeros(self.oracle.features)
        affine = learner.path(classification) in AFFINE and not learner.polynomial
        if affine and self.oracle.affine_risk(loss, zero, 0.0) is not None:
            return self._affine
        return self._sampled

    def control_variate(self, loss: Loss, table: Prepared) -> float:
        """The loss of the best predictor on the rows, minus its expectation; 0 where that is not known."""
        if not table.n or loss.name not in plain_names():
            return 0.0
        return self.oracle.control_variate(loss, table.features, table.target)

    @cached_property
    def _affine(self) -> "AffineProbe":
        return AffineProbe(self.oracle)

    @cached_property
    def _drawn(self) -> "DrawnProbe":
        features, target = self.oracle.draw(self.rows, self.generator)
        known = None if self.oracle.classes is None else self.oracle.known(features)
        return DrawnProbe(features, target, known)

    @cached_property
    def _sampled(self) -> "SampledProbe":
        rows = self.oracle.integration_rows(self.rows, self.generator)
        return SampledProbe(self.oracle, rows)


@dataclass(frozen=True)
class AffineProbe:
    """f(0) = b and f(eⱼ) − f(0) = wⱼ."""

    oracle: Oracle

    @cached_property
    def features(self) -> np.ndarray:
        """The origin and the standard basis."""
        count = self.oracle.features
        return np.vstack([np.zeros(count), np.eye(count)])

    def risk(self, loss: Loss, predictions: Predictions) -> Risk:
        """The exact risk."""
        values = predictions.decision if predictions.value is None else predictions.value
        assert values is not None
        found = self.oracle.affine_risk(loss, values[1:] - values[0], float(values[0]))
        assert found is not None
        return Risk(found, 0.0)


@dataclass(frozen=True)
class SampledProbe:
    """Fresh x (or a grid of it); given x, the expected loss is exact."""

    oracle: Oracle
    features: np.ndarray

    @cached_property
    def _known(self) -> np.ndarray:
        """What is known of y there: computed once for all models."""
        return self.oracle.known(self.features)

    @cached_property
    def _best_losses(self) -> dict[str, np.ndarray]:
        return {}

    def risk(self, loss: Loss, predictions: Predictions) -> Risk:
        """The risk of the best predictor, plus the mean excess over it on these rows."""
        if loss.name not in self._best_losses:
            self._best_losses[loss.name] = self.oracle.best_losses(loss, self._known)
        losses = self.oracle.losses_given(loss, self._known, predictions)
        excess = losses - self._best_losses[loss.name]
        best, error = self.oracle.best_risk(loss)
        exact = self.oracle.integration_is_exact
        own = 0.0 if exact else float(excess.std() / np.sqrt(len(excess)))
        return Risk(best + float(excess.mean()), float(np.hypot(own, error)))


@dataclass(frozen=True)
class DrawnProbe:
    """Fresh rows, for losses that the oracle has no formula for.

    Where the probability of each class given x is `known`, every row counts once as each class with this
    weight: no label is drawn. Losses that take no weights are computed on the labels that were drawn.
    """

    features: np.ndarray
    target: np.ndarray
    known: np.ndarray | None

    def risk(self, loss: Loss, predictions: Predictions) -> Risk:
        """The risk on these rows, and its error: by the spread over parts of them, for the first model."""
        rows = np.arange(len(self.target))
        if "error" not in self._known_error:
            parts = [
                self._risk(loss, predictions.take(one), one) for one in np.array_split(rows, PARTS)
            ]
            self._known_error["error"] = float(np.std(parts, ddof=1) / np.sqrt(PARTS))
        return Risk(self._risk(loss, predictions, rows), self._known_error["error"])

    @cached_property
    def _known_error(self) -> dict[str, float]:
        return {}

    def _risk(self, loss: Loss, said: Predictions, rows: np.ndarray) -> float:
        if self.known is None or not takes_weights(loss):
            return loss.risk(self.target[rows], said)
        known = self.known[rows]
        count, classes = known.shape
        target = np.repeat(np.arange(classes), count)
        tiled = said.take(np.tile(np.arange(count), classes))
        return loss.risk(target, tiled, known.T.reshape(-1))


@dataclass(frozen=True)
class PopulationTruth:
    """The rows of a table that were not drawn: both the truth and its probe."""

    features: np.ndarray
    target: np.ndarray

    def probe(self, learner: Definition, loss: Loss, classification: bool) -> "PopulationTruth":
        """The same for all learners."""
        return self

    def control_variate(self, loss: Loss, table: Prepared) -> float:
        """0, because none is known."""
        return 0.0

    def risk(self, loss: Loss, predictions: Predictions) -> Risk:
        """The risk on the rows that were not drawn."""
        if not loss.by_example:
            return DrawnProbe(self.features, self.target, None).risk(loss, predictions)
        losses = loss(self.target, predictions)
        return Risk(float(losses.mean()), float(losses.std() / np.sqrt(len(losses))))
