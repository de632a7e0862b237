"""Tables that were not made here go from `heldout init` to the report, without an edit of the config.

K-fold and nested CV of two learners equal those of plain scikit-learn Pipelines on the same folds. CI takes the
tables marked `short`; `HELDOUT_TABLES=all pytest tests/workflow/test_tables.py` all but the large ones, and
`HELDOUT_TABLES=large` these too. Grids are the smallest that init knows; with `HELDOUT_TABLES_BUDGET=120`, those that it
proposes.
"""

import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from inprocess import Run, run_step, run_task
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tables_of_others import GIVEN, Given
from threadpoolctl import threadpool_limits

from heldout.cli import init, main, starters
from heldout.execution.study import Study
from heldout.names import seed_for

WHICH = os.environ.get("HELDOUT_TABLES", "short")
BUDGET = float(os.environ.get("HELDOUT_TABLES_BUDGET", "0"))
CHOSEN = [one for one in GIVEN if one.short or WHICH == "large" or (WHICH == "all" and not one.large)]  # fmt: skip
SEED = 19


@pytest.fixture(autouse=True)
def small_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let init think that fits are dear, and repeat no partition; the learners stay those that it proposes."""
    budget = BUDGET or 1e-3
    if not BUDGET:
        monkeypatch.setattr(init, "FEW", 0)
    monkeypatch.setattr(starters, "HOPELESS", starters.HOPELESS * starters.BUDGET / budget)
    monkeypatch.setattr(starters, "BUDGET", budget)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """As in the workflow's jobs; several threads of boosting wait for each other on a busy machine."""
    with threadpool_limits(1):
        yield


@pytest.mark.parametrize("given", CHOSEN, ids=lambda one: one.name)
def test_from_init_to_the_report(
    given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    source = given.source(tmp_path)
    code = main(["init", source, "--target", given.target, "--output", "c.yaml"])
    assert code == 0, capsys.readouterr().err
    config = yaml.safe_load(Path("c.yaml").read_text())
    run = run_task(config, tmp_path)
    study = Study(config)
    [task] = study.tasks
    run_step(study, run.folder, "compute_metrics", task)
    run_step(study, run.folder, "render_report", task)
    assert given.target in (run.folder / "report.html").read_text()
    best = run.estimate("all", "kfold")
    assert np.isfinite(best.risk)
    if given.compared:
        linear, tree = learners(config)
        compare(run, config, linear)
        compare(run, config, tree)


def learners(config: dict[str, Any]) -> list[str]:
    return [name for name in ("logistic", "ridge", "tree") if name in config["learners"]]


# --- the same in scikit-learn --------------------------------------------------------------------


class Loops:
    """A learner's cross-validation, written out with scikit-learn alone."""

    def __init__(self, run: Run, config: dict[str, Any], name: str):
        self.task = config["tasks"][run.folder.name]
        self.name = name
        facts = json.loads((run.folder / "data" / "table.json").read_text())
        rows = np.load(run.folder / "data" / "rows.npy")["source"]
        self.frame = source_frame(run, self.task["data"]).iloc[rows].reset_index(drop=True)
        self.columns = {one["name"]: one["kind"] for one in facts["schema"]["columns"]}
        self.target = self.frame[self.task["target"]].to_numpy()
        self.classes = facts["schema"]["target"]["classes"]
        if not self.classes:
            self.target = self.target.astype(float)
        else:
            labels = {str(label): code for code, label in enumerate(self.classes)}
            self.target = np.array([labels[plain(label)] for label in self.target])
        splits = pd.read_csv(run.folder / "splits" / "kfold.csv")
        self.folds = [
            part.sort_values("row")["fold"].to_numpy() - 1 for _, part in splits.groupby("repeat")
        ]
        self.thetas = thetas(config, name)
        self._seen: dict[str, np.ndarray] = {}
        self._said: dict[tuple[str, str], np.ndarray] = {}

    def model(self, theta: dict[str, Any], held: str) -> BaseEstimator:
        """With the seed that heldout gives to this training set."""
        params = dict(theta)
        if self.name == "ridge":
            return Ridge(**params)
        if self.name == "logistic":
            fixed = {"solver": "newton-cholesky", "tol": 1e-10, "max_iter": 1000}
            return LogisticRegression(**fixed, **params)
        seed = seed_for(SEED, self.task_name, self.name, held)
        kind = DecisionTreeClassifier if self.classes else DecisionTreeRegressor
        return kind(random_state=seed, **params)

    @property
    def task_name(self) -> str:
        return str(Path(self.task["data"]).stem)

    def columns_seen(self, train: np.ndarray) -> Any:
        """What a model sees of the rows, learnt from the training rows alone."""
        numbers = [name for name, kind in self.columns.items() if kind in ("number", "boolean")]
        categories = [name for name, kind in self.columns.items() if kind == "category"]
        assert len(numbers) + len(categories) == len(self.columns), "a kind that is not written out"
        imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        empty = self.matrix.loc[train, numbers].isna().all()
        assert not empty.any(), "scikit-learn's indicators differ for columns without a value"
        scaled = imputer if self.name == "tree" else make_pipeline(imputer, StandardScaler())
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return make_column_transformer((scaled, numbers), (one_hot, categories))

    @cached_property
    def matrix(self) -> pd.DataFrame:
        shown = {}
        for name, kind in self.columns.items():
            values = self.frame[name]
            if kind == "category":
                shown[name] = values.map(lambda one: "~" if pd.isna(one) else plain(one))
            else:
                truth = values.replace({"True": "1", "False": "0"})
                shown[name] = pd.to_numeric(truth).astype(float)
        return pd.DataFrame(shown)

    def losses(self, train: np.ndarray, held: np.ndarray, theta: Any, name: str) -> np.ndarray:
        key = name, json.dumps(theta)
        if name not in self._seen:  # as Pipeline(memory=...) does: once for all θ
            found = self.columns_seen(train).fit(self.matrix.iloc[train])
            self._seen[name] = np.asarray(found.transform(self.matrix))
        if key not in self._said:  # a pair of folds is left out twice: once to judge each of them
            rows = self._seen[name]
            fitted = self.model(theta, name).fit(rows[train], self.target[train])
            self._said[key] = fitted.predict(rows)
        said = self._said[key][held]
        if self.classes:
            return np.asarray(said != self.target[held], float)
        return np.asarray((said - self.target[held]) ** 2)

    def kfold(self, theta: Any) -> float:
        means = []
        for repeat, fold in enumerate(self.folds, start=1):
            k = fold.max() + 1
            for f in range(k):
                held = f"k{k}.r{repeat}.f{f + 1:02d}"
                rows = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
                means.append(self.losses(*rows, theta, held).mean())
        return float(np.mean(means))

    def nested(self) -> float:
        """Of all θ the first with the smallest mean over the inner folds; judged on the outer fold."""
        errors = []
        for repeat, fold in enumerate(self.folds, start=1):
            k = fold.max() + 1
            for outer in range(k):
                tried = [np.mean([self._inner(fold, k, repeat, outer, j, theta) for j in range(k) if j != outer]) for theta in self.thetas]  # fmt: skip
                chosen = self.thetas[int(np.argmin(np.round(tried, 12)))]
                held = f"k{k}.r{repeat}.f{outer + 1:02d}"
                rows = np.flatnonzero(fold != outer), np.flatnonzero(fold == outer)
                errors.append(self.losses(*rows, chosen, held).mean())
        return float(np.mean(errors))

    def _inner(self, fold: Any, k: int, repeat: int, outer: int, inner: int, theta: Any) -> float:
        first, last = sorted((outer, inner))
        name = f"k{k}.r{repeat}.f{first + 1:02d}+f{last + 1:02d}"
        train = np.flatnonzero((fold != outer) & (fold != inner))
        return float(self.losses(train, np.flatnonzero(fold == inner), theta, name).mean())


def compare(run: Run, config: dict[str, Any], learner: str) -> None:
    loops = Loops(run, config, learner)
    for theta in some(loops.thetas):
        assert loops.kfold(theta) == pytest.approx(run.risk(learner, theta, "kfold"), rel=1e-10)
    if len(loops.thetas) * len(loops.folds) <= 60 and "nested_cv" in loops.task["estimators"]:
        found = run.estimate(learner, "nested_cv").risk
        assert loops.nested() == pytest.approx(found, rel=1e-10), learner


def some(thetas: list[Any]) -> Iterator[Any]:
    yield from thetas[:: max(1, len(thetas) // 3)]


def thetas(config: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The grid, in order."""
    study = Study(config)
    [task] = study.tasks
    [learner] = [one for one in study.task(task).learners if one.name == name]
    return learner.thetas(config["seed"])


def source_frame(run: Run, data: str) -> pd.DataFrame:
    """The table as pandas reads it."""
    assert not data.startswith("sklearn:")
    return pd.read_csv(run.folder.parents[1] / data, dtype=object, keep_default_na=True)


def plain(label: Any) -> str:
    """A label as heldout spells it: numbers once."""
    try:
        number = float(label)
    except ValueError:
        return str(label)
    return str(int(number)) if number.is_integer() else str(number)
