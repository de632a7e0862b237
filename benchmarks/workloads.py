"""The workloads: a learner and its grid, for heldout and for scikit-learn."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from peers import Loop

FEATURES = 30


@dataclass(frozen=True)
class Workload:
    """A learner as heldout's config block, and as a loop of scikit-learn with the same grid."""

    name: str
    classification: bool
    block: dict[str, Any]
    loop: Loop

    @property
    def loss(self) -> str:
        """The loss of its kind of target."""
        return "zero_one" if self.classification else "squared"


def workload(
    name: str, classification: bool, estimator: str, path: str, params: Any, grid: Any, scale: bool = True
) -> Workload:  # fmt: skip
    """The same learner for both sides; `estimator` is heldout's name, `path` scikit-learn's."""
    block = {"estimator": estimator, "params": params, "grid": grid}
    loop = Loop("scikit-learn", path, params, grid, scale)
    return Workload(name, classification, block, loop)


ALPHAS = [10.0 ** (-3 + 7 * i / 49) for i in range(50)]
CS = [10.0 ** (-3 + 5 * i / 11) for i in range(12)]
KS = list(range(1, 31))
DEPTHS = list(range(1, 13))

SVM_CS = {"C": [0.1, 1.0, 10.0]}
FOREST = "sklearn.ensemble.RandomForestClassifier"

WORKLOADS = {
    w.name: w
    for w in (
        workload("knn", True, "knn", "sklearn.neighbors.KNeighborsClassifier", {},
                 {"n_neighbors": KS}),
        workload("ridge", False, "ridge", "sklearn.linear_model.Ridge", {}, {"alpha": ALPHAS}),
        workload("tree", True, "tree", "sklearn.tree.DecisionTreeClassifier", {"random_state": 0},
                 {"max_depth": DEPTHS}, scale=False),
        Workload("logistic", True, {"estimator": "logistic", "grid": {"C": CS}},
                 Loop("scikit-learn", "sklearn.linear_model.LogisticRegression",
                      {"max_iter": 1000}, {"C": CS}, scale=True)),
        workload("svm", True, "svm", "sklearn.svm.SVC", {}, SVM_CS),
        # For two classes break_ties changes nothing, but the path engine does not know it.
        workload("svm_generic", True, "svm", "sklearn.svm.SVC", {"break_ties": True}, SVM_CS),
        workload("forest", True, FOREST, FOREST, {"n_estimators": 50, "random_state": 0},
                 {"max_depth": [4, 8, 12]}, scale=False),
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
