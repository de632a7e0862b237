"""Small tables, and scores of scikit-learn's models on them as plain loops."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from inprocess import Run, run_task
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.data.prepared import Prepared, open_prepared
from heldout.resampling.split import partitions
from heldout.resampling.split_file import read_split

Scorer = Callable[[Any, np.ndarray, np.ndarray], float]
"""(fitted model, features, targets) → a number, the greater the better."""

GRIDS: dict[str, dict[str, list[Any]]] = {
    "knn": {"n_neighbors": [3, 9, 20]},
    "logistic": {"C": [0.002, 0.05, 5.0]},
    "ridge": {"alpha": [0.1, 30.0, 300.0]},
    "shuffled": {"n_neighbors": [9, 1, 30, 2, 20]},
}
"""The order of the last one, a k-NN, makes local minima that are not the smallest risk."""
LEARNERS = {"two": ("knn", "logistic"), "three": ("knn", "logistic"), "number": ("knn", "ridge")}
DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {"kfold": {"k": 4}},
    "groups": {"kfold": {"k": 3}, "groups": "group"},
    "unequal folds": {"kfold": {"column": "fold"}},
    "repeats": {"kfold": {"k": 3, "repeats": 2}},
}
LABELS = {"two": ["no", "yes"], "three": ["high", "low", "mid"]}


def write_table(path: Path, kind: str, n: int = 71, seed: int = 3) -> None:
    """Rows of three features; the target is two classes, three classes or a number."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 3))
    signal = x[:, 0] - 0.5 * x[:, 1] + generator.normal(scale=1.2, size=n)
    cuts = {"two": ["no", "yes"], "three": ["low", "mid", "high"]}
    y: Any = np.round(signal + 10, 6)
    if kind == "two":
        y = np.array(cuts[kind])[(signal > 0.5).astype(int)]
    if kind == "three":
        y = np.array(cuts[kind])[np.digitize(signal, [-0.7, 0.6])]
    group = np.sort(generator.integers(24, size=n))
    fold = generator.choice(4, size=n, p=[0.4, 0.25, 0.2, 0.15])
    lines = ["a,b,c,y,group,fold"]
    lines += [
        f"{row[0]:.6f},{row[1]:.6f},{row[2]:.6f},{label},g{g},{f}"
        for row, label, g, f in zip(x, y, group, fold, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def config_of(folder: Path, kind: str, design: str, loss: Any, **task: Any) -> dict[str, Any]:
    """A study of one task; `drop` leaves out the columns that the design does not use."""
    changes = DESIGNS[design]
    used = (changes.get("groups"), changes["kfold"].get("column"))
    learners = task.get("learners", LEARNERS[kind])
    given = {
        "data": str(folder / "table.csv"),
        "target": "y",
        "loss": loss,
        "drop": [column for column in ("group", "fold") if column not in used],
        "test": 0,
        "estimators": ["kfold", "min_cv", "nested_cv"],
        "learners": list(learners),
        **changes,
        **task,
    }
    blocks = {
        name: {"estimator": "knn" if name == "shuffled" else name, "grid": GRIDS[name]}
        for name in learners
    }
    return {"seed": 7, "tasks": {"t": given}, "learners": blocks}


def run(folder: Path, kind: str, design: str, loss: Any, **task: Any) -> Run:
    """The task by another loss in the same folder uses the cells that are there."""
    if not (folder / "table.csv").exists():
        write_table(folder / "table.csv", kind)
    return run_task(config_of(folder, kind, design, loss, **task), folder / "run")


def model_of(learner: str, kind: str) -> Any:
    """The learner as scikit-learn's pipeline; its last step is called `model`."""
    if learner == "ridge":
        model: Any = Ridge()
    elif learner == "logistic":
        model = LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=1000)
    else:
        knn = KNeighborsRegressor if kind == "number" else KNeighborsClassifier
        model = knn(algorithm="kd_tree")  # without threads, which cost more than they save here
    return make_pipeline(StandardScaler(), model)


def with_theta(learner: str, kind: str, theta: dict[str, Any]) -> Any:
    pipeline = model_of(learner, kind)
    pipeline.steps[-1][1].set_params(**theta)
    return pipeline


def thetas_of(learner: str) -> list[dict[str, Any]]:
    [(name, values)] = GRIDS[learner].items()
    return [{name: value} for value in values]


@dataclass
class Loops:
    """Fits and scores of one learner, one by one."""

    features: np.ndarray
    target: np.ndarray
    learner: str
    kind: str
    _fitted: dict[tuple[bytes, str], Any] = field(default_factory=dict)

    @staticmethod
    def of(found: Run, learner: str, kind: str) -> "Loops":
        """Made once for each folder, so that no fit is done for every score."""
        place = (str(found.folder), learner)
        if place not in _MADE:
            data = data_of(found)
            features, target = np.asarray(data.features), np.asarray(data.target)
            _MADE[place] = Loops(features, target, learner, kind)
        return _MADE[place]

    @property
    def thetas(self) -> list[dict[str, Any]]:
        return thetas_of(self.learner)

    @property
    def everything(self) -> np.ndarray:
        return np.arange(len(self.target))

    def fit(self, train: np.ndarray, theta: dict[str, Any]) -> Any:
        place = (train.tobytes(), str(theta))
        if place not in self._fitted:
            model = clone(with_theta(self.learner, self.kind, theta))
            self._fitted[place] = model.fit(self.features[train], self.target[train])
        return self._fitted[place]

    def score(self, scorer: Scorer, train: np.ndarray, held: np.ndarray, theta: Any) -> float:
        return float(scorer(self.fit(train, theta), self.features[held], self.target[held]))

    def fold_scores(self, scorer: Scorer, folds: list[np.ndarray], theta: Any) -> list[float]:
        """The score of each fold of each partition by the model trained on the other folds."""
        return [
            self.score(scorer, np.flatnonzero(fold != f), np.flatnonzero(fold == f), theta)
            for fold in folds
            for f in range(fold.max() + 1)
        ]

    def chosen(self, scorer: Scorer, fold: np.ndarray, outer: int) -> tuple[dict[str, Any], float]:
        """The first θ with the best mean score of the other folds, and its score on the outer one."""
        inner = [j for j in range(fold.max() + 1) if j != outer]
        means = [
            np.mean(
                [
                    self.score(
                        scorer, np.flatnonzero((fold != outer) & (fold != j)),
                        np.flatnonzero(fold == j), theta,
                    )
                    for j in inner
                ]
            )
            for theta in self.thetas
        ]  # fmt: skip
        theta = self.thetas[int(np.argmax(means))]
        train, held = np.flatnonzero(fold != outer), np.flatnonzero(fold == outer)
        return theta, self.score(scorer, train, held, theta)


_MADE: dict[tuple[str, str], Loops] = {}


def data_of(found: Run) -> Prepared:
    return open_prepared(found.folder / "data")


def folds_of(found: Run) -> list[np.ndarray]:
    """The fold of each row, for each partition."""
    return [one.fold for one in partitions(read_split(found.folder / "splits" / "kfold.csv"))]
