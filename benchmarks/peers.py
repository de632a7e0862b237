"""What heldout is timed against: loops as people write them, on the folds that heldout drew.

The inner folds of an outer fold are the other outer folds, so that both sides choose among the same fits.
"""

import importlib
import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

CORES = 2
SCORING = {
    "zero_one": "accuracy",
    "squared": "neg_mean_squared_error",
    "cross_entropy": "neg_log_loss",
}
"""scikit-learn's scorer of a loss; greater is better."""


class Found(NamedTuple):
    """The seconds of a loop, and what it found in each outer fold."""

    seconds: float
    chosen: list[dict[str, Any]]
    errors: list[float]


def ends(grid: dict[str, Any]) -> dict[str, Any]:
    """The first and the last value of each list."""
    return {name: values[:: max(1, len(values) - 1)] for name, values in grid.items()}


class Peer(Protocol):
    """Does the same as heldout in another way."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def within(self) -> float | None:
        """How far its errors may be from heldout's, relatively; None if it is another algorithm."""

    def missing(self) -> str | None:
        """What must be installed for it; None if it is there."""

    def smaller(self) -> "Peer":
        """The same with the ends of its grid only."""

    def run(self, features: np.ndarray, target: np.ndarray, fold: np.ndarray, loss: str) -> Found:
        """Nested cross-validation."""


@dataclass(frozen=True)
class Loop:
    """scikit-learn's `GridSearchCV` in every outer fold, outer folds side by side on two processes.

    With `outer`, so many of the outer folds are computed, and their time is scaled up to all.
    """

    name: str
    estimator: str
    params: dict[str, Any]
    grid: dict[str, list[Any]]
    scale: bool = False
    within: float | None = 1e-12
    outer: int | None = None
    needs: str = ""

    def smaller(self) -> "Loop":
        """The same with the ends of its grid only."""
        return replace(self, grid=ends(self.grid))

    def missing(self) -> str | None:
        """The package of the estimator, if it is not there."""
        package = self.estimator.partition(".")[0]
        return None if find_spec(package) else self.needs or package

    def run(self, features: np.ndarray, target: np.ndarray, fold: np.ndarray, loss: str) -> Found:
        """Nested cross-validation."""
        from joblib import Parallel, delayed

        k = int(fold.max()) + 1
        outer, search = range(self.outer or k), self.search(loss)
        started = time.perf_counter()
        found = Parallel(n_jobs=CORES)(
            delayed(_outer_fold)(search, features, target, fold, i) for i in outer
        )
        seconds = (time.perf_counter() - started) * k / len(outer)
        return Found(seconds, [one for one, _ in found], [-score for _, score in found])

    def search(self, loss: str) -> Any:
        """The `GridSearchCV`, without its folds."""
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import StandardScaler

        module, _, name = self.estimator.rpartition(".")
        model = getattr(importlib.import_module(module), name)(**self.params)
        steps = [("scale", StandardScaler())] if self.scale else []
        grid = {f"model__{key}": values for key, values in self.grid.items()}
        return GridSearchCV(
            Pipeline([*steps, ("model", model)]),
            grid,
            scoring=SCORING[loss],
            refit=_first_of_equals,
        )


def _first_of_equals(found: dict[str, Any]) -> int:
    """The first θ whose mean score is the best up to rounding: heldout's choice among ties."""
    means = found["mean_test_score"]
    return int(np.flatnonzero(means >= means.max() - 1e-12 * max(abs(means.max()), 1e-3))[0])


def _outer_fold(
    search: Any, features: np.ndarray, target: np.ndarray, fold: np.ndarray, outer: int
) -> tuple[dict[str, Any], float]:
    """θ chosen without an outer fold, and its score on it; errors are 1 − accuracy."""
    from sklearn.model_selection import PredefinedSplit

    train = fold != outer
    search.set_params(cv=PredefinedSplit(fold[train])).fit(features[train], target[train])
    score = float(search.score(features[~train], target[~train]))
    chosen = {k.removeprefix("model__"): v for k, v in search.best_params_.items()}
    return chosen, score - 1 if search.scoring == "accuracy" else score


@dataclass(frozen=True)
class Glmnet:
    """R's glmnet in one process: a path for each inner fold and one for the outer fold, at the same penalties.

    glmnet standardises columns as heldout does (variances divided by n) and minimises
    mean loss + λ(½(1 − mixing)‖β‖² + mixing‖β‖₁). A gaussian target is divided by its standard deviation `sd`
    before, so that the ridge term of λ counts as λ/sd. `penalty` is λ in R, for a `value` of the
    hyper-parameter, the number `n` of training rows, and `sd`.
    """

    family: str
    mixing: float
    parameter: str
    values: list[float]
    penalty: str
    within: float | None

    name = "glmnet"

    def smaller(self) -> "Glmnet":
        """The same with the ends of its grid only."""
        return replace(self, values=ends({"": self.values})[""])

    def missing(self) -> str | None:
        """R, or glmnet, if it is not there."""
        if not shutil.which("Rscript"):
            return "R (Rscript)"
        asked = ["Rscript", "-e", "library(glmnet)"]
        return "R's glmnet" if subprocess.run(asked, capture_output=True).returncode else None

    def run(self, features: np.ndarray, target: np.ndarray, fold: np.ndarray, loss: str) -> Found:
        """Nested cross-validation; the seconds are those of the loop, without R's start."""
        with tempfile.TemporaryDirectory() as name:
            for part, values in (
                ("x", features),
                ("y", target),
                ("fold", fold),
                ("value", self.values),
            ):
                np.asarray(values, np.float64).tofile(Path(name, part))
            script = str(Path(__file__).with_name("glmnet.R"))
            command = ["Rscript", script, name, self.family, str(self.mixing), self.penalty]
            done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        found = json.loads(done.stdout)
        chosen = [{self.parameter: self.values[int(place) - 1]} for place in found["chosen"]]
        return Found(found["seconds"], chosen, found["errors"])
