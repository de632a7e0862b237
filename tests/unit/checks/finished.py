"""A small task run to its end, for checks of what came out of it."""

from pathlib import Path
from typing import Any

import numpy as np
from inprocess import Run, run_task
from tables import write_csv

LEARNERS = {
    "knn": {"estimator": "knn", "grid": {"n_neighbors": [5, 9, 15]}},
    "tree": {"estimator": "tree", "grid": {"max_depth": [2, 3, 4]}},
    "ridge": {"estimator": "ridge", "grid": {"alpha": [0.1, 1.0, 10.0]}},
    "huge": {"estimator": "ridge", "grid": {"alpha": [1e9]}},
    "linear": {"estimator": "linear"},
    "nb": {"estimator": "sklearn.naive_bayes.GaussianNB"},
    "logistic": {"estimator": "logistic", "grid": {"C": [0.1, 1.0, 10.0]}},
    "svm": {"estimator": "svm", "grid": {"C": [1.0]}},
    "majority": {"estimator": "majority"},
    "mean": {"estimator": "mean"},
}


def finish(tmp_path: Path, columns: dict[str, Any], *learners: str, **task: Any) -> Run:
    """Run the learners on a table whose target is y."""
    lists = {name: np.asarray(values).tolist() for name, values in columns.items()}
    given = {
        "data": write_csv(tmp_path / "table.csv", lists),
        "target": "y",
        "test": 0,
        "kfold": {"k": 4},
        "estimators": ["kfold"],
        "learners": list(learners),
    }
    config = {
        "tasks": {"t": {**given, **task}},
        "learners": {name: LEARNERS[name] for name in learners},
    }
    folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
    return run_task(config, folder)


def classes(
    rows: int = 120, signal: float = 1.0, rare: float = 0.5, seed: int = 1
) -> dict[str, Any]:
    """Two classes, of which `b` has a share `rare`; x tells more of them the larger `signal` is."""
    generator = np.random.default_rng(seed)
    of_b = generator.permutation(np.arange(rows) < round(rare * rows))
    return {
        "x": generator.normal(size=rows) + signal * of_b,
        "z": generator.normal(size=rows),
        "y": np.where(of_b, "b", "a"),
    }


def numbers(rows: int = 120, signal: float = 1.0, seed: int = 1) -> dict[str, Any]:
    """A number that x tells more of the larger `signal` is."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=rows)
    noise = generator.normal(size=rows)
    return {"x": x, "z": generator.normal(size=rows), "y": signal * x + noise}
