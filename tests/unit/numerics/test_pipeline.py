"""Building learners: names reach the right step, and mistakes are found before any fit."""

import sys

import numpy as np
import pytest
from fitting import builder_for
from tables import prepared

from heldout.cells.plan import columns_of
from heldout.cells.preflight import checked_builder
from heldout.errors import HeldoutError
from heldout.learners.grid import expand
from heldout.learners.learner import define
from heldout.numerics.builders import builder_of
from heldout.numerics.predict import aligned

N = 60
GENERATOR = np.random.default_rng(8)
COLUMNS = {
    "a": GENERATOR.normal(size=N).tolist(),
    "b": GENERATOR.normal(size=N).tolist(),
    "c": GENERATOR.choice(["u", "v", "w"], size=N).tolist(),
    "d": GENERATOR.choice([True, False], size=N).tolist(),
}
LABELS = {"y": GENERATOR.permutation(["no", "perhaps", "yes"] * 20).tolist()}
NUMBERS = {"y": GENERATOR.normal(size=N).tolist()}


@pytest.fixture
def classes(tmp_path):
    return prepared(tmp_path, COLUMNS | LABELS)


@pytest.fixture
def numbers(tmp_path):
    return prepared(tmp_path, COLUMNS | NUMBERS)


def builder(table, name="l", **block):
    return builder_for(define(name, {"estimator": name} | block), table)


def model_for(table, theta, seed=1, **block):
    made = builder(table, **block)
    return made.estimator(made.recipe(theta), seed)


def checked(table, loss_needs=None, **block):
    learner = define("l", {"estimator": "l"} | block)
    thetas = expand(learner.grid, 0, "learners.l.grid")
    checked_builder(learner, columns_of(table), thetas, loss_needs)


def refused(table, loss_needs=None, **block):
    with pytest.raises(HeldoutError) as error:
        checked(table, loss_needs, **block)
    return str(error.value)


# --- steps and their names ------------------------------------------------------------------


def test_features_choose_columns_in_the_order_of_the_table(classes):
    made = builder(classes, estimator="knn")
    assert made.recipe({}).columns == (0, 1, 2, 3)
    assert made.recipe({"features": ["c", "a", "a"]}).columns == (0, 2)
    step = made.preprocessing(made.recipe({"features": ["c", "a"]}))[0]
    assert (step.numbers, step.categories) == ([0], [2])


def test_columns_that_are_not_chosen_do_not_matter(classes):
    made = builder(classes, estimator="knn")
    recipe = made.recipe({"features": ["a", "c"]})
    features = np.array(classes.features)
    before = made.preprocessing(recipe).fit_transform(features)
    features[:, [1, 3]] = np.nan
    assert (made.preprocessing(recipe).fit_transform(features) == before).all()


def test_names_go_to_their_steps(numbers):
    made = builder(numbers, estimator="polynomial")
    theta = {
        "poly__degree": 3,
        "poly__interaction_only": True,
        "prepare__max_levels": 2,
        "fit_intercept": False,
        "model__positive": True,
    }
    recipe = made.recipe(theta)
    steps = dict(made.preprocessing(recipe).steps)
    assert (steps["poly"].degree, steps["poly"].interaction_only) == (3, True)
    assert steps["prepare"].max_levels == 2
    model = made.estimator(recipe, 0)
    assert (model.fit_intercept, model.positive) == (False, True)


def test_fixed_parameters_reach_their_steps_and_give_way_to_theta(numbers):
    made = builder(
        numbers,
        estimator="polynomial",
        params={"poly__degree": 2, "positive": True, "features": ["a"], "fit_intercept": False},
    )
    assert made.preprocessing(made.recipe({}))[-1].degree == 2
    assert made.preprocessing(made.recipe({"poly__degree": 4}))[-1].degree == 4
    assert made.recipe({}).columns == (0,)
    assert made.estimator(made.recipe({}), 0).positive is True
    assert made.estimator(made.recipe({"fit_intercept": True}), 0).fit_intercept is True


def test_thetas_share_their_preprocessing_unless_they_change_it(numbers):
    made = builder(numbers, estimator="polynomial")
    one = made.recipe({"poly__degree": 2, "positive": True}).shared
    assert made.recipe({"poly__degree": 2, "positive": False}).shared == one
    assert made.recipe({"poly__degree": 3}).shared != one
    assert made.recipe({"poly__degree": 2, "features": ["a"]}).shared != one
    assert made.recipe({"poly__degree": 2, "prepare__max_levels": 3}).shared != one


def test_a_prototype_is_never_changed(classes):
    made = builder(classes, estimator="tree")
    made.estimator(made.recipe({"max_depth": 3}), 7)
    assert made.prototype.max_depth is None
    assert made.estimator(made.recipe({}), 7).max_depth is None


def test_scaling_is_where_it_is_needed_or_asked_for(classes):
    def scales(**block):
        made = builder(classes, **block)
        return made.preprocessing(made.recipe({}))[0].scale

    assert scales(estimator="knn")
    assert not scales(estimator="tree")
    assert not scales(estimator="knn", scale=False)
    assert scales(estimator="tree", scale=True)
    assert scales(estimator="sklearn.svm.SVC")
    assert not scales(estimator="sklearn.ensemble.RandomForestClassifier")


# --- any estimator -------------------------------------------------------------------------

FACTORY = """
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier


def pipeline():
    return make_pipeline(StandardScaler(), LogisticRegression())


class Bagged(BaggingClassifier):
    def __init__(self, estimator=None, random_state=None, n_estimators=3):
        tree = estimator or DecisionTreeClassifier()
        super().__init__(tree, random_state=random_state, n_estimators=n_estimators)


def needs(argument):
    return argument
"""


@pytest.fixture
def factory(tmp_path, monkeypatch):
    """A user's own module."""
    (tmp_path / "users_own.py").write_text(FACTORY)
    monkeypatch.syspath_prepend(tmp_path)
    yield "users_own"
    sys.modules.pop("users_own", None)


@pytest.mark.parametrize("path", ["sklearn.svm.SVC", "sklearn.svm:SVC"])
def test_any_import_path(classes, path):
    assert type(model_for(classes, {"C": 2.0}, estimator=path)).__name__ == "SVC"


def test_a_factory_and_names_of_the_steps_inside(classes, factory):
    theta = {"logisticregression__C": 0.25}
    model = model_for(classes, theta, seed=4, estimator=f"{factory}.pipeline")
    assert model[-1].C == 0.25
    assert model[-1].random_state == 4


def test_seeds_reach_every_random_state_that_nobody_set(classes, factory):
    model = model_for(classes, {}, seed=5, estimator=f"{factory}.Bagged")
    assert (model.random_state, model.estimator.random_state) == (5, 5)
    theta = {"estimator__random_state": 9}
    model = model_for(classes, theta, seed=5, estimator=f"{factory}.Bagged")
    assert (model.random_state, model.estimator.random_state) == (5, 9)
    assert model_for(classes, {}, seed=5, estimator="tree").random_state == 5
    fixed = {"estimator": "tree", "params": {"random_state": 0}}
    assert model_for(classes, {}, seed=5, **fixed).random_state == 0
    assert model_for(classes, {"random_state": 9}, seed=5, estimator="tree").random_state == 9
    assert not hasattr(model_for(classes, {}, seed=5, estimator="knn"), "random_state")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sklearn.svmm.SVC", "learners.l.estimator: cannot import 'sklearn.svmm'"),
        ("sklearn.svm.SVCC", "learners.l.estimator: no 'SVCC' in sklearn.svm; did you mean 'SVC'?"),
    ],
)
def test_import_paths_that_do_not_exist(path, message, classes):
    assert message in refused(classes, estimator=path)


# --- class weights -------------------------------------------------------------------------

WEIGHTS = {"no": 1, "yes": 5.5}


def test_class_weights_are_given_by_label(classes):
    by_code = {0: 1, 2: 5.5}
    assert model_for(classes, {"class_weight": WEIGHTS}, estimator="tree").class_weight == by_code
    fixed = {"estimator": "logistic", "params": {"class_weight": WEIGHTS}}
    assert model_for(classes, {}, **fixed).class_weight == by_code
    for other in ("balanced", None):
        model = model_for(classes, {"class_weight": other}, estimator="tree")
        assert model.class_weight == other


def test_class_weights_of_steps_inside(classes, factory):
    theta = {"logisticregression__class_weight": {"perhaps": 2}}
    model = model_for(classes, theta, estimator=f"{factory}.pipeline")
    assert model[-1].class_weight == {1: 2}


def test_class_weights_of_estimators_inside_and_in_their_grids(tmp_path):
    """Codes 0 and 1 of the labels 1 and 2: scikit-learn would take a weight of 1 for that of 2."""
    table = prepared(tmp_path, COLUMNS | {"y": [1, 2] * 30}, classification=True)
    tree = {"estimator": "tree", "params": {"class_weight": {1: 5}}}
    grid = {"class_weight": [{1: 5}, "balanced"]}
    voting = {"estimators": [["a", tree], ["b", {"estimator": "tree"}]]}
    model = model_for(table, {}, estimator="sklearn.ensemble.VotingClassifier", params=voting)
    assert model.estimators[0][1].class_weight == {0: 5}
    search = {"estimator": tree, "param_grid": grid}
    model = model_for(table, {}, estimator="sklearn.model_selection.GridSearchCV", params=search)
    assert model.estimator.class_weight == {0: 5}
    assert model.param_grid == {"class_weight": [{0: 5}, "balanced"]}


def test_class_weights_of_labels_that_are_numbers(tmp_path):
    """JSON knows texts as keys only."""
    table = prepared(tmp_path, COLUMNS | {"y": [3, 1] * 30}, classification=True)
    for weights in ({"1": 2, "3": 4}, {1: 2, 3: 4}):
        model = model_for(table, {"class_weight": weights}, estimator="tree")
        assert model.class_weight == {0: 2, 1: 4}


def test_a_weight_of_an_unknown_class(classes):
    message = refused(classes, estimator="tree", grid={"class_weight": [{"yess": 1}]})
    assert "learners.l.class_weight: no class 'yess'; did you mean 'yes'?" in message


# --- checks before any fit -----------------------------------------------------------------


def test_good_learners_pass(classes, numbers, factory):
    checked(classes, "proba", estimator="logistic")
    checked(classes, "label", estimator="ridge")
    checked(numbers, "value", estimator="polynomial")
    checked(classes, "label", estimator="tree", grid={"max_depth": [1, None], "features": [["a"]]})
    checked(classes, "label", estimator=f"{factory}.pipeline")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            {"estimator": "knn", "grid": {"n_neighbours": [1]}},
            "learners.l.grid: KNeighborsClassifier has no parameter 'n_neighbours'; did you mean "
            "'n_neighbors'?",
        ),
        (
            {"estimator": "knn", "params": {"wieghts": "uniform"}},
            "learners.l.params: KNeighborsClassifier has no parameter 'wieghts'; did you mean",
        ),
        (
            {"estimator": "knn", "grid": {"n_neighbors": [3, 0]}},
            "learner 'l' refuses θ = {\"n_neighbors\":0}: The 'n_neighbors' parameter",
        ),
        (
            {"estimator": "tree", "grid": {"max_depth": [1, 2], "criterion": ["gini", "ginny"]}},
            'learner \'l\' refuses θ = {"criterion":"ginny"',
        ),
        (
            {"estimator": "knn", "params": {"weights": "even"}},
            "refuses θ = {\"n_neighbors\":1}: The 'weights'",
        ),
        (
            {"estimator": "knn", "grid": {"features": [["a", "zz"]]}},
            "learners.l.grid.features: no column 'zz'; known: a, b, c, d",
        ),
        (
            {"estimator": "knn", "grid": {"features": [[]]}},
            "learners.l.grid.features: an empty list of columns",
        ),
        (
            {"estimator": "knn", "grid": {"prepare__scael": [True]}},
            "learners.l.grid: Invalid parameter 'scael'",
        ),
        ({"estimator": "sklearn.svm.SVR"}, "learners.l: SVR is not for classification"),
        (
            {"estimator": "sklearn.multiclass.OneVsRestClassifier"},
            "learners.l.estimator: cannot be made: ",
        ),
        (
            {"estimator": "tree", "grid": {"max_depth__x": [1]}},
            "learners.l.grid: 'NoneType' object has no attribute 'set_params'",
        ),
    ],
)
def test_mistakes_are_found_before_any_fit(classes, block, message):
    assert message in refused(classes, **block)


def test_a_classifier_for_numbers(numbers):
    message = refused(numbers, estimator="sklearn.svm.SVC")
    assert message == "learners.l: SVC is not for regression"


def test_a_loss_that_needs_probabilities(classes):
    message = refused(classes, "proba", estimator="ridge")
    assert "RidgeClassifier gives no probabilities, which the loss needs" in message


def test_probabilities_have_a_column_for_every_class():
    proba = np.array([[0.25, 0.75]])
    assert aligned(proba, np.array([0, 1]), 2) is proba
    assert aligned(proba, np.array([0, 2]), 4).tolist() == [[0.25, 0, 0.75, 0]]


def test_classes_that_scikit_learn_imports_when_asked_only(numbers):
    learner = define("l", {"steps": ["sklearn.impute.IterativeImputer", "ridge"]})
    made = builder_of(learner, columns_of(numbers))
    pipeline = made.preprocessing(made.recipe({}))
    assert type(pipeline[-1]).__name__ == "IterativeImputer"
    search = "sklearn.model_selection.HalvingGridSearchCV"
    params = {"estimator": {"estimator": "ridge"}, "param_grid": {"alpha": [1]}}
    assert model_for(numbers, {}, estimator=search, params=params).min_resources == "exhaust"
