"""A θ gets the same bits alone, in any part of its grid and in any order: in its predictions and its stored model.

Engines fit the θ of a grid together, and training sets of a job one after another. What they share must not show.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from installed_libraries import INSTALLED
from tables import prepared
from threadpoolctl import threadpool_limits

from heldout.cells.plan import columns_of
from heldout.data.prepared import Prepared
from heldout.learners.learner import Learner, define
from heldout.names import Theta, canonical
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.engines import leave_one_out
from heldout.numerics.engines.registry import ENGINES, LEAVE_ONE_OUT, by_engine
from heldout.numerics.problem import Outcome, TrainingSet, TrainingSets

SEED = 11


class Case(NamedTuple):
    """A learner's block of the config, the targets that it is fitted to, and the tables that are too large."""

    block: dict[str, Any]
    targets: tuple[str, ...]
    without: tuple[str, ...] = ()


TWO, THREE, NUMBER = "two", "three", "number"
CLASSES, EVERY = (TWO, THREE), (TWO, THREE, NUMBER)
STEPS: dict[str, Any] = {
    "steps": ["prepare", "logistic"],
    "params": {"logistic__max_iter": 200},
    "grid": {"logistic__C": [10.0, 0.1, 1.0]},
}
CASES = {
    "knn": Case({"estimator": "knn", "grid": {"n_neighbors": [5, 1, 12, 3]}}, EVERY),
    "ridge": Case({"estimator": "ridge", "grid": {"alpha": [1.0, 1e-3, 100.0, 0.1]}}, EVERY),
    "linear": Case({"estimator": "linear", "grid": {"fit_intercept": [True, False]}}, (NUMBER,)),
    "lasso": Case({"estimator": "lasso", "grid": {"alpha": [0.3, 0.01, 1.0, 0.1]}}, (NUMBER,)),
    "elastic net": Case(
        {"estimator": "sklearn.linear_model.ElasticNet",
         "params": {"tol": 1e-10, "max_iter": 100_000},
         "grid": {"alpha": [0.3, 0.03], "l1_ratio": [0.9, 0.2]}}, (NUMBER,)),
    "logistic": Case({"estimator": "logistic", "grid": {"C": [1.0, 0.01, 100.0, 0.1]}}, CLASSES),
    "balanced logistic": Case(
        {"estimator": "logistic", "params": {"class_weight": "balanced"},
         "grid": {"C": [1.0, 0.01, 10.0]}}, (TWO,)),
    "svm": Case(
        {"estimator": "svm", "grid": {"C": [1.0, 0.1, 10.0], "gamma": ["scale", 0.05]}}, EVERY),
    "linear svm": Case(
        {"estimator": "sklearn.svm.LinearSVC", "grid": {"C": [1.0, 0.01, 10.0]}}, CLASSES),
    "tree by depth": Case({"estimator": "tree", "grid": {"max_depth": [3, 1, None, 2]}}, EVERY),
    "tree by pruning": Case({"estimator": "tree", "grid": {"ccp_alpha": [0.01, 0.0, 0.05]}}, EVERY),
    "forest": Case(
        {"estimator": "forest", "grid": {"n_estimators": [4, 1, 7], "max_depth": [2, None]}},
        (THREE, NUMBER)),
    "boosting": Case({"estimator": "boosting", "grid": {"max_iter": [3, 1, 6]}}, EVERY),
    "boosting by leaves": Case(
        {"estimator": "boosting",
         "grid": {"max_iter": [3, 6], "max_leaf_nodes": [9, 4], "max_bins": [255, 7]}}, (TWO, NUMBER)),
    "gradient boosting": Case(
        {"estimator": "sklearn.ensemble.GradientBoostingRegressor",
         "grid": {"n_estimators": [3, 1, 6], "subsample": [0.5, 1.0]}}, (NUMBER,)),
    # Of the plain table, degree 4 has more columns than there are rows, and is fitted by itself.
    "polynomial": Case({"estimator": "polynomial", "grid": {"poly__degree": [2, 1, 3, 4]}}, (NUMBER,),
                       ("wide",)),
    "lightgbm": Case(
        {"estimator": "lightgbm", "params": {"min_child_samples": 3},
         "grid": {"n_estimators": [3, 1, 6]}}, (TWO, NUMBER)),
    "steps": Case(STEPS, (THREE,)),
    "generic": Case(
        {"estimator": "sklearn.naive_bayes.GaussianNB",
         "grid": {"var_smoothing": [1e-3, 1e-6, 0.1]}}, (THREE,)),
    "xgboost": Case({"estimator": "xgboost", "grid": {"n_estimators": [3, 1, 6]}}, EVERY),
    "catboost": Case({"estimator": "catboost", "grid": {"iterations": [3, 1, 6]}}, EVERY),
    "sklearnex": Case(
        {"estimator": "sklearnex.ensemble.RandomForestClassifier",
         "grid": {"n_estimators": [3, 1, 6]}}, (TWO,)),
}  # fmt: skip
for _missing in {"xgboost", "catboost", "sklearnex"}.difference(INSTALLED):
    del CASES[_missing]


def plain(n: int = 60) -> dict[str, Any]:
    """Numbers that have nothing to do with one another."""
    generator = np.random.default_rng(2)
    return {f"x{i}": generator.normal(size=n) for i in range(4)}


def ties(n: int = 60) -> dict[str, Any]:
    """Few values, equal rows, a constant column and one that repeats another."""
    generator = np.random.default_rng(3)
    columns = {f"x{i}": generator.integers(0, 3, size=n).astype(float) for i in range(4)}
    return columns | {"constant": np.full(n, 0.1), "again": 2 * columns["x0"]}


def wide(n: int = 30, p: int = 60) -> dict[str, Any]:
    """More columns than rows."""
    generator = np.random.default_rng(4)
    return {f"x{i:02d}": generator.normal(size=n) for i in range(p)}


def mixed(n: int = 60) -> dict[str, Any]:
    """Numbers of other sizes with values missing, and two blocks of categories."""
    generator = np.random.default_rng(5)
    small, large = generator.normal(size=n), generator.normal(50, 1000, size=n)
    return {
        "small": np.where(generator.random(n) < 0.2, np.nan, small),
        "large": large,
        "whole": generator.integers(0, 5, size=n).astype(float),
        "colour": generator.choice(["red", "green", "blue", None], size=n).tolist(),
        "place": generator.choice(list("abcdefgh"), size=n).tolist(),
    }


TABLES: dict[str, Callable[[], dict[str, Any]]] = {
    "plain": plain,
    "ties": ties,
    "wide": wide,
    "mixed": mixed,
}


class Data:
    """The prepared tables, each made when it is needed."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._made: dict[tuple[str, str], Prepared] = {}

    def table(self, name: str, target: str) -> Prepared:
        """The table with a target that depends on its first two columns; rows have weights."""
        if (name, target) not in self._made:
            columns = TABLES[name]()
            folder = self._folder / f"{name}-{target}"
            folder.mkdir()
            known = columns | {"y": target_of(columns, target), "weight": weights_of(columns)}
            self._made[name, target] = prepared(folder, known, weights="weight")
        return self._made[name, target]


def target_of(columns: dict[str, Any], kind: str) -> list[Any]:
    """A noisy score of the first two columns, or a class of it."""
    first, second = (np.nan_to_num(values) for values in list(columns.values())[:2])
    noise = np.random.default_rng(6).normal(size=len(first))
    score = first + 0.5 * second / second.std() + noise
    classes = {TWO: ["no", "yes"], THREE: ["low", "mid", "high"]}.get(kind)
    if classes is None:
        return score.tolist()
    ranks = np.argsort(np.argsort(score))
    return np.array(classes)[ranks * len(classes) // len(score)].tolist()


def weights_of(columns: dict[str, Any]) -> list[float]:
    """Whole numbers, from one to three."""
    n = len(next(iter(columns.values())))
    return np.random.default_rng(9).integers(1, 4, size=n).astype(float).tolist()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Data]:
    with threadpool_limits(1):  # as in the workflow
        yield Data(tmp_path_factory.mktemp("tables"))


def training_sets(n: int) -> list[TrainingSet]:
    """Three sets, each of which predicts a fifth of the rows."""
    fold = np.random.default_rng(7).permutation(np.arange(n) % 5)
    return [
        TrainingSet(str(i), np.flatnonzero(fold != i), [np.flatnonzero(fold == i)])
        for i in range(3)
    ]


Bits = dict[str, tuple[str, dict[str, np.ndarray]]]
"""By θ: its engine, and every number that it gave."""


def bits(
    table: Prepared,
    learner: Learner,
    thetas: Sequence[Theta],
    sets: Sequence[TrainingSet],
    job: Sequence[TrainingSet] = (),
    weighted: bool = False,
) -> Bits:
    """Fit training set after training set; those of a job share what engines keep."""
    builder = builder_of(learner, columns_of(table))
    engines = by_engine(learner, builder.classification, thetas, weighted)
    weights = table.weights if weighted else None
    rows = TrainingSets(table.features, table.target, job, weights, frame=lambda: table.frame)
    found: Bits = {canonical(theta): ("", {}) for theta in thetas}
    for one in sets:
        problem = rows.problem(builder, one, SEED)
        for outcome in run.fit(problem, engines):
            assert outcome.error is None, outcome.error
            numbers = found[canonical(outcome.theta)][1]
            given = numbers_of(outcome, problem.held_features)
            numbers |= {f"{name} of {one.name}": values for name, values in given}
            found[canonical(outcome.theta)] = outcome.engine, numbers
    return found


def numbers_of(outcome: Outcome, held: Any) -> Iterator[tuple[str, np.ndarray]]:
    """What the engine predicted, and what its model predicts when it comes back from a file."""
    assert outcome.predictions is not None
    yield from outcome.predictions.arrays().items()
    model = pickle.loads(pickle.dumps(outcome.model))
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            yield f"the model's {method}", getattr(model, method)(held)


def parts_of(thetas: list[Theta]) -> Iterator[list[Theta]]:
    """The grid turned round, some of it in some order, and each θ alone."""
    generator = np.random.default_rng(8)
    yield thetas[::-1]
    for size in (len(thetas) - 1, 2):
        yield [thetas[i] for i in generator.permutation(len(thetas))[:size]]
    yield from ([theta] for theta in thetas)


def hold(found: Bits, expected: Bits) -> None:
    """Compare bit by bit."""
    for theta, (engine, numbers) in found.items():
        assert numbers.keys() == expected[theta][1].keys()
        for name, values in numbers.items():
            other = expected[theta][1][name]
            np.testing.assert_array_equal(values, other, f"{engine}: {name}, {theta}")


def hold_parts(table: Prepared, case: Case, weighted: bool = False) -> None:
    """Compare every part of a grid with the whole, on one training set."""
    learner, sets = define("mine", case.block), training_sets(table.n)[:1]
    thetas = learner.thetas(SEED)
    whole = bits(table, learner, thetas, sets, weighted=weighted)
    for part in parts_of(thetas):
        hold(bits(table, learner, part, sets, weighted=weighted), whole)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("name", TABLES)
def test_any_part_of_a_grid_in_any_order_gives_the_same_bits(
    data: Data, name: str, case: Case
) -> None:
    for target in case.targets:
        if name not in case.without:
            hold_parts(data.table(name, target), case)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_so_it_does_with_weights(data: Data, case: Case) -> None:
    table = data.table("mixed", case.targets[0])
    if not builder_of(define("mine", case.block), columns_of(table)).refuses_weights():
        hold_parts(table, case, weighted=True)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("name", ["ties", "mixed"])
def test_what_was_fitted_before_on_other_rows_does_not_show(
    data: Data, name: str, case: Case
) -> None:
    table, learner = data.table(name, case.targets[0]), define("mine", case.block)
    thetas, sets = learner.thetas(SEED)[:2], training_sets(table.n)
    job = bits(table, learner, thetas, sets, job=sets)
    hold(job, bits(table, learner, thetas, sets[::-1], job=sets))
    for one in sets:
        alone = bits(table, learner, thetas, [one])
        same = {theta: (engine, {k: v for k, v in given.items() if k in alone[theta][1]})
                for theta, (engine, given) in job.items()}  # fmt: skip
        hold(same, alone)


@pytest.mark.parametrize(
    "block",
    [
        {"estimator": "ridge", "grid": {"alpha": [1.0, 1e-3, 100.0]}},
        {"estimator": "knn", "scale": False, "grid": {"n_neighbors": [3, 1, 9]}},
    ],
    ids=["ridge", "knn"],
)
@pytest.mark.parametrize("name", ["plain", "ties"])
def test_leave_one_out_without_refitting_gives_the_same_bits(
    data: Data, name: str, block: dict[str, Any]
) -> None:
    table, learner = data.table(name, NUMBER), define("mine", block)
    held = [np.array([i]) for i in range(table.n)]

    def values(thetas: list[Theta]) -> dict[str, np.ndarray]:
        builder = builder_of(learner, columns_of(table))
        found = leave_one_out.run(builder, table.features, table.target, held, thetas)
        assert found is not None
        return {canonical(one.theta): one.predictions.value for one in found}

    thetas = learner.thetas(SEED)
    whole = values(thetas)
    for part in parts_of(thetas):
        for theta, found in values(part).items():
            np.testing.assert_array_equal(found, whole[theta])


def engine_names(case: Case) -> set[str]:
    """The engines that fit a case's grid."""
    learner = define("mine", case.block)
    return {
        engine
        for target in case.targets
        for engine in by_engine(learner, target != NUMBER, learner.thetas(SEED))
    }


def test_every_engine_is_tried() -> None:
    tried = set().union(*map(engine_names, CASES.values()))
    assert tried | {LEAVE_ONE_OUT} == set(ENGINES)
