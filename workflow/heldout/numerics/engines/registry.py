"""Which engine serves which θ: by the estimator's import path and the parameters it is given.

A path engine is chosen only for parameters that it knows to be exact for, and whatever the rest of
the grid: a θ gets the same numbers alone or among others. Standard library only, so that a job that
finds all its cells in the store never imports scikit-learn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from heldout.learners.definition import FEATURES, Definition
from heldout.names import Theta

GENERIC, LEAVE_ONE_OUT = "generic", "leave_one_out"
TIGHT = 1e-8
"""At this tolerance the start of an iterative solver no longer shows in the sixth digit."""
TIGHTER = 1e-10
"""The same for Newton steps on classes that are nearly separable."""


@dataclass(frozen=True)
class Offer:
    """An engine, the estimators it serves, and the parameters under which it is exact."""

    engine: str
    estimators: tuple[str, ...]
    exact: Callable[[dict[str, Any]], bool]


def _only(*names: str) -> Callable[[dict[str, Any]], bool]:
    return lambda given: set(given) <= set(names)


def _knn(given: dict[str, Any]) -> bool:
    return set(given) <= {"n_neighbors", "weights"} and given.get("weights", "uniform") == "uniform"


def _ridge(given: dict[str, Any]) -> bool:
    alpha = given.get("alpha", 1.0)
    return set(given) <= {"alpha", "fit_intercept"} and isinstance(alpha, int | float) and alpha > 0


def _tight(*names: str) -> Callable[[dict[str, Any]], bool]:
    known = {"tol", "max_iter", *names}
    return lambda given: set(given) <= known and given.get("tol", 1.0) <= TIGHT


def _newton(given: dict[str, Any]) -> bool:
    exact = _tight("C", "solver", "class_weight")(given) and given["tol"] <= TIGHTER
    return exact and given.get("solver") == "newton-cholesky"


def _decided_by_sums(given: dict[str, Any]) -> bool:
    """No kernel of the user's own, no probabilities (from folds of its own), no ties to break."""
    known = given.get("kernel", "rbf") in ("rbf", "linear", "poly", "sigmoid")
    plain = given.get("probability", False) in (False, "deprecated")
    return known and plain and not given.get("break_ties", False)


def _grown_in_order(given: dict[str, Any]) -> bool:
    return not {"warm_start", "oob_score", "n_jobs", "n_iter_no_change"} & set(given)


def _no_early_stop(given: dict[str, Any]) -> bool:
    return given.get("early_stopping") is False and "warm_start" not in given


OFFERS = (
    Offer("knn", ("sklearn.neighbors.KNeighborsClassifier", "sklearn.neighbors.KNeighborsRegressor"), _knn),
    Offer("ridge", ("sklearn.linear_model.Ridge", "sklearn.linear_model.RidgeClassifier"), _ridge),
    Offer("linear", ("sklearn.linear_model.LinearRegression",), _only("fit_intercept")),
    Offer("lasso", ("sklearn.linear_model.Lasso",), _tight("alpha")),
    Offer("lasso", ("sklearn.linear_model.ElasticNet",), _tight("alpha", "l1_ratio")),
    Offer("logistic", ("sklearn.linear_model.LogisticRegression",), _newton),
    Offer("svm", tuple(f"sklearn.svm.{kind}" for kind in ("SVC", "SVR", "NuSVC", "NuSVR")), _decided_by_sums),
    Offer("tree", ("sklearn.tree.DecisionTreeClassifier", "sklearn.tree.DecisionTreeRegressor"), lambda _: True),
    Offer(
        "forest",
        tuple(
            f"sklearn.ensemble.{kind}{target}"
            for kind in ("RandomForest", "ExtraTrees")
            for target in ("Classifier", "Regressor")
        ),
        _grown_in_order,
    ),
    Offer(
        "boosting",
        ("sklearn.ensemble.HistGradientBoostingClassifier", "sklearn.ensemble.HistGradientBoostingRegressor"),
        _no_early_stop,
    ),
    Offer(
        "boosting",
        ("sklearn.ensemble.GradientBoostingClassifier", "sklearn.ensemble.GradientBoostingRegressor"),
        _grown_in_order,
    ),
)  # fmt: skip

ENGINES = tuple(
    dict.fromkeys([GENERIC, LEAVE_ONE_OUT, "polynomial", *(offer.engine for offer in OFFERS)])
)


def engine_of(definition: Definition, classification: bool, theta: Theta) -> str:
    """The name of the engine that fits this θ."""
    given = model_params(definition, theta)
    path = definition.import_path(classification)
    if definition.polynomial:
        return "polynomial" if not given else GENERIC
    for offer in OFFERS:
        if path in offer.estimators and offer.exact(given):
            return offer.engine
    return GENERIC


def model_params(definition: Definition, theta: Theta) -> dict[str, Any]:
    """The parameters that reach the model itself, fixed ones and θ's."""
    both = {**definition.params, **theta}
    return {
        name.removeprefix("model__"): value
        for name, value in both.items()
        if name != FEATURES and not name.startswith(("prepare__", "poly__"))
    }
