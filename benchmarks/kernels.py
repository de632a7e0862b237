"""The bare work of nested CV on one core, without files: a lower bound for the fitting jobs.

Each kernel serves all θ of one training set. The 55 training sets of nested 10-fold CV are all rows
without a fold, and all rows without a pair of folds.
"""

import time
from itertools import combinations

import numpy as np
from workloads import ALPHAS, CS, DEPTHS, KS, draw

Rows = np.ndarray
SETS = [*((i,) for i in range(10)), *combinations(range(10), 2)]
"""The folds that each training set leaves out."""


def seconds(name: str, n: int, fold: Rows) -> float:
    """CPU seconds over all training sets."""
    features, target = draw(n, name != "ridge")
    started = time.process_time()
    for out in SETS:
        held = np.isin(fold, out)
        train = ~held
        x, z = features[train], features[held]
        if name != "tree":
            mean, scale = x.mean(axis=0), x.std(axis=0)
            x, z = (x - mean) / scale, (z - mean) / scale
        KERNELS[name](x, target[train], z)
    return time.process_time() - started


def _knn(x: Rows, y: Rows, z: Rows) -> Rows:
    distances = (x * x).sum(axis=1) - 2 * z @ x.T
    near = np.argpartition(distances, KS[-1], axis=1)[:, : KS[-1]]
    order = np.argsort(np.take_along_axis(distances, near, axis=1), axis=1)
    votes = np.cumsum(y[np.take_along_axis(near, order, axis=1)], axis=1)
    return votes * 2 > np.array(KS)


def _ridge(x: Rows, y: Rows, z: Rows) -> Rows:
    values, vectors = np.linalg.eigh(x.T @ x)
    projected = vectors.T @ (x.T @ (y - y.mean()))
    return z @ vectors @ (projected[:, None] / (values[:, None] + np.array(ALPHAS))) + y.mean()


def _tree(x: Rows, y: Rows, z: Rows) -> list[Rows]:
    from sklearn.tree import DecisionTreeClassifier

    trees = (DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in DEPTHS)
    return [tree.fit(x, y).predict(z) for tree in trees]


def _logistic(x: Rows, y: Rows, z: Rows) -> list[Rows]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=1000, warm_start=True)
    return [model.set_params(C=c).fit(x, y).predict_proba(z) for c in CS]


KERNELS = {"knn": _knn, "ridge": _ridge, "tree": _tree, "logistic": _logistic}
