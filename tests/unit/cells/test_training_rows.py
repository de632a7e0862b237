"""Models keep the numbers of training rows, not copies of them, and predict the same bits when they are opened."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import Pipeline
from tables import prepared

from heldout.cells.fit import Fitter
from heldout.cells.model_file import SHARED, DamagedError, ModelPickler, open_model
from heldout.cells.plan import Plan, columns_of, has_texts
from heldout.cells.problems import Problems
from heldout.cells.store import Cell, Store
from heldout.cells.training_rows import TrainingMatrix
from heldout.data.prepared import Prepared
from heldout.learners.learner import define
from heldout.names import Theta
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.combination import Combination, combined
from heldout.numerics.engines.registry import by_engine, numeric_code
from heldout.numerics.predict import predict
from heldout.predictions import Predictions
from heldout.provenance import library_versions
from heldout.resampling.split import Resample

N, WIDTH = 500, 12
COPY = 400 * (WIDTH + 1) * 8
"""The bytes of a copy of the training rows: more than are kept inside of a model."""
NEAR = "sklearn.neighbors.KNeighborsClassifier"
SCALED = ["impute", "scale"]
Case = tuple[str, dict[str, Any], Theta]
HOLD_ROWS: dict[str, Case] = {
    "knn": ("label", {"estimator": "knn"}, {"n_neighbors": 5}),
    "knn, numbers": ("score", {"estimator": "knn"}, {"n_neighbors": 5}),
    "k-d tree": ("label", {"estimator": NEAR}, {"weights": "distance", "algorithm": "kd_tree"}),
    "radius": (
        "score", {"estimator": "sklearn.neighbors.RadiusNeighborsRegressor"}, {"radius": 9.0},
    ),
    "svm": ("label", {"estimator": "svm"}, {"C": 1.0}),
    "svm, numbers": ("score", {"estimator": "svm"}, {"C": 1.0}),
    "svm, generic": ("label", {"estimator": "svm", "params": {"break_ties": True}}, {"C": 1.0}),
    "kernel ridge": ("score", {"estimator": "sklearn.kernel_ridge.KernelRidge"}, {"kernel": "rbf"}),
    "steps": ("score", {"steps": [*SCALED, "knn"]}, {"n_neighbors": 5}),
}  # fmt: skip
OTHERS: dict[str, Case] = {
    "forest": ("label", {"estimator": "forest"}, {"n_estimators": 10}),
    "boosting": ("label", {"estimator": "boosting"}, {"max_iter": 25}),
    "pca": ("score", {"steps": [*SCALED, "pca", "knn"]}, {"n_neighbors": 5}),
}
"""Models without training rows, or with such that linear algebra has changed."""
FOLD = Resample("fold", np.arange(100, N), {"fold": np.arange(100)})
BAG = Resample("bag", np.sort(np.random.default_rng(1).integers(100, N, N - 100)), FOLD.held)


def plan_for(folder: Path, case: Case) -> Plan:
    target, block, theta = case
    grid = {name: [value] for name, value in theta.items()}
    generator = np.random.default_rng(5)
    numbers = {f"x{i:02d}": generator.normal(3.0, 2.0, size=N) for i in range(WIDTH)}
    score = numbers["x00"] - numbers["x01"] + generator.normal(size=N)
    gaps = np.where(generator.random(N) < 0.1, None, generator.normal(size=N))
    label = np.array(["low", "mid", "high"])[np.digitize(score, [-1, 1])]
    given = {**numbers, "gaps": gaps.tolist(), "score": score, "label": label.tolist()}
    drop = ["score" if target == "label" else "label"]
    table = prepared(folder, given, target=target, drop=drop)
    learner = define("mine", {**block, "grid": grid})
    return Plan("t", 19, table, [learner], [], numeric_code(), library_versions())


def stored(plan: Plan, folder: Path, resample: Resample) -> Path:
    """The file of a fitted model."""
    fitter = Fitter(plan, Store(folder / "cells"), "all", None)
    [learner] = plan.learners
    [theta] = learner.thetas(plan.seed)
    fitter.ensure(learner, resample, [theta])
    assert not fitter.batch.failures
    return fitter.store.path(Cell(learner.name, theta, resample.name), "model")


def fitted_here(plan: Plan, resample: Resample) -> Any:
    """The same model, as it was before it was stored."""
    [learner] = plan.learners
    builder = builder_of(learner, columns_of(plan.table))
    thetas = learner.thetas(plan.seed)
    engines = by_engine(learner, builder.classification, thetas, False, has_texts(plan.table))
    [outcome] = run.fit(Problems(plan).problem(builder, resample), engines)
    return outcome.model


def said(model: Any, table: Prepared) -> Predictions:
    """All kinds of predictions, for all rows."""
    frame = getattr(model[0], "takes_frame", False)
    rows = table.frame if frame else np.array(table.features)
    return predict(model[-1], model[:-1].transform(rows), table.classes)


def same_bits(one: Predictions, other: Predictions) -> bool:
    ours, theirs = one.arrays(), other.arrays()
    return ours.keys() == theirs.keys() and all(
        ours[name].tobytes() == theirs[name].tobytes() for name in ours
    )


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("case", "resample"), [*((one, FOLD) for one in HOLD_ROWS), ("knn", BAG), ("svm", BAG)]
)
def test_an_opened_model_has_its_training_rows_again(
    tmp_path: Path, case: str, resample: Resample
) -> None:
    plan = plan_for(tmp_path, HOLD_ROWS[case])
    model = open_model(stored(plan, tmp_path, resample))
    assert same_bits(said(model, plan.table), said(fitted_here(plan, resample), plan.table))
    assert bytes_in(tmp_path / "cells") < 0.7 * COPY


@pytest.mark.parametrize("case", OTHERS.values(), ids=OTHERS)
def test_a_compressed_model_predicts_the_same_bits(tmp_path: Path, case: Case) -> None:
    plan = plan_for(tmp_path, case)
    path = stored(plan, tmp_path, FOLD)
    assert same_bits(said(open_model(path), plan.table), said(fitted_here(plan, FOLD), plan.table))


WIDE = 2000
COMBINED: dict[str, tuple[bool, dict[str, Any], Theta]] = {
    "ridge": (False, {"estimator": "ridge"}, {"alpha": 0.5}),
    "ridge without intercept": (
        False, {"estimator": "ridge", "params": {"fit_intercept": False}}, {"alpha": 0.5},
    ),
    "ridge, classes": (True, {"estimator": "ridge"}, {"alpha": 0.5}),
    "logistic": (True, {"estimator": "logistic"}, {"C": 0.5}),
    "linear svm": (True, {"estimator": "sklearn.svm.LinearSVC"}, {"C": 0.5}),
    "linear svm, numbers": (False, {"estimator": "sklearn.svm.LinearSVR"}, {"C": 0.5}),
}  # fmt: skip


def wide_plan(folder: Path, classes: bool, block: dict[str, Any], theta: Theta) -> Plan:
    """Many columns, some values missing, and a category."""
    generator = np.random.default_rng(6)
    columns: dict[str, Any] = {
        f"x{i:04d}": generator.normal(3.0, 2.0, size=40) for i in range(WIDE)
    }
    score = columns["x0000"] - columns["x0001"] + generator.normal(size=40)
    columns["x0002"] = np.where(generator.random(40) < 0.2, np.nan, columns["x0002"])
    columns["colour"] = generator.choice(["red", "green", "blue"], size=40).tolist()
    label = np.array(["low", "mid", "high"])[np.argsort(np.argsort(score)) * 3 // 40]
    table = prepared(folder, {**columns, "y": (label if classes else score).tolist()}, target="y")
    learner = define("mine", {**block, "grid": {k: [v] for k, v in theta.items()}})
    return Plan("t", 19, table, [learner], [], numeric_code(), library_versions())


FEW = Resample(
    "fold", np.sort(np.random.default_rng(1).integers(8, 40, 32)), {"fold": np.arange(8)}
)


@pytest.mark.parametrize("case", COMBINED.values(), ids=COMBINED)
def test_coefficients_that_are_combinations_of_rows_come_again(
    tmp_path: Path, case: tuple[bool, dict[str, Any], Theta]
) -> None:
    plan = wide_plan(tmp_path, *case)
    path = stored(plan, tmp_path, FEW)
    assert path.stat().st_size < WIDE * 8 / 4
    opened, here = open_model(path), fitted_here(plan, FEW)
    np.testing.assert_array_equal(opened[-1].coef_, here[-1].coef_)
    assert opened[-1].coef_.dtype == here[-1].coef_.dtype
    assert same_bits(said(opened, plan.table), said(here, plan.table))


def test_they_do_not_with_another_table(tmp_path: Path) -> None:
    plan = wide_plan(tmp_path, *COMBINED["ridge"])
    path = stored(plan, tmp_path, FEW)
    features = np.load(tmp_path / "data" / "X.npy")
    held, trained = 3, int(FEW.train[0])
    features[held, 3] = 7.0
    np.save(tmp_path / "data" / "X.npy", features)
    open_model(path)
    features[trained, 3] = np.nextafter(features[trained, 3], np.inf)
    np.save(tmp_path / "data" / "X.npy", features)
    with pytest.raises(DamagedError, match="is another one or damaged"):
        open_model(path)
    np.save(tmp_path / "data" / "X.npy", features[:20])
    np.save(tmp_path / "data" / "y.npy", np.zeros(20))
    with pytest.raises(DamagedError, match="is another one or damaged"):
        open_model(path)


def test_coefficients_are_stored_where_rows_cannot_be_made_again(tmp_path: Path) -> None:
    plan = wide_plan(tmp_path, *COMBINED["ridge"])
    pipeline = fitted_here(plan, FEW)
    rows = pipeline[:-1].transform(np.array(plan.table.features[FEW.train]))
    weights = np.linspace(-1.0, 1.0, len(rows))
    pipeline[-1].coef_ = Combination(rows, weights)
    pickled = ModelPickler().dump(pipeline, [])
    pickled.save(str(tmp_path / SHARED), str(tmp_path / "a" / "b" / "full.model"))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(pipeline))[-1].coef_, combined(rows, weights)
    )
    opened = open_model(tmp_path / "a" / "b" / "full.model")
    np.testing.assert_array_equal(opened[-1].coef_, combined(rows, weights))


def test_ridge_is_fitted_again_for_other_rows(tmp_path: Path) -> None:
    """It takes less time than to open the model, and gives the bits of a fit that found no store."""
    plan = wide_plan(tmp_path, *COMBINED["ridge"])
    stored(plan, tmp_path, FEW)
    more = Resample(FEW.name, FEW.train, {**FEW.held, "train": FEW.train})
    found = {}
    for folder in (tmp_path, tmp_path / "other"):
        fitter = Fitter(plan, Store(folder / "cells"), "all", None)
        fitter.ensure(plan.learners[0], more, plan.learners[0].thetas(plan.seed))
        [(_, record)] = fitter.batch.cells
        assert (fitter.batch.fitted, record.engine) == (1, "ridge")
        found[folder] = record.score
    assert len(set(found.values())) == 1


def test_trees_take_less_than_half_of_their_size(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, OTHERS["forest"])
    path = stored(plan, tmp_path, FOLD)
    assert path.stat().st_size < 0.4 * len(pickle.dumps(open_model(path)))


def test_a_model_is_not_opened_with_another_table(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, HOLD_ROWS["knn"])
    path = stored(plan, tmp_path, FOLD)
    features = np.load(tmp_path / "data" / "X.npy")
    features[450, 3] = np.nextafter(features[450, 3], np.inf)
    np.save(tmp_path / "data" / "X.npy", features)
    with pytest.raises(DamagedError, match="is another one or damaged: run `heldout run`"):
        open_model(path)
    np.save(tmp_path / "data" / "X.npy", features[: N - 1])
    np.save(tmp_path / "data" / "y.npy", np.zeros(N - 1))
    with pytest.raises(DamagedError, match="is another one or damaged"):
        open_model(path)
    (tmp_path / "data" / "table.json").unlink()
    with pytest.raises(DamagedError, match="could not be read"):
        open_model(path)


def test_a_change_outside_of_the_training_rows_does_not_matter(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, HOLD_ROWS["knn"])
    path = stored(plan, tmp_path, FOLD)
    features = np.load(tmp_path / "data" / "X.npy")
    features[50] += 1.0
    np.save(tmp_path / "data" / "X.npy", features)
    assert open_model(path)[-1].features_.shape == (400, WIDTH + 2)


def matrix(values: list[list[float]]) -> TrainingMatrix:
    features = np.array(values)
    return TrainingMatrix(
        Prepared({}, features, features[:, 0], features), np.arange(len(values)), []
    )


@pytest.mark.parametrize(
    ("array", "found"),
    [
        ([[0.0, 1.0], [2.0, 3.0]], slice(None)),
        ([[2.0, 3.0]], [1]),
        ([[2.0, 3.0], [0.0, 1.0], [2.0, 3.0]], [1, 0, 1]),
        ([[-0.0, 1.0], [2.0, 3.0]], None),
        ([[0.0, 1.0], [2.0, 3.1]], None),
        ([[0.0], [2.0]], None),
        ([0.0, 1.0], None),
    ],
)
def test_rows_are_found_by_their_bits(array: list[Any], found: Any) -> None:
    places = matrix([[0.0, 1.0], [2.0, 3.0]]).places(np.array(array))
    assert (places.tolist() if isinstance(places, np.ndarray) else places) == found


def test_numbers_of_another_type_are_no_rows() -> None:
    assert matrix([[0.0, 1.0]]).places(np.array([[0.0, 1.0]], np.float32)) is None


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_have_the_order_in_memory_that_they_had(tmp_path: Path, order: Any) -> None:
    """Sums over rows in another order are rounded otherwise."""
    plan = plan_for(tmp_path, HOLD_ROWS["knn"])
    held = {"rows": np.array(plan.table.features[FOLD.train], order=order)}
    pickled = ModelPickler(plan.table, FOLD.train).dump(Pipeline([("model", held)]), [])
    path = tmp_path / "cells" / "mine" / "theta" / "fold.model"
    pickled.save(str(tmp_path / "cells" / SHARED), str(path))
    assert path.stat().st_size < 1000
    rows = open_model(path)[-1]["rows"]
    assert rows.flags[f"{order}_CONTIGUOUS"]
    assert rows.tobytes(order) == held["rows"].tobytes(order)
