"""Leave-one-out of ridge and least squares without refitting: every left-out row by downdating.

With one row removed, the centred Gram matrix is G − x xᵀ·n/(n−1), and so are the means and scales of
the remaining rows known: the standardised problem of each left-out row is solved exactly, for all λ
from one p × p eigendecomposition, whatever n. (The shortcut e_i/(1−h_ii) is the same where nothing
is scaled; scaling inside the fold breaks it, and this does not need it.)
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.engines.choice import LEAVE_ONE_OUT
from heldout.engines.problem import Outcome
from heldout.learners.build import Builder
from heldout.losses import Predictions
from heldout.names import Theta
from heldout.splits import Resample
from heldout.table.prepared import Prepared

RIDGE = "sklearn.linear_model.Ridge"
LINEAR = "sklearn.linear_model.LinearRegression"
WELL_CONDITIONED = 1e-9
"""Least squares: the smallest eigenvalue over the largest one must be above this."""


def is_exact_for(builder: Builder, resample: Resample, thetas: Sequence[Theta]) -> bool:
    """Single rows of numbers without missing values; ridge with its default intercept, or OLS."""
    definition, table = builder.definition, builder.table
    if table.classification or definition.polynomial or table.columns_of("category"):
        return False
    path = definition.import_path(False)
    recipes = [builder.recipe(theta) for theta in thetas]
    plain = all(not recipe.preparation and not recipe.poly for recipe in recipes)
    known = {RIDGE: {"alpha"}, LINEAR: set()}.get(path)
    if known is None or not plain or any(set(r.model) - known for r in recipes):
        return False
    if path == RIDGE and not all(_positive(r.model.get("alpha", 1.0)) for r in recipes):
        return False
    single = all(len(rows) == 1 for rows in resample.held.values())
    return single and not definition.params and not np.isnan(table.features).any()


def _positive(alpha: Any) -> bool:
    return isinstance(alpha, int | float) and alpha > 0


def run(builder: Builder, resample: Resample, thetas: list[Theta]) -> list[Outcome] | None:
    """All θ on all left-out rows of a chunk; None where least squares is badly conditioned."""
    rows = np.concatenate(list(resample.held.values()))
    groups: dict[tuple[int, ...], list[Theta]] = {}
    for theta in thetas:
        groups.setdefault(builder.recipe(theta).columns, []).append(theta)
    outcomes: list[Outcome] = []
    for columns, group in groups.items():
        started = time.perf_counter()
        alphas = [float(builder.recipe(theta).model.get("alpha", 1.0)) for theta in group]
        if builder.definition.import_path(False) == LINEAR:
            alphas = [0.0]
        values = left_out(builder.table, columns, rows, alphas, builder.definition.scale)
        if values is None:
            return None
        seconds = (time.perf_counter() - started) / len(group)
        for theta, column in zip(group, values.T, strict=True):
            said = Predictions(value=np.ascontiguousarray(column))
            outcomes.append(Outcome(theta, predictions=said, seconds=seconds, engine=LEAVE_ONE_OUT))
    return outcomes


def left_out(
    table: Prepared, columns: Sequence[int], rows: np.ndarray, alphas: Sequence[float], scale: bool
) -> np.ndarray | None:
    """Predictions for the left-out rows (down) and λ (across)."""
    features = np.asarray(table.features)[:, list(columns)]
    target = np.asarray(table.target, np.float64)
    n = len(target)
    features, target = features - features.mean(axis=0), target - (y_mean := target.mean())
    x, y, factor = features[rows], target[rows], n / (n - 1)
    gram = features.T @ features - factor * x[:, :, None] * x[:, None, :]
    moment = features.T @ target - factor * x * y[:, None]
    if scale:
        scales = _scales(np.diagonal(gram, axis1=1, axis2=2) / (n - 1))
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


def _scales(variances: np.ndarray) -> np.ndarray:
    """Standard deviations; a constant column keeps its scale."""
    scales = np.sqrt(np.maximum(variances, 0))
    scales[scales <= 1e-12 * (1 + scales.max(axis=1, keepdims=True))] = 1.0
    return scales
