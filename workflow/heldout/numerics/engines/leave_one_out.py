"""Leave-one-out without refitting.

Ridge and least squares by downdating: without one row, the centred Gram matrix is
G − x xᵀ·n/(n−1), and the means and scales of the remaining rows follow in the same way. So the
standardised problem of each left-out row is solved exactly, for all λ, from one p × p
eigendecomposition. (The usual shortcut e_i/(1−h_ii) holds only where nothing is scaled in the fold.)

k-NN on unscaled features: the neighbours of a left-out row are its neighbours in the whole table
without the row itself. (Scaled features change with every row that is left out.)
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from heldout.learners.definition import Definition
from heldout.names import Theta
from heldout.numerics.engines import knn
from heldout.numerics.neighbors import nearest
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Outcome, Rows
from heldout.predictions import Predictions

RIDGE = "sklearn.linear_model.Ridge"
LINEAR = "sklearn.linear_model.LinearRegression"
K_NEIGHBORS = ("sklearn.neighbors.KNeighborsClassifier", "sklearn.neighbors.KNeighborsRegressor")
WELL_CONDITIONED = 1e-9
"""Least squares: the smallest eigenvalue over the largest one must be above this."""
AT_ONCE = 2**22
"""Numbers in the matrices of the rows that are left out side by side: 32 MB."""
CANCELLATION = 1e-8
"""A variance is mostly rounding error if it is below this share of the variance before a row was
left out, or below this share of (this share of the largest value)²."""


def run(
    builder: Builder,
    features: np.ndarray,
    target: np.ndarray,
    held: Sequence[Rows],
    thetas: Sequence[Theta],
) -> list[Outcome] | None:
    """Predict each row by models of the other rows, for all θ.

    Parameters
    ----------
    builder
        Builds the learner's Pipelines.
    features, target
        The whole table.
    held
        The rows to leave out, one at a time; all other rows of the table train.
    thetas
        The θ to fit.

    Returns
    -------
    list of Outcome, or None
        One for each θ, with the predictions for all left-out rows. None where this would not be
        exact, so that every row needs a fit of its own.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> from heldout.numerics.pipeline import Columns
    >>> builder = Builder(define("linear", None), Columns(["a"], frozenset({0}), None))
    >>> rows = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> [outcome] = run(builder, rows, 2 * rows[:, 0], [np.array([3])], [{}])
    >>> outcome.predictions.value.round(6)
    array([6.])
    """
    if not _is_exact_for(builder, features, held, thetas):
        return None
    rows = np.concatenate(list(held))
    groups: dict[tuple[int, ...], list[Theta]] = {}
    for theta in thetas:
        groups.setdefault(builder.recipe(theta).columns, []).append(theta)
    fit = _by_neighbors if builder.path in K_NEIGHBORS else _by_downdating
    outcomes: list[Outcome] = []
    for columns, group in groups.items():
        started = time.perf_counter()
        chosen = np.asarray(features)[:, list(columns)]
        predictions = fit(builder, chosen, np.asarray(target), rows, group)
        if predictions is None:
            return None
        seconds = (time.perf_counter() - started) / len(group)
        outcomes += [
            Outcome(theta, predictions=one, seconds=seconds, engine="leave_one_out")
            for theta, one in zip(group, predictions, strict=True)
        ]
    return outcomes


def _is_exact_for(
    builder: Builder, features: np.ndarray, held: Iterable[Rows], thetas: Sequence[Theta]
) -> bool:
    """Single rows of numbers without missing values, and a learner whose parameters allow it."""
    definition, columns = builder.definition, builder.columns
    recipes = [builder.recipe(theta) for theta in thetas]
    plain = all(not recipe.prepare and not recipe.poly for recipe in recipes)
    if not plain or definition.polynomial or len(columns.numbers) < len(columns.names):
        return False
    exact = _EXACT.get(builder.path)
    if exact is None or not all(exact(definition, recipe.model) for recipe in recipes):
        return False
    return all(len(rows) == 1 for rows in held) and not np.isnan(features).any()


def _ridge(definition: Definition, given: dict[str, Any]) -> bool:
    return not definition.params and set(given) <= {"alpha"} and _positive(given.get("alpha", 1.0))


def _linear(definition: Definition, given: dict[str, Any]) -> bool:
    return not definition.params and not given


def _unscaled(definition: Definition, given: dict[str, Any]) -> bool:
    both = {**definition.params, **given}
    named = set(both) <= {"n_neighbors", "weights"} and both.get("weights", "uniform") == "uniform"
    return named and not definition.scale


_EXACT: dict[str, Callable[[Definition, dict[str, Any]], bool]] = {
    RIDGE: _ridge,
    LINEAR: _linear,
    **dict.fromkeys(K_NEIGHBORS, _unscaled),
}
"""By estimator: whether leave-one-out is exact for its fixed parameters and those of θ."""


def _positive(alpha: Any) -> bool:
    return isinstance(alpha, int | float) and alpha > 0


def _by_neighbors(
    builder: Builder, features: np.ndarray, target: np.ndarray, rows: Rows, thetas: list[Theta]
) -> list[Predictions] | None:
    given = [{**builder.definition.params, **builder.recipe(theta).model} for theta in thetas]
    ks = [int(params.get("n_neighbors", 5)) for params in given]
    features, classes = np.ascontiguousarray(features), builder.columns.classes
    if max(ks) >= len(features):
        return None
    model = knn.model_class(classes)().fit(features, target)
    near = nearest(features, features[rows], max(ks) + 1)
    others = near != rows[:, None]
    # Where so many rows equal the left-out one that it is not among its own neighbours.
    others[others.all(axis=1), -1] = False
    means = knn.mean_votes(model.votes_, near[others].reshape(len(rows), -1), ks)
    return [knn.predictions_of(means[k], model, classes) for k in ks]


def _by_downdating(
    builder: Builder, features: np.ndarray, target: np.ndarray, rows: Rows, thetas: list[Theta]
) -> list[Predictions] | None:
    """None where refitting needs less, least squares is badly conditioned, or a scale is mostly rounding error."""
    alphas = [float(builder.recipe(theta).model.get("alpha", 1.0)) for theta in thetas]
    if builder.path == LINEAR:
        alphas = [0.0]
    values = _predict_left_out(features, target, rows, alphas, builder.definition.scale)
    if values is None:
        return None
    return [Predictions(value=np.ascontiguousarray(column)) for column in values.T]


def _predict_left_out(
    features: np.ndarray, target: np.ndarray, rows: Rows, alphas: Sequence[float], scale: bool
) -> np.ndarray | None:
    """Predictions for the left-out rows (down) and λ (across); None where they are not exact."""
    target = np.asarray(target, np.float64)
    if len(features) <= features.shape[1]:
        return None  # a fit for each row needs less: by the products of rows
    whole = _whole(features, target)
    size = max(1, AT_ONCE // features.shape[1] ** 2)
    parts = []
    for start in range(0, len(rows), size):
        part = _predict_part(whole, rows[start : start + size], alphas, scale)
        if part is None:
            return None
        parts.append(part)
    return np.concatenate(parts)


class _Whole(NamedTuple):
    """What is known of all rows: features without their means, constant ones 0, and what they are computed with."""

    features: np.ndarray
    target: np.ndarray
    y_mean: float
    gram: np.ndarray
    moment: np.ndarray
    constant: np.ndarray
    least: np.ndarray
    """A sum of squares below this is mostly rounding error."""


def _whole(features: np.ndarray, target: np.ndarray) -> _Whole:
    n, largest = len(target), np.abs(features).max(axis=0)
    constant = np.ptp(features, axis=0) == 0
    features, target = features - features.mean(axis=0), target - (y_mean := target.mean())
    features[:, constant] = 0.0
    least = CANCELLATION * np.maximum((features**2).sum(axis=0), n * (CANCELLATION * largest) ** 2)
    gram, moment = features.T @ features, features.T @ target
    return _Whole(features, target, float(y_mean), gram, moment, constant, least)


def _predict_part(
    whole: _Whole, rows: Rows, alphas: Sequence[float], scale: bool
) -> np.ndarray | None:
    """The same for some of the rows."""
    n, constant = len(whole.target), whole.constant
    x, y, factor = whole.features[rows], whole.target[rows], n / (n - 1)
    gram = whole.gram - factor * x[:, :, None] * x[:, None, :]
    moment = whole.moment - factor * x * y[:, None]
    if scale:
        squares = np.diagonal(gram, axis1=1, axis2=2)
        if (squares < whole.least)[:, ~constant].any():  # nearly constant without the left-out row
            return None
        scales = np.where(constant, 1.0, np.sqrt(squares / (n - 1)))
        gram = gram / (scales[:, :, None] * scales[:, None, :])
        moment, x = moment / scales, x / scales
    values, vectors = np.linalg.eigh(gram)
    if min(alphas) == 0 and (values[:, 0] <= WELL_CONDITIONED * values[:, -1]).any():
        return None
    rotated_x = np.einsum("ikj,ik->ij", vectors, x * factor)
    rotated_moment = np.einsum("ikj,ik->ij", vectors, moment)
    intercept = whole.y_mean - y / (n - 1)
    return np.stack(
        [
            intercept + (rotated_x * rotated_moment / (values + alpha)).sum(axis=1)
            for alpha in alphas
        ],
        axis=1,
    )
