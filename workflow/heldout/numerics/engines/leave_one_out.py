"""Leave-one-out without refitting.

Ridge and least squares by downdating: with one row removed, the centred Gram matrix is G − x xᵀ·n/(n−1), and so are the means and scales of
the remaining rows known: the standardised problem of each left-out row is solved exactly, for all λ
from one p × p eigendecomposition, whatever n. (The shortcut e_i/(1−h_ii) is the same where nothing
is scaled; scaling inside the fold breaks it, and this does not need it.)

k-NN on unscaled features: the neighbours of a row among the others are its neighbours among all but
itself. (Scaled ones move with every row that is left out.)
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from heldout.data.prepared import Prepared
from heldout.learners.definition import Definition
from heldout.names import Theta
from heldout.numerics.engines import knn
from heldout.numerics.engines.registry import LEAVE_ONE_OUT
from heldout.numerics.neighbors import nearest
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Outcome
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

RIDGE = "sklearn.linear_model.Ridge"
LINEAR = "sklearn.linear_model.LinearRegression"
NEIGHBOURS = ("sklearn.neighbors.KNeighborsClassifier", "sklearn.neighbors.KNeighborsRegressor")
WELL_CONDITIONED = 1e-9
"""Least squares: the smallest eigenvalue over the largest one must be above this."""
SEEN = 1e-8
"""A variance that is less than this share of what it was, or of the values' squares, is rounding."""


def is_exact_for(builder: Builder, resample: Resample, thetas: Sequence[Theta]) -> bool:
    """Single rows of numbers without missing values, and a learner whose parameters allow it."""
    definition, table = builder.definition, builder.table
    recipes = [builder.recipe(theta) for theta in thetas]
    plain = all(not recipe.preparation and not recipe.poly for recipe in recipes)
    if not plain or definition.polynomial or table.columns_of("category"):
        return False
    exact = _EXACT.get(definition.import_path(table.classification))
    if exact is None or not all(exact(definition, recipe.model) for recipe in recipes):
        return False
    single = all(len(rows) == 1 for rows in resample.held.values())
    return single and not np.isnan(table.features).any()


def _ridge(definition: Definition, given: dict[str, Any]) -> bool:
    return not definition.params and set(given) <= {"alpha"} and _positive(given.get("alpha", 1.0))


def _linear(definition: Definition, given: dict[str, Any]) -> bool:
    return not definition.params and not given


def _neighbours(definition: Definition, given: dict[str, Any]) -> bool:
    both = {**definition.params, **given}
    named = set(both) <= {"n_neighbors", "weights"} and both.get("weights", "uniform") == "uniform"
    return named and not definition.scale


_EXACT: dict[str, Callable[[Definition, dict[str, Any]], bool]] = {
    RIDGE: _ridge,
    LINEAR: _linear,
    **dict.fromkeys(NEIGHBOURS, _neighbours),
}
"""By estimator: whether its fixed parameters and θ's allow it."""


def _positive(alpha: Any) -> bool:
    return isinstance(alpha, int | float) and alpha > 0


def run(builder: Builder, resample: Resample, thetas: list[Theta]) -> list[Outcome] | None:
    """All θ on all left-out rows of a chunk; None where refitting is needed after all."""
    rows = np.concatenate(list(resample.held.values()))
    groups: dict[tuple[int, ...], list[Theta]] = {}
    for theta in thetas:
        groups.setdefault(builder.recipe(theta).columns, []).append(theta)
    near = builder.definition.import_path(builder.classification) in NEIGHBOURS
    outcomes: list[Outcome] = []
    for columns, group in groups.items():
        started = time.perf_counter()
        said = (_by_neighbours if near else _by_downdating)(builder, columns, rows, group)
        if said is None:
            return None
        seconds = (time.perf_counter() - started) / len(group)
        for theta, predictions in zip(group, said, strict=True):
            outcomes.append(
                Outcome(theta, predictions=predictions, seconds=seconds, engine=LEAVE_ONE_OUT)
            )
    return outcomes


def _by_neighbours(
    builder: Builder, columns: Sequence[int], rows: np.ndarray, thetas: list[Theta]
) -> list[Predictions] | None:
    given = [{**builder.definition.params, **builder.recipe(theta).model} for theta in thetas]
    ks = [int(params.get("n_neighbors", 5)) for params in given]
    features = np.ascontiguousarray(np.asarray(builder.table.features)[:, list(columns)])
    if max(ks) >= len(features):
        return None
    model = knn.kind_for(builder.table.classes)().fit(features, np.asarray(builder.table.target))
    near = nearest(features, features[rows], max(ks) + 1)
    others = near != rows[:, None]
    others[others.all(axis=1), -1] = False  # more rows like this one than there are neighbours
    shares = knn.shares(model.votes_, near[others].reshape(len(rows), -1), ks)
    return [knn.said(shares[k], model, builder.table.classes) for k in ks]


def _by_downdating(
    builder: Builder, columns: Sequence[int], rows: np.ndarray, thetas: list[Theta]
) -> list[Predictions] | None:
    """None where least squares is badly conditioned, or a scale is not to be trusted."""
    alphas = [float(builder.recipe(theta).model.get("alpha", 1.0)) for theta in thetas]
    if builder.definition.import_path(False) == LINEAR:
        alphas = [0.0]
    values = left_out(builder.table, columns, rows, alphas, builder.definition.scale)
    if values is None:
        return None
    return [Predictions(value=np.ascontiguousarray(column)) for column in values.T]


def left_out(
    table: Prepared, columns: Sequence[int], rows: np.ndarray, alphas: Sequence[float], scale: bool
) -> np.ndarray | None:
    """Predictions for the left-out rows (down) and λ (across)."""
    features = np.asarray(table.features)[:, list(columns)]
    target = np.asarray(table.target, np.float64)
    n, largest = len(target), np.abs(features).max(axis=0)
    constant = np.ptp(features, axis=0) == 0
    features, target = features - features.mean(axis=0), target - (y_mean := target.mean())
    features[:, constant] = 0.0
    x, y, factor = features[rows], target[rows], n / (n - 1)
    gram = features.T @ features - factor * x[:, :, None] * x[:, None, :]
    moment = features.T @ target - factor * x * y[:, None]
    if scale:
        squares = np.diagonal(gram, axis1=1, axis2=2)
        least = SEEN * np.maximum((features**2).sum(axis=0), n * (SEEN * largest) ** 2)
        if (squares < least)[:, ~constant].any():  # constant but for the row left out, or nearly
            return None
        scales = np.where(constant, 1.0, np.sqrt(squares / (n - 1)))
        gram = gram / (scales[:, :, None] * scales[:, None, :])
        moment, x = moment / scales, x / scales
    values, vectors = np.linalg.eigh(gram)
    if min(alphas) == 0 and (values[:, 0] <= WELL_CONDITIONED * values[:, -1]).any():
        return None
    query = np.einsum("ikj,ik->ij", vectors, x * factor)
    answer = np.einsum("ikj,ik->ij", vectors, moment)
    intercept = y_mean - y / (n - 1)
    return np.stack(
        [intercept + (query * answer / (values + alpha)).sum(axis=1) for alpha in alphas], axis=1
    )
