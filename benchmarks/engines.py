"""What each path engine buys: the same cells by the engine and by one fit per θ, in one process.

``python benchmarks/engines.py`` prints a line for each engine: seconds without it (the generic
engine), seconds with it, and their ratio. Both sides share the preprocessing of a training set, write
nothing, and run one after the other; the smallest of several times counts.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from workloads import ALPHAS, CS, DEPTHS, FEATURES, KS, draw

from heldout.learners.learner import Learner, define
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.engines import leave_one_out
from heldout.numerics.engines.registry import GENERIC, STEPS, by_engine
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.problem import TrainingSet, TrainingSets
from heldout.resampling.split import Partition

K = 10
SETS = 6
"""Training sets that are timed: three folds and three pairs of folds."""


@dataclass(frozen=True)
class Case:
    """An engine and the workload that it was written for."""

    name: str
    block: dict[str, Any]
    classification: bool
    n: int = 3000
    columns: int = FEATURES


ROUNDS = list(range(20, 201, 20))
CASES = (
    Case("knn", {"estimator": "knn", "grid": {"n_neighbors": KS}}, True),
    Case("knn, 20 000 rows", {"estimator": "knn", "grid": {"n_neighbors": KS}}, True, 20_000),
    Case("ridge", {"estimator": "ridge", "grid": {"alpha": ALPHAS}}, False),
    Case("linear", {"estimator": "linear", "grid": {}}, False, 300),
    Case("lasso", {"estimator": "lasso", "grid": {"alpha": {"logspace": [-3, 1, 13]}}}, False),
    Case("logistic", {"estimator": "logistic", "grid": {"C": CS}}, True),
    Case("logistic, 150 x 300", {"estimator": "logistic", "grid": {"C": CS}}, True, 150, 300),
    Case("ridge, 150 x 2000", {"estimator": "ridge", "grid": {"alpha": ALPHAS}}, False, 150, 2000),
    Case("linear svm, 150 x 2000",
         {"estimator": "sklearn.svm.LinearSVC", "grid": {"C": CS}}, True, 150, 2000),
    Case("svm", {"estimator": "svm", "grid": {"C": [0.1, 1.0, 10.0]}}, True),
    Case("tree by depth", {"estimator": "tree", "grid": {"max_depth": DEPTHS}}, True),
    Case("tree by pruning",
         {"estimator": "tree", "grid": {"ccp_alpha": {"logspace": [-5, -1, 9]}}}, True),
    Case("forest",
         {"estimator": "forest", "grid": {"n_estimators": [10, 20, 30, 40, 50]}}, True),
    Case("boosting", {"estimator": "boosting", "grid": {"max_iter": [25, 50, 100, 200]}}, True),
    *(
        Case(f"rounds, {name}",
             {"estimator": name, "params": params, "grid": {"n_estimators": ROUNDS}}, True)
        for name, params in (("lightgbm", {}), ("xgboost", {}), ("catboost", {"learning_rate": 0.1}))
        if find_spec(name)
    ),
    Case("polynomial",
         {"estimator": "polynomial",
          "grid": {"poly__degree": {"range": [1, 16]}, "features": [["x0"]]}}, False),
)  # fmt: skip


def training_sets(n: int) -> list[TrainingSet]:
    """Some folds and some pairs of folds left out."""
    partition = Partition(1, K, np.random.default_rng(1).permutation(np.arange(n) % K))
    left_out = [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2)][:SETS]
    resamples = [partition.without(*folds) for folds in left_out]
    return [TrainingSet(r.name, r.train, list(r.held.values())) for r in resamples]


def cells(case: Case, separately: bool) -> Iterator[Any]:
    """Fit all cells; each θ by itself, or by its engine."""
    features, target = draw(case.n, case.classification)
    noise = np.random.default_rng(1).normal(size=(case.n, case.columns - FEATURES))
    features = np.hstack([features, noise])
    learner, sets = define("l", case.block), training_sets(case.n)
    thetas = learner.thetas(0)
    own = by_engine(learner, case.classification, thetas)
    builder = builder_of(learner, columns(case.classification, case.columns))
    frame = pd.DataFrame(features, columns=builder.columns.names)
    problems = TrainingSets(features, target, sets, frame=lambda: frame)
    for one in sets:
        problem = problems.problem(builder, one, 1)
        engines = {one_by_one(learner, case): thetas} if separately else own
        yield from run.fit(problem, engines, whole=False)


def one_by_one(learner: Learner, case: Case) -> str:
    """The engine that fits a learner's θ one by one."""
    return STEPS if learner.composed(case.classification) else GENERIC


def columns(classification: bool, count: int = FEATURES) -> Columns:
    """Numbers only."""
    names = [f"x{i}" for i in range(count)]
    return Columns(names, frozenset(range(count)), ["no", "yes"] if classification else None)


def left_out(learner: Learner, n: int, refit: bool) -> list[Any]:
    """Leave-one-out of a learner, with and without refitting."""
    features, target = draw(n, False)
    builder, thetas = Builder(learner, columns(False)), learner.thetas(0)
    held = [np.array([i]) for i in range(n)]
    if not refit:
        return leave_one_out.run(builder, features, target, held, thetas) or []
    rows, problems = np.arange(n), TrainingSets(features, target)
    members = (
        problems.problem(builder, TrainingSet(str(i), np.delete(rows, i), [held[i]]), 1)
        for i in range(n)
    )
    return list(run.fit_members(members, by_engine(learner, False, thetas)))


def seconds(work: Callable[[], Any], repeats: int) -> float:
    """The smallest time of several."""
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        for outcome in work():
            assert outcome.error is None, outcome.error
        found.append(time.perf_counter() - started)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", help="the beginning of a name")
    given = parser.parse_args()
    with threadpool_limits(1):
        for case in CASES:
            if case.name.startswith(given.only or ""):
                report(
                    case.name,
                    seconds(lambda case=case: cells(case, True), given.repeats),
                    seconds(lambda case=case: cells(case, False), given.repeats),
                )
        ridge = define("ridge", {"estimator": "ridge", "grid": {"alpha": ALPHAS}})
        if "leave_one_out".startswith(given.only or ""):
            report(
                "leave_one_out",
                seconds(lambda: left_out(ridge, 300, True), given.repeats),
                seconds(lambda: left_out(ridge, 300, False), given.repeats),
            )


def report(name: str, without: float, with_engine: float) -> None:
    gain = round(without / with_engine, 2)
    figures = {"without": round(without, 3), "with": round(with_engine, 3), "gain": gain}
    print(json.dumps({"engine": name, **figures}), flush=True)


if __name__ == "__main__":
    main()
