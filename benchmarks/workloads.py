"""The workloads: a learner and its grid, for heldout and for scikit-learn."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FEATURES = 30


@dataclass(frozen=True)
class Workload:
    """A learner as heldout's config block, and as a scikit-learn Pipeline with its grid."""

    name: str
    classification: bool
    block: dict[str, Any]
    pipeline: Callable[[], Any]
    grid: dict[str, list[Any]]


def _scaled(model: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


def _knn() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return _scaled(KNeighborsClassifier())


def _ridge() -> Any:
    from sklearn.linear_model import Ridge

    return _scaled(Ridge())


def _tree() -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    return make_pipeline(DecisionTreeClassifier(random_state=0))


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return _scaled(LogisticRegression(max_iter=1000))


def _svm(**given: Any) -> Any:
    from sklearn.svm import SVC

    return _scaled(SVC(**given))


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(RandomForestClassifier(n_estimators=50, random_state=0))


ALPHAS = [10.0 ** (-3 + 7 * i / 49) for i in range(50)]
CS = [10.0 ** (-3 + 5 * i / 11) for i in range(12)]
KS = list(range(1, 31))
DEPTHS = list(range(1, 13))

WORKLOADS = {
    w.name: w
    for w in (
        Workload("knn", True, {"estimator": "knn", "grid": {"n_neighbors": KS}}, _knn,
                 {"kneighborsclassifier__n_neighbors": KS}),
        Workload("ridge", False, {"estimator": "ridge", "grid": {"alpha": ALPHAS}}, _ridge,
                 {"ridge__alpha": ALPHAS}),
        Workload("tree", True, {"estimator": "tree", "params": {"random_state": 0},
                                "grid": {"max_depth": DEPTHS}}, _tree,
                 {"decisiontreeclassifier__max_depth": DEPTHS}),
        Workload("logistic", True, {"estimator": "logistic", "grid": {"C": CS}}, _logistic,
                 {"logisticregression__C": CS}),
        Workload("svm", True, {"estimator": "svm", "grid": {"C": [0.1, 1.0, 10.0]}}, _svm,
                 {"svc__C": [0.1, 1.0, 10.0]}),
        # For two classes break_ties changes nothing, but the path engine does not know it.
        Workload("svm_generic", True, {"estimator": "svm", "params": {"break_ties": True},
                                       "grid": {"C": [0.1, 1.0, 10.0]}},
                 lambda: _svm(break_ties=True), {"svc__C": [0.1, 1.0, 10.0]}),
        Workload("forest", True, {"estimator": "sklearn.ensemble.RandomForestClassifier",
                                  "params": {"n_estimators": 50, "random_state": 0},
                                  "grid": {"max_depth": [4, 8, 12]}}, _forest,
                 {"randomforestclassifier__max_depth": [4, 8, 12]}),
    )
}  # fmt: skip
FOUR = ("knn", "ridge", "tree", "logistic")


def draw(n: int, classification: bool) -> tuple[np.ndarray, np.ndarray]:
    """n × 30 Gaussian features; a noisy linear score, cut at 0 for classes."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(n, FEATURES))
    score = features[:, :5] @ np.array([1.0, -0.8, 0.6, -0.4, 0.2]) + generator.normal(size=n)
    return features, (score > 0).astype(int) if classification else score


def write_table(path: Path, n: int, classification: bool) -> None:
    """The same rows as a parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    features, target = draw(n, classification)
    columns = {f"x{i:02d}": features[:, i] for i in range(FEATURES)}
    parquet.write_table(pa.table({**columns, "y": target}), path)
