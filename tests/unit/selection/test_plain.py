"""The final model as scikit-learn's own classes: the same predictions, without heldout."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.selection import plain
from heldout.selection.plain import NotPlainError, plain_model

ROWS = 90


def table(classes: Any, seed: int = 3) -> pd.DataFrame:
    """Numbers and categories, with gaps in both; `classes` are the labels, or None for a number."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=ROWS)
    colour = generator.choice(["red", "green", "blue"], ROWS).astype(object)
    score = x + (colour == "red") + 0.5 * generator.normal(size=ROWS)
    frame = pd.DataFrame({"x": x, "z": generator.normal(5, 3, size=ROWS), "colour": colour})
    frame.loc[generator.choice(ROWS, 9), "z"] = np.nan
    frame.loc[generator.choice(ROWS, 7), "colour"] = None
    if classes is None:
        return frame.assign(y=score)
    cuts = np.quantile(score, np.arange(1, len(classes)) / len(classes))
    return frame.assign(y=np.array(classes, object)[np.digitize(score, cuts)])


def evaluated(frame: pd.DataFrame, learner: Any, **keys: Any) -> heldout.Evaluation:
    return heldout.evaluate(
        frame, "y", {"one": learner}, estimators=["kfold"], kfold={"k": 3}, progress=False, **keys
    )


CLASSIFIERS = {
    "knn": {"estimator": "knn", "grid": {"n_neighbors": [5]}},
    "logistic": {"estimator": "logistic", "grid": {"C": [1.0]}},
    "tree": {"estimator": "tree", "grid": {"max_depth": [3]}},
    "forest": {"estimator": "forest", "grid": {"n_estimators": [5]}},
    "boosting": {"estimator": "boosting", "grid": {"max_iter": [5]}},
    "svm": {"estimator": "svm", "grid": {"C": [1.0]}},
    "majority": {"estimator": "majority"},
}
REGRESSORS = {
    "knn": {"estimator": "knn", "grid": {"n_neighbors": [5]}},
    "ridge": {"estimator": "ridge", "grid": {"alpha": [1.0]}},
    "lasso": {"estimator": "lasso", "grid": {"alpha": [0.01]}},
    "polynomial": {"estimator": "polynomial", "grid": {"poly__degree": [2]}},
    "boosting": {"estimator": "boosting", "grid": {"max_iter": [5]}},
    "features": {"estimator": "tree", "grid": {"max_depth": [3], "features": [["z", "colour"]]}},
}


def new_rows(classes: Any) -> pd.DataFrame:
    """Of another draw, with a level that training has not seen, and columns in another order."""
    frame = table(classes, seed=4).drop(columns="y")
    frame.loc[:5, "colour"] = "violet"
    frame["colour"] = frame["colour"].astype(object)
    for row, gap in enumerate([None, np.nan, pd.NA], start=6):
        frame.at[row, "colour"] = gap
    return frame[["colour", "z", "x"]]


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"], [1, 2]])
def test_classifiers_predict_the_same(name: str, classes: list[Any]) -> None:
    found = evaluated(table(classes), CLASSIFIERS[name], loss="zero_one")
    rows = new_rows(classes)
    assert found.pipeline.predict(rows).tolist() == found.model.predict(rows).tolist()
    assert set(found.pipeline.classes_) == set(classes)
    if name != "svm":
        shares = found.pipeline.predict_proba(rows)
        np.testing.assert_allclose(shares, found.model.predict_proba(rows), atol=1e-12)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_predict_the_same(name: str) -> None:
    found = evaluated(table(None), REGRESSORS[name])
    rows = new_rows(None)
    np.testing.assert_allclose(
        found.pipeline.predict(rows), found.model.predict(rows), rtol=1e-12, atol=1e-12
    )


def test_it_is_loaded_where_heldout_is_not_installed(tmp_path: Path) -> None:
    found = evaluated(table(["no", "yes"]), CLASSIFIERS["knn"])
    joblib.dump(found.pipeline, tmp_path / "pipeline.joblib")
    new_rows(["no", "yes"]).to_csv(tmp_path / "rows.csv", index=False)
    code = (
        "import sys; sys.modules['heldout'] = None\n"
        "import joblib, pandas\n"
        "model = joblib.load('pipeline.joblib')\n"
        "print(*model.predict(pandas.read_csv('rows.csv')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == found.model.predict(new_rows(["no", "yes"])).tolist()


def test_what_the_model_was_trained_with_counts_and_not_the_rows_it_is_tried_on() -> None:
    """Medians, scales and indicators of the model, also where they are not those of the table."""
    found = evaluated(table(None), REGRESSORS["ridge"])
    first = found.model.pipeline[0]
    first.medians_ = first.medians_ + 1.0
    first.means_ = first.means_ - 2.0
    rebuilt = plain_model(found.model, found.loss_table.table)
    rows = new_rows(None)
    np.testing.assert_allclose(rebuilt.predict(rows), found.model.predict(rows), rtol=1e-12)


@pytest.mark.parametrize(
    ("frame", "learner", "keys", "why"),
    [
        (
            table(["no", "yes"]).assign(day=pd.date_range("2024-01-01", periods=ROWS).astype(str)),
            CLASSIFIERS["tree"], {}, "column 'day' is of the kind date",
        ),
        (table(["no", "yes"]), CLASSIFIERS["logistic"], {"loss": "f1", "threshold": 0.3}, "a threshold"),
        (
            table(["no", "yes"]),
            {"steps": ["prepare", "tree"]}, {}, "heldout's own",
        ),
    ],
)  # fmt: skip
def test_models_that_are_more_are_refused(
    frame: pd.DataFrame, learner: Any, keys: dict[str, Any], why: str
) -> None:
    with pytest.raises(NotPlainError, match=why):
        _ = evaluated(frame, learner, **keys).pipeline


def test_a_model_that_predicts_otherwise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = evaluated(table(["no", "yes"]), CLASSIFIERS["logistic"])
    monkeypatch.setattr(
        plain, "_teach", lambda fitted, known: fitted[1].__dict__.update(mean_=np.array([5.0] * 3))
    )
    with pytest.raises(NotPlainError, match=r"predict \d+ of 90 rows otherwise"):
        _ = found.pipeline


def test_the_model_itself_keeps_its_codes() -> None:
    found = evaluated(table(["no", "yes"]), CLASSIFIERS["tree"])
    _ = found.pipeline
    assert found.model.pipeline[-1].classes_.tolist() == [0, 1]
