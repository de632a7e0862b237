"""Without Snakemake: a workload by `heldout.evaluate`, and its fits alone, both in the process of the benchmark."""

import time
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from goals import Goal
from peers import CORES, Loop
from threadpoolctl import threadpool_limits

import heldout
from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.pipeline import Columns
from heldout.numerics.problem import TrainingSet, TrainingSets
from heldout.resampling.split import Partition


def seconds_in_memory(goal: Goal) -> float:
    """All estimates of the task in memory; libraries are loaded before, as for the peers."""
    features, target = goal.table.draw()
    frame = pd.DataFrame(features, columns=goal.table.columns).assign(y=target)
    keys = goal.config()["tasks"][goal.name]
    given = {name: keys[name] for name in ("loss", "estimators", "kfold")}
    _evaluate(frame.iloc[:, -31:], goal, given)
    started = time.perf_counter()
    _evaluate(frame, goal, given)
    return time.perf_counter() - started


def _evaluate(frame: pd.DataFrame, goal: Goal, given: dict[str, Any]) -> None:
    heldout.evaluate(frame, "y", {goal.name: goal.block}, cores=CORES, progress=False, **given)


def ratio_of_fits(goal: Goal, loop: Loop) -> float:
    """Fits and their predictions of held-out rows, over the same fits of the peer: one process, no files."""
    with threadpool_limits(1):
        return min(_ours(goal) for _ in range(3)) / min(_theirs(goal, loop) for _ in range(3))


def _training_sets(goal: Goal) -> list[TrainingSet]:
    """Those of nested cross-validation, without the final model's."""
    n, folds = goal.table.n, range(goal.k)
    partition = Partition(1, goal.k, np.random.default_rng(1).permutation(np.arange(n) % goal.k))
    left_out = [(i,) for i in folds] + list(combinations(folds, 2))
    resamples = [partition.without(*one) for one in left_out]
    return [TrainingSet(r.name, r.train, list(r.held.values())) for r in resamples]


def _ours(goal: Goal) -> float:
    features, target = goal.table.draw()
    names = goal.table.columns
    labels = [str(label) for label in np.unique(target)] if goal.table.classes else None
    learner = define(goal.name, goal.block)
    engines = by_engine(learner, labels is not None, learner.thetas(0))
    builder = builder_of(learner, Columns(names, frozenset(range(len(names))), labels))
    started = time.perf_counter()
    problems = TrainingSets(features, target, _training_sets(goal))
    for one in _training_sets(goal):
        for outcome in run.fit(problems.problem(builder, one, 1), engines):
            assert outcome.error is None, outcome.error
    return time.perf_counter() - started


def _theirs(goal: Goal, loop: Loop) -> float:
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    features, target = goal.table.draw()
    search = loop.search(goal.loss)
    started = time.perf_counter()
    for one in _training_sets(goal):
        for theta in ParameterGrid(search.param_grid):
            model = clone(search.estimator).set_params(**theta)
            model.fit(features[one.train], target[one.train])
            predict = getattr(model, "predict_proba", model.predict)
            for held in one.held:
                predict(features[held])
    return time.perf_counter() - started
