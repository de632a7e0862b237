"""Histogram boosting gets missing values and categories as they are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from heldout.cells.plan import columns_of
from heldout.data.infer import infer_columns
from heldout.data.schema import Schema, Target, schema_from_json
from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Problem

ROWS, TRAIN = 400, 300
HGB = "sklearn.ensemble.HistGradientBoostingClassifier"


class Case:
    """A frame of numbers with gaps and categories, and its encoding."""

    def __init__(self, classification):
        g = np.random.default_rng(4)
        colour = g.choice(["red", "green", "blue", None], ROWS, p=[0.4, 0.3, 0.2, 0.1])
        self.frame = pd.DataFrame(
            {
                "a": g.normal(size=ROWS),
                "colour": colour,
                "b": g.normal(size=ROWS),
                "city": g.choice(list("uvwxyz"), ROWS),
            }
        )
        self.frame.loc[g.random(ROWS) < 0.2, "a"] = np.nan
        self.frame.loc[TRAIN:, "city"] = self.frame["city"][TRAIN:].where(
            g.random(100) > 0.1, "new"
        )
        score = self.frame["a"].fillna(2) + (colour == "red") * 2 + g.normal(size=ROWS)
        self.target = (score > 1).to_numpy(int) if classification else score.to_numpy()
        import pyarrow as pa

        self.table = pa.Table.from_pandas(self.frame, preserve_index=False)
        train = self.table.slice(0, TRAIN)
        columns = tuple(infer_columns(train, train.column_names, {}).columns)
        classes = (0, 1) if classification else None
        self.schema = Schema(columns, Target("y", classes))
        self.features = self.schema.encode(self.table)
        facts = {"schema": self.schema.as_json()}
        self.names, self.classes, self.facts = self.table.column_names, classes, facts

    def outcomes(self, block, thetas):
        builder = Builder(define("boosting", block), columns_of(self))
        rows = self.features[:TRAIN], self.target[:TRAIN], self.features[TRAIN:]
        problem = Problem(builder, *rows, seed=7)
        engines = by_engine(builder.definition, self.classes is not None, thetas)
        return engines, list(run.fit(problem, engines))


def plain(model):
    """What a user of scikit-learn would write."""
    coded = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    parts = [("numbers", "passthrough", ["a", "b"]), ("categories", coded, ["colour", "city"])]
    return make_pipeline(ColumnTransformer(parts), model)


@pytest.mark.parametrize("classification", [True, False])
@pytest.mark.parametrize("path", [None, HGB])
def test_predictions_equal_those_of_a_plain_pipeline(classification, path):
    if path and not classification:
        path = HGB.replace("Classifier", "Regressor")
    case = Case(classification)
    block = {"estimator": path or "boosting", "params": {"early_stopping": False}}
    thetas = [{"max_iter": count} for count in (3, 20, 8)]
    engines, outcomes = case.outcomes(block, thetas)
    assert list(engines) == ["boosting"], "one fit serves all numbers of rounds"
    for outcome in outcomes:
        assert outcome.error is None
        kind = HistGradientBoostingClassifier if classification else HistGradientBoostingRegressor
        model = kind(
            **outcome.theta, early_stopping=False, random_state=7, categorical_features=[2, 3]
        )
        model = plain(model).fit(case.frame[:TRAIN], case.target[:TRAIN])
        if classification:
            expected = model.predict_proba(case.frame[TRAIN:])
            assert np.array_equal(outcome.predictions.proba, expected)
        else:
            assert np.array_equal(outcome.predictions.value, model.predict(case.frame[TRAIN:]))
        again = outcome.model.predict(case.features[TRAIN:])
        assert np.array_equal(again, model.predict(case.frame[TRAIN:]))


def test_gaps_and_categories_are_neither_filled_nor_spread():
    case = Case(True)
    builder = Builder(define("boosting", None), columns_of(case))
    recipe = builder.recipe({})
    assert recipe.model["categorical_features"] == [2, 3]
    shown = builder.preprocessing(recipe).fit_transform(case.features)
    assert shown.shape == (ROWS, 4)
    assert np.isnan(shown[:, 0]).sum() == case.frame["a"].isna().sum()


@pytest.mark.parametrize(
    ("block", "native"),
    [
        ({"estimator": "boosting"}, True),
        ({"estimator": "sklearn.ensemble:HistGradientBoostingClassifier"}, True),
        ({"estimator": "boosting", "scale": True}, False),
        ({"estimator": "sklearn.ensemble.GradientBoostingClassifier"}, False),
    ],
)
def test_only_estimators_that_know_them_get_them(block, native):
    builder = Builder(define("l", block), columns_of(Case(True)))
    assert (builder.recipe({}).native is not None) is native


def test_the_users_own_categorical_features_stay():
    block = {"estimator": "boosting", "params": {"categorical_features": [3]}}
    builder = Builder(define("l", block), columns_of(Case(True)))
    assert builder.estimator(builder.recipe({}), 1).categorical_features == [3]


def test_a_category_with_more_levels_than_bins_counts_as_many():
    case = Case(True)
    block = {"estimator": "boosting", "params": {"max_bins": 5}, "grid": {"max_iter": [5]}}
    builder = Builder(define("l", block), columns_of(case))
    recipe = builder.recipe({})
    assert recipe.native == (1,)
    assert builder.preprocessing(recipe)[0].many == [3]
    _, [outcome] = case.outcomes(block, [{"max_iter": 5}])
    assert outcome.error is None


def test_learners_with_and_without_it_do_not_share_preprocessing():
    case = Case(True)
    rows = case.features[:TRAIN], case.target[:TRAIN], case.features[TRAIN:]
    shared = {}
    for name in ("tree", "boosting"):
        builder = Builder(define(name, None), columns_of(case))
        problem = Problem(builder, *rows, seed=7, preprocessed=shared)
        theta = {"max_depth": 2} if name == "tree" else {"max_iter": 5}
        engines = by_engine(builder.definition, True, [theta])
        assert all(one.error is None for one in run.fit(problem, engines))
    assert len([name for name in shared if "bins:" not in name]) == 2


def test_the_schema_of_the_case_survives_json():
    case = Case(False)
    assert schema_from_json(case.facts["schema"]) == case.schema
