"""Least squares as scikit-learn solves it, without what stands around it: small fits come in thousands."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import lstsq
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.generic import predict
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

WELL_CONDITIONED = 1e-5
"""Below it, which singular values count as zero is left to scikit-learn, whose versions differ in that."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Each θ (a set of columns, say) of one training set."""
    yield from run_path(problem, thetas, "fit_intercept", _fit)


def _fit(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    for unfitted in stretch.models:
        model: Any = unfitted
        x_mean = stretch.train.mean(axis=0) if model.fit_intercept else 0.0
        y_mean = stretch.target.mean() if model.fit_intercept else 0.0
        centred, responses = stretch.train - x_mean, stretch.target - y_mean
        coef, _, rank, singular = lstsq(centred, responses, check_finite=False, overwrite_a=True)
        if singular[-1] <= WELL_CONDITIONED * singular[0]:
            model.fit(stretch.train, stretch.target)
            yield model, predict(model, stretch.held, None)
            continue
        model.coef_, model.rank_, model.singular_ = coef, rank, singular
        model.intercept_ = float(y_mean - np.sum(x_mean * model.coef_))
        model.n_features_in_ = stretch.train.shape[1]
        yield model, Predictions(value=stretch.held @ model.coef_ + model.intercept_)
