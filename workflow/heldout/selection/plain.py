"""The final model as scikit-learn's own classes: loaded and applied where heldout is not installed.

heldout's preprocessing becomes the imputers, scalers and encoders that it equals, with what it has learned. The
model predicts labels instead of their codes. Both are compared on the rows of the table before anybody gets the
result.
"""

import copy
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from heldout.data.kinds import BOOLEAN, CATEGORY, NUMBER
from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError
from heldout.numerics.encodings import MISSING
from heldout.numerics.neighbors import ExactKNeighborsClassifier, ExactKNeighborsRegressor
from heldout.numerics.predict import predict
from heldout.numerics.preprocessing import RARE, Preprocessor
from heldout.predictions import Predictions
from heldout.selection.final import Predictor

ROWS = 2000
"""So many rows are predicted by both."""
CLOSE = 1e-9
"""By so much probabilities and numbers may differ, relative to the largest."""


class NotPlainError(HeldoutError):
    """A model that is more than scikit-learn's own classes can do."""


def plain_model(predictor: Predictor, table: Prepared) -> Pipeline:
    """Rebuild the final model without heldout.

    Parameters
    ----------
    predictor
        The final model.
    table
        The rows that it was trained on: the result is tried on some of them.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Fitted. `predict` takes a DataFrame with the columns of the table: numbers (missing: NaN) and texts of
        categories (missing: None, NaN or NA).

    Raises
    ------
    NotPlainError
        If scikit-learn has nothing that equals a step of it, with the reason.

    Examples
    --------
    >>> import heldout
    >>> rows = {"x": [1.0, 2.0, 3.0, 4.0] * 5, "y": [2.0, 4.0, 6.0, 9.0] * 5}
    >>> keys = {"estimators": ["kfold"], "kfold": {"k": 2}, "progress": False}
    >>> result = heldout.evaluate(rows, "y", {"ridge": {"estimator": "ridge"}}, **keys)
    >>> [name for name, _ in result.pipeline.steps]
    ['prepare', 'model']
    """
    first, *others = [step for _, step in predictor.pipeline.steps]
    if not isinstance(first, Preprocessor):
        raise NotPlainError(f"its first step, {type(first).__name__}, is heldout's own")
    if predictor.threshold is not None:
        raise NotPlainError("its labels are decided by a threshold")
    _refuse_ours(others[:-1])
    model = _labelled(_model(others[-1]), predictor.classes)
    between = predictor.pipeline.steps[1:-1]
    found = Pipeline([("prepare", _preparation(first, table)), *between, ("model", model)])
    _compare(found, predictor, table)
    return found


# --- preprocessing ---------------------------------------------------------------------------------


def _preparation(known: Preprocessor, table: Prepared) -> ColumnTransformer:
    """The columns in the order of heldout's matrix: numbers, indicators, then categories."""
    _refuse_kinds(known, table)
    names, frame = table.names, table.frame
    numbers = [names[i] for i in known.numbers]
    categories = [names[i] for i in known.categories]
    make = _codes if known.native else _one_hot
    parts: list[tuple[str, Any, list[str]]] = []
    if numbers:
        parts.append(("numbers", "passthrough" if known.native else _numbers(known), numbers))
    if categories:
        parts.append(("categories", make(known, table), categories))
    made = ColumnTransformer(parts, sparse_threshold=0, verbose_feature_names_out=False)
    made.fit(frame)
    if numbers and not known.native:
        _teach(made.named_transformers_["numbers"], known)
    return made


def _refuse_kinds(known: Preprocessor, table: Prepared) -> None:
    columns = table.facts["schema"]["columns"]
    used = [*known.numbers, *known.categories, *known.dates, *known.many]
    for column in (columns[i] for i in used):
        if column["kind"] not in (NUMBER, BOOLEAN, CATEGORY):
            raise NotPlainError(f"column '{column['name']}' is of the kind {column['kind']}")
    if not known.native and any(levels[-1] == RARE for levels in known.levels_):
        raise NotPlainError("rare levels of a category share a column")


def _numbers(known: Preprocessor) -> Any:
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return Pipeline([("impute", imputer), ("scale", StandardScaler())]) if known.scale else imputer


def _teach(fitted: Any, known: Preprocessor) -> None:
    """Replace what was learned from all rows by what the model was trained with."""
    imputer = fitted[0] if known.scale else fitted
    imputer.statistics_ = known.medians_
    imputer.indicator_.features_ = known.incomplete_
    if known.scale:
        scaler = fitted[1]
        scaler.mean_, scaler.scale_, scaler.var_ = known.means_, known.scales_, known.scales_**2
        scaler.n_features_in_ = len(known.means_)


def _one_hot(known: Preprocessor, table: Prepared) -> Pipeline:
    """A level that training did not see has zeros in all columns, as in heldout; None, NaN and NA are missing."""
    columns = table.facts["schema"]["columns"]
    named = [columns[i]["levels"] for i in known.categories]
    missing = "missing"
    while any(missing in levels for levels in named):
        missing += "_"
    texts = [
        _texts(levels, codes, missing) for levels, codes in zip(named, known.levels_, strict=True)
    ]
    fill = SimpleImputer(
        missing_values=pd.NA, strategy="constant", fill_value=missing, keep_empty_features=True
    )
    encode = OneHotEncoder(categories=texts, handle_unknown="ignore", sparse_output=False)
    return Pipeline([("fill", fill), ("encode", encode)])


def _texts(levels: list[Any], codes: np.ndarray, missing: str) -> np.ndarray:
    """The levels of a category in the order of their columns."""
    return np.array([missing if code == MISSING else levels[int(code)] for code in codes], object)


def _codes(known: Preprocessor, table: Prepared) -> OrdinalEncoder:
    """For models that know categories: their codes; missing and unknown ones are NaN."""
    columns = table.facts["schema"]["columns"]
    return OrdinalEncoder(
        categories=[np.array(columns[i]["levels"], object) for i in known.categories],
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
    )


# --- the model -------------------------------------------------------------------------------------


def _model(model: Any) -> Any:
    """The model itself, or scikit-learn's nearest neighbours in the place of heldout's."""
    if isinstance(model, ExactKNeighborsClassifier):
        labels = model.classes_[model.votes_.argmax(axis=1)]
        return KNeighborsClassifier(model.n_neighbors, algorithm="brute").fit(
            model.features_, labels
        )
    if isinstance(model, ExactKNeighborsRegressor):
        numbers = model.votes_[:, 0]
        return KNeighborsRegressor(model.n_neighbors, algorithm="brute").fit(
            model.features_, numbers
        )
    _refuse_ours([model])
    return model


def _refuse_ours(steps: list[Any]) -> None:
    """Refuse what would import heldout where the model is loaded."""
    for step in steps:
        parts = step.get_params(deep=True).values() if isinstance(step, BaseEstimator) else ()
        for part in (step, *parts):
            kind = part if isinstance(part, type) else type(part)
            if kind.__module__.partition(".")[0] == "heldout":
                raise NotPlainError(f"it uses {kind.__name__}, which is heldout's own")


def _labelled(model: Any, classes: list[Any] | None) -> Any:
    """Let a classifier that was trained on codes predict labels."""
    if classes is None:
        return model
    named = copy.deepcopy(model)
    try:
        named.classes_ = np.asarray(classes)[np.asarray(model.classes_, int)]
    except AttributeError:
        kind = type(model).__name__
        raise NotPlainError(f"{kind} does not take other names of its classes") from None
    return named


# --- the proof -------------------------------------------------------------------------------------


def _compare(found: Pipeline, predictor: Predictor, table: Prepared) -> None:
    """Refuse a model that predicts otherwise."""
    features = predictor.pipeline[:-1].transform(np.asarray(table.features[:ROWS], float))
    said = predict(predictor.pipeline[-1], features, predictor.classes)
    try:
        answers, shares = _answers(found, table.frame.iloc[:ROWS], said)
    except Exception as error:  # a model of any library, changed from outside
        raise NotPlainError(f"it fails with labels in the place of codes: {error}") from error
    wanted = predictor.answers(said)
    if predictor.classes is None:
        same = np.abs(answers - wanted) <= CLOSE * max(1.0, float(np.abs(wanted).max()))
    else:
        same = answers == wanted
    if shares is not None:
        same &= (np.abs(shares - said.proba) <= CLOSE).all(axis=1)
    if not same.all():
        raise NotPlainError(
            f"scikit-learn's own classes predict {(~same).sum()} of {len(same)} rows otherwise"
        )


def _answers(
    found: Pipeline, frame: Any, said: Predictions
) -> tuple[np.ndarray, np.ndarray | None]:
    """Labels or numbers, and the probabilities where the training had a row of each class."""
    answers = found.predict(frame)
    if said.proba is None:
        return answers, None
    shares = found.predict_proba(frame)
    return answers, shares if shares.shape == said.proba.shape else None
