"""The first rounds of a fitted model of LightGBM, XGBoost or CatBoost, as a model of their own.

The first rounds of a long run are the rounds of a shorter one, so a cut model is the one that a shorter fit gives,
to the last bit: its trees, its predictions, its parameters and its importances.
"""

import copy
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from heldout.numerics.sklearn_internals.selfcheck import once, small_table
from heldout.numerics.steps.native import categories_in

PARAMETERS = ("n_estimators", "iterations")
"""What libraries call the number of rounds."""
SHORT, FEW = 200, 20
"""Runs of CatBoost with fewer rounds have other defaults: some with categories, some with fewer columns than this."""


class Library(NamedTuple):
    """How models of a library are cut."""

    count: Callable[[Any], int]
    """How many rounds a fitted model has: fewer than it was asked for, if no split was left to make."""
    cut: Callable[[Any, Any, int], Any]
    """See `first_rounds`."""
    quiet: dict[str, Any]
    """Parameters of a fit that prints nothing."""
    rows: Callable[[Any, Any], Any] = lambda model, rows: rows
    """See `rows_for`."""
    same: Callable[[Any, Any, int, int], bool] = lambda own, rows, long, short: True
    """See `same_defaults`."""


def first_rounds(model: Any, own: Any, rounds: int) -> Any:
    """What `own.fit` would give.

    Parameters
    ----------
    model
        A fitted model.
    own
        An unfitted one with the same parameters but the number of rounds.
    rounds
        The number of rounds of `own`, at most that of `model`.

    Returns
    -------
    Any
        A fitted model; `model` is not changed.
    """
    return library_of(type(model)).cut(model, own, rounds)


def same_defaults(own: Any, rows: Any, long: int, short: int) -> bool:
    """Whether a library takes the same defaults for two numbers of rounds, so that one run begins as the other.

    Parameters
    ----------
    own
        An unfitted model.
    rows
        The training rows.
    long, short
        Two numbers of rounds.

    Returns
    -------
    bool
        Whether the first rounds are the same.
    """
    return library_of(type(own)).same(own, rows, long, short)


def has_rounds(model: Any, rounds: int) -> bool:
    """Whether a fitted model has as many rounds as it was asked for: only then is the place of each known."""
    return library_of(type(model)).count(model) == rounds


def rows_for(model: Any, rows: Any) -> Any:
    """Rows in a form that all models of a family predict from, so that they are converted once.

    Parameters
    ----------
    model
        One of the models, fitted.
    rows
        Rows as its `predict` takes them.

    Returns
    -------
    Any
        What its `predict` makes of them first, if the library has a name for that.
    """
    return library_of(type(model)).rows(model, rows)


def library_of(kind: type) -> Library:
    """How models of a class are cut."""
    name = next(one.__module__.partition(".")[0] for one in kind.__mro__ if _is_known(one))
    return LIBRARIES[name]


def _is_known(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in LIBRARIES


@once
def is_exact(kind: type, parameter: str) -> bool:
    """Whether a model of this class, cut after two rounds, is what a fit of two rounds gives."""
    features, score = small_table(60)
    target = (score > 0).astype(int) if hasattr(kind, "predict_proba") else score
    quiet = library_of(kind).quiet
    long, short = (kind(**{parameter: rounds}, **quiet).fit(features, target) for rounds in (4, 2))
    ours = first_rounds(long, kind(**{parameter: 2}, **quiet), 2)
    predict = "predict_proba" if hasattr(kind, "predict_proba") else "predict"
    said, expected = (getattr(one, predict)(features) for one in (ours, short))
    return has_rounds(ours, 2) and np.array_equal(said, expected)


def _cut_lightgbm(model: Any, own: Any, rounds: int) -> Any:
    long = model.booster_
    text = long.model_to_string(num_iteration=rounds)
    asked = f"[num_iterations: {long.params['num_iterations']}]"
    booster = type(long)(model_str=text.replace(asked, f"[num_iterations: {rounds}]"))
    booster.params = {**long.params, "num_iterations": rounds}
    booster.best_iteration = long.best_iteration
    short = _with_booster(model, own, booster)
    short._other_params = own._other_params  # which may hold the number of rounds, too
    return short


def _cut_xgboost(model: Any, own: Any, rounds: int) -> Any:
    long = model.get_booster()
    booster = long[:rounds]
    if "c" in (long.feature_types or ()):
        _give_categories(booster, long)
    return _with_booster(model, own, booster)


def _give_categories(booster: Any, long: Any) -> None:
    """A slice knows trees, but not which words the codes of categories stand for."""
    content, whole = (json.loads(one.save_raw("json")) for one in (booster, long))
    model = content["learner"]["gradient_booster"]["model"]
    model["cats"] = whole["learner"]["gradient_booster"]["model"]["cats"]
    settings = booster.save_config()
    booster.load_model(bytearray(json.dumps(content).encode()))
    booster.load_config(settings)


def _with_booster(model: Any, own: Any, booster: Any) -> Any:
    """The same with another number of rounds; a fit may change other parameters of the model."""
    short = copy.copy(model)
    short.n_estimators, short._Booster = own.n_estimators, booster
    return short


def _cut_catboost(model: Any, own: Any, rounds: int) -> Any:
    shrunk = copy.copy(model)
    shrunk.shrink(rounds)
    shrunk.get_feature_importance(thread_count=1)  # kept in the model; a fit asks for them as well
    short = type(model)()
    short.__setstate__({**shrunk.__getstate__(), **own.get_params()})
    return short


def _same_catboost(own: Any, rows: Any, long: int, short: int) -> bool:
    if (long < SHORT) == (short < SHORT):
        return True
    given = own.get_params()
    leaves = given.get("leaf_estimation_iterations") is not None or rows.shape[1] >= FEW
    return leaves and (given.get("max_ctr_complexity") is not None or not categories_in(rows))


def _pool(model: Any, rows: Any) -> Any:
    import catboost

    return catboost.Pool(rows, cat_features=model.get_cat_feature_indices())


LIBRARIES = {
    "lightgbm": Library(
        lambda model: model.booster_.current_iteration(),
        _cut_lightgbm,
        {"n_jobs": 1, "verbose": -1},
    ),
    "xgboost": Library(
        lambda model: model.get_booster().num_boosted_rounds(), _cut_xgboost, {"n_jobs": 1}
    ),
    "catboost": Library(
        lambda model: model.tree_count_,
        _cut_catboost,
        {"thread_count": 1, "learning_rate": 0.1, "verbose": False, "allow_writing_files": False},
        _pool,
        _same_catboost,
    ),
}  # fmt: skip
"""By the name of the package."""
