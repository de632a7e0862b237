"""Least squares by the solver that scikit-learn calls, without its checks.

Studies with subsets of features make thousands of small fits, and the checks take most of the time.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import lstsq
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.predict import predict
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

WELL_CONDITIONED = 1e-5
"""Smallest over largest singular value. Below it scikit-learn itself fits, because its versions
differ in which singular values they treat as zero."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit each θ on one training set; θ is a set of columns, for example."""
    yield from run_path(problem, thetas, "fit_intercept", _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    for unfitted in path.models:
        model: Any = unfitted
        x_mean = path.train.mean(axis=0) if model.fit_intercept else 0.0
        y_mean = path.target.mean() if model.fit_intercept else 0.0
        centred, responses = path.train - x_mean, path.target - y_mean
        coef, _, rank, singular = lstsq(centred, responses, check_finite=False, overwrite_a=True)
        if singular[-1] <= WELL_CONDITIONED * singular[0]:
            model.fit(path.train, path.target)
            yield model, predict(model, path.held, None)
            continue
        model.coef_, model.rank_, model.singular_ = coef, rank, singular
        model.intercept_ = float(y_mean - np.sum(x_mean * model.coef_))
        model.n_features_in_ = path.train.shape[1]
        yield model, Predictions(value=path.held @ model.coef_ + model.intercept_)
