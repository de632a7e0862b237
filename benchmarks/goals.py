"""Where speed counts: one entry for each workload, with the peers it is timed against and its goals.

A goal bounds a ratio (heldout's seconds over a peer's), or a measure of heldout's own run: seconds, its
peak in MB, files, MB on disk.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from peers import Glmnet, Loop, Peer, ends
from tables import Table
from workloads import ALPHAS, CS, KS

PENALTIES = [10.0 ** (-2 + 2 * i / 19) for i in range(20)]
LEAVES = [7, 15, 31]
THREE = {"n_estimators": [50, 100, 200], "num_leaves": LEAVES}
TEN = {"n_estimators": [20 * i for i in range(1, 11)], "num_leaves": LEAVES}
QUIET = {"n_jobs": 1, "verbose": -1, "deterministic": True, "force_col_wise": True}
LOGISTIC = "sklearn.linear_model.LogisticRegression"
LINEAR_SVM = "sklearn.svm.LinearSVC"
FOREST = {"n_estimators": 50, "random_state": 0}
DEPTHS = {"max_depth": [4, 8, 12]}
HIST = "sklearn.ensemble.HistGradientBoostingClassifier"
UNSTOPPED = {"early_stopping": False, "random_state": 0}
SECONDS, PEAK, FILES, DISK = "seconds", "peak MB", "files", "MB on disk"
IN_MEMORY = "seconds of `heldout.evaluate`"
FITS = "seconds of fits alone over scikit-learn's"
PEAK_OF_ROWS = "peak MB that the rows add"
"""The peak beyond that of the same run on 300 rows."""


@dataclass(frozen=True)
class Goal:
    """A workload: a table, a learner, how it is judged, its peers, and what is allowed."""

    name: str
    what: str
    table: Table
    block: dict[str, Any]
    at_most: dict[str, float]
    peers: tuple[Peer, ...] = ()
    loss: str = "zero_one"
    k: int = 10
    task: dict[str, Any] = field(default_factory=dict)
    """More keys of the task."""
    top: dict[str, Any] = field(default_factory=dict)
    """More keys of the config."""
    in_memory: bool = False
    """Whether it is timed without Snakemake too: a run of seconds is mostly its start."""

    def config(self) -> dict[str, Any]:
        """The config of heldout's run."""
        task = {
            "data": self.table.file, "target": "y", "loss": self.loss, "test": 0,
            "estimators": ["kfold", "nested_cv"], "kfold": {"k": self.k}, "learners": [self.name],
        }  # fmt: skip
        tasks = {self.name: task | self.task}
        return {"tasks": tasks, "learners": {self.name: self.block}, **self.top}

    def smaller(self) -> "Goal":
        """The same on a small table with the ends of its grid, to try whether it works."""
        grid = {
            name: _written_out(values) if isinstance(values, dict) else values
            for name, values in self.block["grid"].items()
        }
        block, peers = {**self.block, "grid": ends(grid)}, tuple(p.smaller() for p in self.peers)
        return replace(self, table=self.table.smaller(), block=block, peers=peers)


def _written_out(spaced: dict[str, list[Any]]) -> list[float]:
    low, high, count = spaced["logspace"]
    return [float(value) for value in np.logspace(low, high, count)]


GOALS = {
    goal.name: goal
    for goal in (
        Goal(
            "logistic-wide", "logistic (L2), 12 C, 150 × 2000, nested 10 × 9",
            Table(150, 2000, classes=2), {"estimator": "logistic", "grid": {"C": CS}},
            {"scikit-learn": 0.4, "glmnet": 1.2},
            (
                Loop("scikit-learn", LOGISTIC, {"max_iter": 1000}, {"C": CS}, scale=True, within=0.02),
                Glmnet("binomial", 0, "C", CS, "1 / (value * n)", within=0.02),
            ),
            loss="cross_entropy", in_memory=True,
        ),
        Goal(
            "lasso-wide", "lasso, 20 α, 150 × 2000, nested 10 × 9",
            Table(150, 2000), {"estimator": "lasso", "grid": {"alpha": PENALTIES}},
            {"scikit-learn": 0.15},
            (
                Loop("scikit-learn", "sklearn.linear_model.Lasso", {"max_iter": 10_000},
                     {"alpha": PENALTIES}, scale=True, within=0.02),
                Glmnet("gaussian", 1, "alpha", PENALTIES, "value", within=0.02),
            ),
            loss="squared", in_memory=True,
        ),
        Goal(
            "ridge-wide", "ridge, 50 λ, 150 × 2000, nested 10 × 9",
            Table(150, 2000), {"estimator": "ridge", "grid": {"alpha": ALPHAS}},
            {"scikit-learn": 0.15},
            (
                Loop("scikit-learn", "sklearn.linear_model.Ridge", {}, {"alpha": ALPHAS},
                     scale=True, within=1e-6),
                Glmnet("gaussian", 0, "alpha", ALPHAS, "value * sd / n", within=0.02),
            ),
            loss="squared", in_memory=True,
        ),
        Goal(
            "svm-wide", "LinearSVC, 12 C, 150 × 2000, nested 10 × 9",
            Table(150, 2000, classes=2), {"estimator": LINEAR_SVM, "grid": {"C": CS}},
            {"scikit-learn": 0.4},
            (
                Loop("scikit-learn", LINEAR_SVM, {"random_state": 0}, {"C": CS}, scale=True,
                     within=0.02),
            ), in_memory=True,
        ),
        Goal(
            "forest", "scikit-learn-intelex's forest, 50 trees, 3 depths, 3000 × 30, nested 10 × 9",
            Table(3000, 30, classes=2),
            {"estimator": "sklearnex.ensemble.RandomForestClassifier", "params": FOREST, "grid": DEPTHS},
            {"scikit-learn-intelex": 0.7},
            (
                Loop("scikit-learn-intelex", "sklearnex.ensemble.RandomForestClassifier",
                     FOREST | {"n_jobs": 1}, DEPTHS, needs="scikit-learn-intelex"),
                Loop("scikit-learn", "sklearn.ensemble.RandomForestClassifier", FOREST, DEPTHS,
                     within=None),
            ),
        ),
        Goal(
            "lightgbm", "LightGBM, 9 θ (3 rounds × 3 leaves), 5000 × 30, nested 5 × 4",
            Table(5000, 30, classes=2), {"estimator": "lightgbm", "grid": THREE},
            {"lightgbm": 0.55},
            (Loop("lightgbm", "lightgbm.LGBMClassifier", QUIET, THREE),), k=5,
        ),
        Goal(
            "lightgbm-rounds", "LightGBM, ten rounds × 3 leaves, 5000 × 30, nested 5 × 4",
            Table(5000, 30, classes=2), {"estimator": "lightgbm", "grid": TEN},
            {"lightgbm": 0.25},
            (Loop("lightgbm", "lightgbm.LGBMClassifier", QUIET, TEN),), k=5,
        ),
        Goal(
            "xgboost-rounds", "XGBoost, ten rounds × 3 depths, 5000 × 30, nested 5 × 4",
            Table(5000, 30, classes=2),
            {"estimator": "xgboost", "grid": {"n_estimators": TEN["n_estimators"], "max_depth": [3, 4, 6]}},
            {"xgboost": 0.25},
            (
                Loop("xgboost", "xgboost.XGBClassifier", {"n_jobs": 1, "random_state": 0},
                     {"n_estimators": TEN["n_estimators"], "max_depth": [3, 4, 6]}),
            ), k=5,
        ),
        Goal(
            "catboost-rounds", "CatBoost, ten rounds × 3 depths, 5000 × 30, nested 5 × 4",
            Table(5000, 30, classes=2),
            {"estimator": "catboost", "params": {"learning_rate": 0.1, "random_state": 0},
             "grid": {"iterations": TEN["n_estimators"], "depth": [3, 4, 6]}},
            {"catboost": 0.25},
            (
                Loop("catboost", "catboost.CatBoostClassifier",
                     {"learning_rate": 0.1, "random_state": 0, "thread_count": 1, "verbose": False,
                      "allow_writing_files": False},
                     {"iterations": TEN["n_estimators"], "depth": [3, 4, 6]}),
            ), k=5,
        ),
        Goal(
            "boosting-rounds", "HistGradientBoosting, ten rounds × 3 leaves, 5000 × 30, nested 5 × 4",
            Table(5000, 30, classes=2),
            {"estimator": "boosting",
             "grid": {"max_iter": TEN["n_estimators"], "max_leaf_nodes": LEAVES}},
            {"scikit-learn": 0.25},
            (
                Loop("scikit-learn", HIST, UNSTOPPED,
                     {"max_iter": TEN["n_estimators"], "max_leaf_nodes": LEAVES}),
            ), k=5,
        ),
        Goal(
            "logistic-csv", "logistic, 3 C, 120 × 20,000 from csv, sealed test, default estimators",
            Table(120, 20_000, classes=2, kind="csv"),
            {"estimator": "logistic", "grid": {"C": [0.01, 1.0, 100.0]}},
            {SECONDS: 30, PEAK: 1500},
            task={"test": 0.2, "estimators": ["training", "kfold", "nested_cv", "test"]}, k=5,
        ),
        Goal(
            "logistic-seven", "logistic, 7 C, 7 classes, 151 × 500, nested 5 × 4",
            Table(151, 500, classes=7),
            {"estimator": "logistic", "grid": {"C": {"logspace": [-3, 3, 7]}}},
            {FITS: 1.0},
            (
                Loop("scikit-learn", LOGISTIC, {"max_iter": 1000},
                     {"C": [10.0**i for i in range(-3, 4)]}, scale=True, within=0.02),
            ), loss="cross_entropy", k=5, in_memory=True,
        ),
        Goal(
            "many-thetas", "ridge, 20,000 λ × 5 folds, 200 × 5: 100,000 cells",
            Table(200, 5), {"estimator": "ridge", "grid": {"alpha": {"logspace": [-3, 4, 20_000]}}},
            {SECONDS: 45, FILES: 1000, DISK: 120},
            loss="squared", k=5, task={"estimators": ["kfold"]}, top={"models": "none"},
        ),
        Goal(
            "knn", "k-NN, 30 k, 20,000 × 30, nested 10 × 9",
            Table(20_000, 30, classes=2), {"estimator": "knn", "grid": {"n_neighbors": KS}},
            {"scikit-learn": 0.05, DISK: 60},
            (
                Loop("scikit-learn", "sklearn.neighbors.KNeighborsClassifier", {},
                     {"n_neighbors": KS}, scale=True, outer=2),
            ),
        ),
        Goal(
            "boosting-rows", "HistGradientBoosting, 4 θ, 300,000 × 20, nested 5 × 4",
            Table(300_000, 20, classes=2),
            {"estimator": "boosting", "params": {"random_state": 0},
             "grid": {"max_iter": [50, 100], "max_leaf_nodes": [15, 31]}},
            {"scikit-learn": 0.4, PEAK_OF_ROWS: 3 * 300_000 * 20 * 8 / 1e6},
            (
                Loop("scikit-learn", HIST, UNSTOPPED,
                     {"max_iter": [50, 100], "max_leaf_nodes": [15, 31]}, outer=2),
            ), k=5,
        ),
    )
}  # fmt: skip
"""Every workload by name."""
