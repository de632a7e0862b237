"""Learners with `steps:` give what a Pipeline fitted by hand to the same rows gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from by_hand import COLUMNS, LOGISTIC, by_columns
from fitting import builder_for
from mixed_table import SEED, TRAIN, outcomes_of, predictions_of, problem_of, split, table_for
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, TargetEncoder
from sklearn.tree import DecisionTreeClassifier

from heldout.learners.learner import define
from heldout.numerics.engines import generic, steps
from heldout.numerics.errors import LearnerError
from heldout.numerics.problem import Problem
from heldout.numerics.steps.prepare import Prepare


def test_columns_by_kind_and_grids_that_reach_into_them(tmp_path: Path) -> None:
    table = table_for(tmp_path, "label")
    grid = {"columns__numbers__impute__strategy": ["mean", "median"], "logistic__C": [0.1, 3.0]}
    outcomes = outcomes_of(table, {"steps": [COLUMNS, "logistic"], "grid": grid})
    train, target, held = split(table)
    for outcome in outcomes:
        strategy, c = (
            outcome.theta["columns__numbers__impute__strategy"],
            outcome.theta["logistic__C"],
        )
        model = LogisticRegression(C=c, **LOGISTIC, random_state=SEED)
        by_hand = make_pipeline(by_columns(strategy), model).fit(train, target)
        np.testing.assert_allclose(
            outcome.predictions.proba, by_hand.predict_proba(held), rtol=0, atol=1e-10
        )
        np.testing.assert_array_equal(outcome.predictions.label, by_hand.predict(held))
    assert len(outcomes) == 4


def test_selection_inside_the_fold_and_switched_off(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    chosen = [COLUMNS, "kbest", "forest"]
    grid = {"kbest": ["passthrough"], "n_estimators": [7]}
    [off] = outcomes_of(table, {"steps": chosen, "grid": grid})
    [on] = outcomes_of(table, {"steps": chosen, "grid": {"kbest__k": [3], "n_estimators": [7]}})
    train, target, held = split(table)
    forest = RandomForestRegressor(7, random_state=SEED)
    select = SelectKBest(f_regression, k=3)
    for outcome, before in ((off, [by_columns()]), (on, [by_columns(), select])):
        by_hand = make_pipeline(*before, forest).fit(train, target).predict(held)
        np.testing.assert_allclose(outcome.predictions.value, by_hand, rtol=0, atol=1e-10)


def test_scikit_learns_random_and_cross_fitted_steps(tmp_path: Path) -> None:
    """Training rows are predicted by `transform`, not by what a cross-fitted step gave when it was fitted."""
    table = table_for(tmp_path, "rare")
    encode = {"columns": {"colour": ["impute", "target"]}}
    problem = problem_of(table, {"steps": [encode, "tree"]})
    same = Problem(**{**vars(problem), "held_features": problem.train_features})
    [outcome] = steps.run(same, [{}])
    train, target, _ = split(table)
    folds = {"cv": StratifiedKFold(5, shuffle=True, random_state=SEED)}
    if TargetEncoder().get_params().get("random_state", "") is None:  # before scikit-learn 1.9
        folds = {"random_state": SEED}
    encoder = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        TargetEncoder(**folds),
    )
    before = ColumnTransformer([("c", encoder, ["colour"])])
    by_hand = make_pipeline(before, DecisionTreeClassifier(random_state=SEED)).fit(train, target)
    np.testing.assert_allclose(outcome.predictions.proba, by_hand.predict_proba(train), atol=1e-10)


def test_target_transformations(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    block = {"steps": [COLUMNS, "ridge"], "grid": {"alpha": [2.0]}}
    train, target, held = split(table)
    for name, there, back in (("log", np.log, np.exp), ("log1p", np.log1p, np.expm1)):
        model = TransformedTargetRegressor(Ridge(2.0), func=there, inverse_func=back)
        by_hand = make_pipeline(by_columns(), model).fit(train, target).predict(held)
        found = predictions_of(table, {**block, "target": name}).value
        np.testing.assert_allclose(found, by_hand, rtol=0, atol=1e-10)
    log, exp = {"function": "numpy.log"}, {"function": "numpy.exp"}
    ridge = {"estimator": "sklearn.linear_model.Ridge", "params": {"alpha": 2.0}}
    params = {"regressor": ridge, "func": log, "inverse_func": exp}
    own = {"step": "sklearn.compose.TransformedTargetRegressor", "params": params}
    theirs = predictions_of(table, {"steps": [COLUMNS, own]}).value
    ours = predictions_of(table, {**block, "target": "log"}).value
    np.testing.assert_array_equal(theirs, ours)


def test_a_short_name_with_a_transformed_target_keeps_its_preprocessing(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    block = {"estimator": "ridge", "grid": {"alpha": [2.0]}, "target": "log"}
    train, target, held = split(table)
    prepare = Prepare(dict(zip(table.names, kinds(table), strict=True)), scale=True)
    by_hand = make_pipeline(prepare, Ridge(2.0, random_state=SEED)).fit(train, np.log(target))
    found = predictions_of(table, block).value
    np.testing.assert_allclose(found, np.exp(by_hand.predict(held)), rtol=0, atol=1e-10)


def kinds(table: Any) -> list[str]:
    return [column["kind"] for column in table.facts["schema"]["columns"]]


@pytest.mark.parametrize("scale", [True, False])
def test_prepare_makes_of_a_frame_what_short_names_make_of_the_matrix(
    tmp_path: Path, scale: bool
) -> None:
    table = table_for(tmp_path, "label")
    plain = define("plain", {"estimator": "logistic", "scale": scale})
    builder = builder_for(plain, table)
    held = table.features[TRAIN:]
    problem = Problem(builder, table.features[:TRAIN], table.target[:TRAIN], held, SEED)
    _, train_matrix, held_matrix = generic.preprocess(problem, builder.recipe({}))
    prepare = Prepare(dict(zip(table.names, kinds(table), strict=True)), scale=scale)
    train, _, held_frame = split(table)
    np.testing.assert_array_equal(prepare.fit_transform(train), train_matrix)
    np.testing.assert_array_equal(prepare.transform(held_frame), held_matrix)


def test_texts_are_hashed_for_every_learner(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare", texts=True)
    found = outcomes_of(table, {"estimator": "forest", "grid": {"n_estimators": [9]}})
    assert [outcome.engine for outcome in found] == ["steps"]
    train, target, held = split(table)
    others = [name for name in table.names if name != "note"]
    known = dict(zip(table.names, kinds(table), strict=True))
    prepare = Prepare({name: known[name] for name in others})
    vectorizer = HashingVectorizer(n_features=256, ngram_range=(1, 2))

    def matrix(rows: pd.DataFrame, fit: bool) -> np.ndarray:
        plain = prepare.fit_transform(rows[others]) if fit else prepare.transform(rows[others])
        return np.hstack([plain, vectorizer.transform(rows["note"]).toarray()])

    model = RandomForestClassifier(9, random_state=SEED).fit(matrix(train, True), target)
    np.testing.assert_allclose(
        found[0].predictions.proba, model.predict_proba(matrix(held, False)), atol=1e-12
    )


class Spy(TransformerMixin, BaseEstimator):
    """Notes the rows that it is fitted to, and wants the user's columns."""

    seen: list[list[float]] = []  # noqa: RUF012

    def fit(self, frame: pd.DataFrame, target: Any = None) -> "Spy":
        assert list(frame.columns[:2]) == ["length", "width"]
        assert len(frame) == len(target)
        Spy.seen.append(frame["length"].tolist())
        return self

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(area=frame["length"] * frame["width"].fillna(1.0))


def test_steps_see_training_rows_only_and_the_users_columns(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    Spy.seen.clear()
    spied = [f"{__name__}.Spy", "prepare", "svm"]
    outcomes_of(table, {"steps": spied, "grid": {"C": [1, 2]}})
    training = table.features[:TRAIN, 0].tolist()
    assert Spy.seen == [training]  # one fit, shared by both θ
    outcomes_of(table, {"steps": spied, "grid": {"C": [1]}, "calibrate": "sigmoid"})
    inner = Spy.seen[1:]
    assert len(inner) == 5
    assert all(set(rows) < set(training) for rows in inner)


def test_frames_pass_between_steps_where_they_can(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    block = {"steps": ["prepare", "minmax", "logistic"], "grid": {"C": [1.0]}}
    [outcome] = outcomes_of(table, {**block, "steps": [COLUMNS, "minmax", "logistic"]})
    names = list(outcome.model[-1].feature_names_in_)
    assert "numbers__length" in names
    assert "categories__colour_red" in names
    sparse = {"step": "sklearn.preprocessing.OneHotEncoder", "params": {"handle_unknown": "ignore"}}
    mixed = {"columns": {"colour": ["impute", sparse], "length": "scale"}}
    solver = {"step": "logistic", "params": {"solver": "lbfgs", "C": 1.0}}
    [outcome] = outcomes_of(table, {"steps": [mixed, solver]})
    assert outcome.predictions.proba.shape == (30, 2)


def test_the_axis_features_chooses_columns_of_the_frame(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    grid = {"C": [1.0], "features": [["width", "colour"], ["colour", "width"]]}
    one, other = outcomes_of(table, {"steps": ["prepare", "logistic"], "grid": grid})
    assert list(one.model[0].names) == list(other.model[0].names) == ["width", "colour"]
    np.testing.assert_array_equal(one.predictions.proba, other.predictions.proba)
    train, target, held = split(table)
    prepare = Prepare({"width": "number", "colour": "category"}, scale=True)
    model = LogisticRegression(C=1.0, **LOGISTIC)
    by_hand = Pipeline([("p", prepare), ("m", model)]).fit(train[["width", "colour"]], target)
    expected = by_hand.predict_proba(held[["width", "colour"]])
    np.testing.assert_allclose(one.predictions.proba, expected, rtol=0, atol=1e-10)


def test_class_weights_by_label_reach_the_model_and_nested_estimators(tmp_path: Path) -> None:
    table = table_for(tmp_path, "label")
    weights = {"low": 1, "mid": 2, "high": 5}
    grid = {"C": [1.0], "class_weight": [weights, "balanced"]}
    found = outcomes_of(table, {"steps": [COLUMNS, "logistic"], "grid": grid})
    train, target, held = split(table)
    codes = {table.classes.index(label): weight for label, weight in weights.items()}
    for outcome, given in zip(found, (codes, "balanced"), strict=True):
        model = LogisticRegression(C=1.0, class_weight=given, **LOGISTIC)
        by_hand = make_pipeline(by_columns(), model).fit(train, target)
        expected = by_hand.predict_proba(held)
        np.testing.assert_allclose(outcome.predictions.proba, expected, rtol=0, atol=1e-10)


def test_lists_become_tuples_where_parameters_are_tuples(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    scaled = {"step": "minmax", "params": {"feature_range": [0, 2]}}
    [outcome] = outcomes_of(table, {"steps": ["prepare", scaled, "linear"]})
    assert isinstance(outcome.model["minmax"], MinMaxScaler)
    assert outcome.model["minmax"].feature_range == (0, 2)


@pytest.mark.parametrize(
    ("block", "problem", "name"),
    [
        (
            {"steps": ["prepare", "kbest", "ridge"], "grid": {"kbset__k": [1]}},
            "unknown_step",
            "kbset",
        ),
        (
            {"steps": ["prepare", "kbest", "ridge"], "grid": {"kbest__q": [1]}},
            "unknown_parameter",
            None,
        ),
        ({"steps": ["prepare", "ridge"], "grid": {"alhpa": [1]}}, "unknown_parameter", "alhpa"),
        (
            {"steps": ["prepare", "kbest", "ridge"], "grid": {"kbest": ["pca"]}},
            "refused_parameter",
            None,
        ),
        ({"steps": [{"columns": {"lenght": "scale"}}, "ridge"]}, "unknown_column", "lenght"),
        ({"steps": ["sklearn.svm.SVR", "ridge"]}, "refused_parameter", None),
    ],
)
def test_what_does_not_exist_is_named(
    tmp_path: Path, block: dict, problem: str, name: str | None
) -> None:
    table = table_for(tmp_path, "score")
    with pytest.raises(LearnerError) as raised:
        outcomes_of(table, block)
    assert raised.value.problem == problem
    assert name is None or raised.value.facts["name"] == name


def test_functions_that_draw_from_the_global_state_give_the_same_numbers_again(
    tmp_path: Path,
) -> None:
    table = table_for(tmp_path, "rare")
    score = {"function": "sklearn.feature_selection.mutual_info_classif"}
    chosen = {"step": "kbest", "params": {"score_func": score, "k": 2}}
    found = []
    for _ in range(2):
        [outcome] = outcomes_of(
            table, {"steps": [COLUMNS, chosen, "tree"], "grid": {"max_depth": [2]}}
        )
        found.append(outcome.model["kbest"].scores_)
        np.random.random()  # noqa: NPY002
    np.testing.assert_array_equal(found[0], found[1])


def test_an_estimator_and_a_function_for_steps_among_the_params(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    step = {"step": "sklearn.feature_selection.SelectFromModel", "params": {"max_features": 4}}
    step["params"]["estimator"] = {"estimator": "ridge"}
    params = {
        "selectfrommodel__estimator": {"estimator": "tree", "params": {"max_depth": 3}},
        "kbest__score_func": {"function": "sklearn.feature_selection.r_regression"},
        "kbest__k": 2,
    }
    block = {"steps": [COLUMNS, step, "kbest", "ridge"], "params": params, "grid": {"alpha": [1.0]}}
    [outcome] = outcomes_of(table, block)
    assert type(outcome.model["selectfrommodel"].estimator_).__name__ == "DecisionTreeRegressor"
    assert outcome.model["kbest"].score_func.__name__ == "r_regression"
