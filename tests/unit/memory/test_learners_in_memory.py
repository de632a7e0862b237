"""What `heldout.evaluate` takes as learners: names, blocks, estimators and Pipelines."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout import HeldoutError, evaluate
from heldout.memory.given import Given, declared

N = 90
K = 3


def table(n: int = N) -> pd.DataFrame:
    """Numbers, a category, missing values, dates, and folds of our own."""
    generator = np.random.default_rng(5)
    a, b = generator.normal(size=(2, n))
    colour = generator.choice(["red", "green", "blue"], n)
    y = np.where(a + (colour == "red") + 0.7 * generator.normal(size=n) > 0.3, "yes", "no")
    frame = pd.DataFrame({"a": a, "b": b, "colour": colour, "y": y})
    frame.loc[::7, "b"] = np.nan
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(generator.permutation(n), "D")
    frame["part"] = np.arange(n) % K + 1
    frame["site"] = np.arange(n) % 18
    return frame


def numbers(n: int = N) -> pd.DataFrame:
    return table(n).drop(columns=["colour", "day", "site"]).fillna({"b": 0.0})


def outer(frame: pd.DataFrame, search: Any, x: list[str]) -> list[tuple[dict, float]]:
    """Plain nested cross-validation on the folds of the table: the chosen θ and the error of each fold."""
    found = []
    for part in range(1, K + 1):
        train, held = frame[frame["part"] != part], frame[frame["part"] == part]
        search.set_params(cv=PredefinedSplit(train["part"]))
        search.fit(train[x], train["y"])
        found.append((search.best_params_, float((search.predict(held[x]) != held["y"]).mean())))
    return found


@pytest.mark.parametrize("grid", [{"svc__C": [0.01, 0.3, 5.0]}, {"svc__gamma": [0.001, 2.0]}])
def test_a_pipeline_gets_the_numbers_of_grid_search(grid: dict[str, list[float]]) -> None:
    frame, pipeline = numbers(), make_pipeline(StandardScaler(), SVC())
    learners = {"mine": {"estimator": pipeline, "grid": grid}}
    result = evaluate(
        frame, "y", learners, kfold={"column": "part"}, estimators=["kfold", "nested_cv"]
    )
    search = GridSearchCV(pipeline, grid, scoring="accuracy")
    expected = outer(frame, search, ["a", "b"])
    folds = result.folds.query("learner == 'mine'")
    assert [(eval(t), r) for t, r in zip(folds["theta"], folds["risk"], strict=True)] == [
        (theta, pytest.approx(risk)) for theta, risk in expected
    ]
    search.set_params(cv=PredefinedSplit(frame["part"])).fit(frame[["a", "b"]], frame["y"])
    risks = result.risks.query("estimator == 'kfold'")["risk"]
    np.testing.assert_allclose(1 - risks, search.cv_results_["mean_test_score"])
    assert result.selection["theta"] == search.best_params_
    assert (result.model.predict(frame) == search.predict(frame[["a", "b"]])).all()


def test_a_pipeline_gets_columns_by_name_and_kind() -> None:
    columns = make_column_transformer(
        (OneHotEncoder(), ["colour"]), (SimpleImputer(), ["a", "b"]), remainder="drop"
    )
    pipeline = make_pipeline(columns, LogisticRegression())
    seen = evaluate(table(), "y", pipeline, kfold={"k": 3}, drop=["part"])
    blind = evaluate(table(), "y", make_pipeline(*_blind()), kfold={"k": 3}, drop=["part"])
    assert seen.headline["risk"] < blind.headline["risk"]


def _blind() -> list[Any]:
    return [make_column_transformer((SimpleImputer(), ["b"])), LogisticRegression()]


def test_an_estimator_is_prepared_for_as_one_with_an_import_path() -> None:
    forest = RandomForestClassifier(n_estimators=5, max_depth=2, max_features=1)
    path = "sklearn.ensemble.RandomForestClassifier"
    params = {"n_estimators": 5, "max_depth": 2, "max_features": 1}
    one, other = (
        evaluate(table(), "y", {"f": given}, kfold={"k": 3}, drop=["part"])
        for given in (forest, {"estimator": path, "params": params})
    )
    pd.testing.assert_frame_equal(one.risks, other.risks)
    pd.testing.assert_frame_equal(one.out_of_fold(), other.out_of_fold())
    assert forest.random_state is None
    assert not hasattr(forest, "estimators_")


def test_class_weights_are_by_label() -> None:
    """Models are fitted on codes: the weight of label 2 must not become that of code 2, nor of label 1."""
    frame = numbers().replace({"y": {"no": 1, "yes": 2}})
    kwargs: dict[str, Any] = {"kfold": {"column": "part"}, "loss": "zero_one"}
    models = [
        evaluate(frame, "y", {"t": DecisionTreeClassifier(max_depth=1, class_weight=w)}, **kwargs)
        for w in ({1: 1000.0, 2: 1.0}, {1: 1.0, 2: 1000.0})
    ]
    first, second = (model.out_of_fold("t")["prediction"] for model in models)
    assert (first == 1).mean() > 0.8
    assert (second == 2).mean() > 0.8
    with pytest.raises(HeldoutError, match="no class '3'"):
        evaluate(frame, "y", DecisionTreeClassifier(class_weight={1: 1, 3: 2}), **kwargs)


def test_a_mixture_of_learners_and_their_names() -> None:
    given = Given.of(
        [
            "knn",
            {"estimator": "tree", "grid": {"max_depth": np.arange(1, 3)}},
            make_pipeline(StandardScaler(), SVC()),
            SVC(),
            {"estimator": Ridge(), "grid": {"alpha": (0.1, 1.0)}},
            {"steps": ["scale", {"step": "ridge"}]},
            {"estimator": RandomForestClassifier(), "grid": {"n_estimators": [1, 2]}},
            "sklearn.naive_bayes.GaussianNB",
        ]
    )
    assert given.names == [
        *("knn", "tree", "svc", "svc_2", "ridge", "ridge_2", "randomforestclassifier", "gaussiannb")
    ]
    assert given.blocks["tree"]["grid"] == {"max_depth": [1, 2]}
    assert list(given.objects) == ["svc", "svc_2", "ridge", "randomforestclassifier"]
    assert Given.of("knn").names == ["knn"]
    assert Given.of(RandomForestClassifier()).names == ["randomforestclassifier"]
    assert Given.of({"a": "knn", "b": SVC()}).names == ["a", "b"]


class Loud(ClassifierMixin, BaseEstimator):
    """An estimator of a test file, which no import path leads to from other folders."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Loud":
        self.classes_ = np.unique(y)
        np.random.random()  # noqa: NPY002
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.classes_[0])


def test_nothing_but_the_result_is_left(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No files, no change of the table, of the estimator, or of the global random state."""
    for name in ("work", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    frame, before = table(), table()
    np.random.seed(3)  # noqa: NPY002
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    result = evaluate(frame, "y", [Loud(), "tree"], kfold={"k": 3}, groups="site", drop=["part"])
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002
    pd.testing.assert_frame_equal(frame, before)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    held = result.out_of_fold("tree").sort_values("row", ignore_index=True)
    assert held.assign(site=frame["site"]).groupby("site")["fold"].nunique().max() == 1
    assert held["row"].tolist() == held["source_row"].tolist() == list(range(N))
    assert held["target"].tolist() == frame["y"].tolist()
    assert held["loss"].mean() == pytest.approx((held["prediction"] != held["target"]).mean())
    assert "nothing is sealed in memory (test=0)" in repr(result)


class _OfAnotherLibrary:
    """A frame of a library that gives its columns as Arrow does, such as polars."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        import pyarrow as pa

        return pa.table(self._frame).__arrow_c_stream__(requested_schema)


def test_texts_of_a_frame_are_values_unless_they_are_said_to_be_missing() -> None:
    frame = numbers().assign(word=np.resize(["", "NA", "x"], N))
    found = [
        evaluate(frame, "y", "tree", kfold={"k": 3}, **keys)
        for keys in ({}, {"missing": ["", "NA"]})
    ]
    schemas = [one.facts["schema"]["columns"] for one in found]
    assert [one["levels"] for one in schemas[0] if one["name"] == "word"] == [["", "NA", "x"]]
    assert "word" not in [one["name"] for one in schemas[1] if len(one["levels"]) > 1]
    assert found[1].facts["missing"].get("word", 0) in (0, 60)


def test_lightgbm_gets_its_columns_as_they_are() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    model, path = (
        lightgbm.LGBMClassifier(n_estimators=5, min_child_samples=5),
        "lightgbm.LGBMClassifier",
    )
    block = {"estimator": path, "params": {"n_estimators": 5, "min_child_samples": 5}}
    one, other = (evaluate(table(), "y", {"m": m}, kfold={"k": 3}) for m in (model, block))
    pd.testing.assert_frame_equal(one.risks, other.risks)


def test_tables_of_other_kinds() -> None:
    import pyarrow as pa

    frame = numbers()
    results = [
        evaluate(one, "y", "tree", kfold={"column": "part"})
        for one in (frame, pa.table(frame), frame.to_dict("list"))
    ]
    for other in results[1:]:
        pd.testing.assert_frame_equal(results[0].risks, other.risks)
    results.append(evaluate(_OfAnotherLibrary(frame), "y", "tree", kfold={"column": "part"}))
    pd.testing.assert_frame_equal(results[0].risks, results[-1].risks)
    with pytest.raises(HeldoutError, match="a list is no table"):
        evaluate([[1, 2]], "y", "tree")


def test_a_frame_has_the_numbers_of_its_file(tmp_path: Any) -> None:
    frame = numbers().round(3)
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = pd.read_csv(tmp_path / "t.csv")
    one, other = (evaluate(data, "y", ["tree", "logistic"]) for data in (tmp_path / "t.csv", read))
    pd.testing.assert_frame_equal(one.estimates, other.estimates)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kfolds": {"k": 3}}, "unknown key 'kfolds'; did you mean 'kfold'"),
        ({"test": 0.2}, "nothing is sealed in memory"),
        ({"refit": "all"}, "nothing is sealed"),
        ({"loss": "zero_on"}, "zero_on"),
        ({"groups": "sight"}, "sight"),
        ({"learners": ["knnn"]}, "unknown learner 'knnn'; did you mean 'knn'"),
        ({"learners": [SVC]}, r"SVC is a class; give SVC\(\)"),
        ({"learners": [3]}, "a int is no learner"),
        ({"learners": [Ridge()]}, "Ridge is a regressor"),
        (
            {"learners": {"t": {"estimator": SVC(), "grid": {"Cc": [1]}}}},
            "SVC has no parameter 'Cc'",
        ),
        ({"learners": {"t": {"estimator": SVC(), "grid": {"C": [SVC()]}}}}, "one learner for each"),
        ({"learners": {"t": {"estimator": SVC(), "grids": {}}}}, "unknown key 'grids'"),
        ({"learners": [SVC()], "loss": "cross_entropy"}, "gives no probabilities"),
        ({"learners": [make_pipeline(StandardScaler(), SVC())]}, "could not convert string"),
        ({"cores": 0}, "cores"),
    ],
)
def test_errors_say_what_to_do(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(HeldoutError, match=message):
        evaluate(table(), "y", **{"learners": ["tree"], **keys})


def test_a_fit_that_fails_names_the_cell() -> None:
    class Broken(Loud):
        def fit(self, X: np.ndarray, y: np.ndarray) -> "Broken":
            raise ValueError("no luck")

    with pytest.raises(HeldoutError, match=r"learner 'broken'.*\n?.*no luck"):
        evaluate(numbers(), "y", Broken(), kfold={"k": 3}, drop=["part"])


def test_the_model_predicts_new_rows_and_can_be_stored() -> None:
    result = evaluate(table(), "y", make_pipeline(*_blind()), kfold={"k": 3}, drop=["part", "site"])
    new = table().drop(columns="y").head(4)
    again = pickle.loads(pickle.dumps(result.model))
    assert again.predict_proba(new).tolist() == result.model.predict_proba(new).tolist()


def test_what_was_predicted_for_rows_that_were_held_out() -> None:
    result = evaluate(
        numbers(), "y", {"tree": "tree", "blind": "majority"}, kfold={"k": 3, "repeats": 2}
    )
    held = result.out_of_fold("blind")
    assert len(held) == 2 * N
    assert held["repeat"].value_counts().to_dict() == {1: N, 2: N}
    assert held["set"].nunique() == 6
    assert held[["p_no", "p_yes"]].sum(axis=1).round(9).eq(1).all()
    other = result.out_of_fold("tree", {"max_depth": 1})
    assert set(result.splits["kfold"]["fold"]) == set(other["fold"]) == {1, 2, 3}
    with pytest.raises(HeldoutError, match="no learner 'tee'; did you mean 'tree'"):
        result.out_of_fold("tee")
    with pytest.raises(HeldoutError, match="has no θ"):
        result.out_of_fold("tree", {"max_depth": 99})


def test_declared_defaults_are_those_of_the_catalogue() -> None:
    task = declared("t", "table.csv", "y", ["knn"], {})
    assert [t["n_neighbors"] for t in task.learners[0].thetas(19)][:2] == [1, 3]


def test_the_package_imports_nothing_before_it_is_asked() -> None:
    assert {"evaluate", "NestedCV", "HeldoutError"} <= set(dir(heldout))
    with pytest.raises(AttributeError, match="no attribute 'evaluatte'"):
        heldout.evaluatte  # noqa: B018
