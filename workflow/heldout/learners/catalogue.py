"""Short names for common learners, with good defaults.

Standard library only: the workflow imports this while it is parsed. To add a learner,
add one entry to `CATALOG`.
"""

from dataclasses import dataclass, field
from typing import Any

from heldout.errors import HeldoutError, did_you_mean


@dataclass(frozen=True)
class Entry:
    """What a short name means.

    Parameters
    ----------
    classifier, regressor
        Import paths of the estimator for classes and for numbers; None if it has none.
    params
        Default parameters of the estimator.
    scale
        Whether numbers are standardised.
    grid
        The default grid.
    simpler
        For `one_se`: whether the `larger` or the `smaller` value of a hyper-parameter is simpler.
    polynomial
        Whether polynomial features are made before the model.
    instead
        What to use for the kind of target that the learner is not for; part of the error message.
    native
        Whether the estimator itself knows missing values and categories.
    """

    classifier: str | None = None
    regressor: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    scale: bool = False
    grid: dict[str, Any] = field(default_factory=dict)
    simpler: dict[str, str] = field(default_factory=dict)
    polynomial: bool = False
    instead: str = ""
    native: bool = False


CATALOG: dict[str, Entry] = {
    "knn": Entry(
        "sklearn.neighbors.KNeighborsClassifier",
        "sklearn.neighbors.KNeighborsRegressor",
        scale=True,
        grid={"n_neighbors": [1, 3, 5, 9, 15, 25]},
        simpler={"n_neighbors": "larger"},
    ),
    "tree": Entry(
        "sklearn.tree.DecisionTreeClassifier",
        "sklearn.tree.DecisionTreeRegressor",
        grid={"max_depth": [1, 2, 3, 4, 6, 8, 12]},
        simpler={"max_depth": "smaller", "ccp_alpha": "larger", "min_samples_leaf": "larger"},
    ),
    "forest": Entry(
        "sklearn.ensemble.RandomForestClassifier",
        "sklearn.ensemble.RandomForestRegressor",
        grid={"n_estimators": [100]},
        simpler={
            "min_samples_leaf": "larger",
            "max_features": "smaller",
            "n_estimators": "smaller",
        },
    ),
    "boosting": Entry(
        "sklearn.ensemble.HistGradientBoostingClassifier",
        "sklearn.ensemble.HistGradientBoostingRegressor",
        params={"early_stopping": False},
        grid={"max_iter": [25, 50, 100, 200]},
        simpler={
            "max_leaf_nodes": "smaller",
            "max_iter": "smaller",
            "learning_rate": "smaller",
            "min_samples_leaf": "larger",
        },
        native=True,
    ),
    "linear": Entry(
        None,
        "sklearn.linear_model.LinearRegression",
        instead="for classes use 'logistic' or 'ridge'",
    ),
    "ridge": Entry(
        "sklearn.linear_model.RidgeClassifier",
        "sklearn.linear_model.Ridge",
        scale=True,
        grid={"alpha": {"logspace": [-3, 3, 13]}},
        simpler={"alpha": "larger"},
    ),
    "lasso": Entry(
        None,
        "sklearn.linear_model.Lasso",
        params={"tol": 1e-8, "max_iter": 100_000},
        scale=True,
        grid={"alpha": {"logspace": [-3, 1, 13]}},
        simpler={"alpha": "larger"},
        instead="for classes use 'logistic' with params {penalty: l1, solver: saga}",
    ),
    "polynomial": Entry(
        None,
        "sklearn.linear_model.LinearRegression",
        scale=True,
        grid={"poly__degree": [1, 2, 3]},
        simpler={"poly__degree": "smaller"},
        polynomial=True,
        instead="for classes use 'logistic'",
    ),
    "logistic": Entry(
        "sklearn.linear_model.LogisticRegression",
        None,
        params={"solver": "newton-cholesky", "tol": 1e-10, "max_iter": 1000},
        scale=True,
        grid={"C": {"logspace": [-3, 3, 7]}},
        simpler={"C": "smaller"},
        instead="for numbers use 'linear' or 'ridge'",
    ),
    "svm": Entry(
        "sklearn.svm.SVC",
        "sklearn.svm.SVR",
        scale=True,
        grid={"C": {"logspace": [-2, 3, 6]}},
        simpler={"C": "smaller"},
    ),
    "majority": Entry(
        "sklearn.dummy.DummyClassifier",
        None,
        {"strategy": "prior"},
        instead="for numbers use 'mean'",
    ),
    "mean": Entry(
        None,
        "sklearn.dummy.DummyRegressor",
        {"strategy": "mean"},
        instead="for classes use 'majority'",
    ),
}

NEED_SCALING = (
    "sklearn.neighbors.",
    "sklearn.svm.",
    "sklearn.linear_model.",
    "sklearn.neural_network.",
    "sklearn.gaussian_process.",
    "sklearn.kernel_ridge.",
    "sklearn.discriminant_analysis.",
)
"""Estimators in these modules get standardised numbers unless the config says otherwise."""


KNOW_CATEGORIES = (
    "sklearn.ensemble.HistGradientBoostingClassifier",
    "sklearn.ensemble.HistGradientBoostingRegressor",
)
"""Estimators that get missing values and categories as they are."""


def entry_for(estimator: str, where: str) -> Entry:
    """The catalogue's entry of a short name; for an import path an entry without defaults.

    Parameters
    ----------
    estimator
        A short name or an import path.
    where
        The key of the config that an error message names.

    Returns
    -------
    Entry
        With `scale` on for scikit-learn's estimators that need it.

    Raises
    ------
    HeldoutError
        If it is neither a short name nor an import path.

    Examples
    --------
    >>> entry_for("knn", "learners.knn").classifier
    'sklearn.neighbors.KNeighborsClassifier'
    >>> entry_for("sklearn.svm.SVC", "learners.mine").scale
    True
    """
    if estimator in CATALOG:
        return CATALOG[estimator]
    if "." not in estimator and ":" not in estimator:
        hint = did_you_mean(estimator, sorted(CATALOG))
        raise HeldoutError(
            f"{where}: unknown learner '{estimator}'{hint} (or give an import path such as sklearn.svm.SVC)"
        )
    scale = estimator.startswith(NEED_SCALING)
    native = estimator.replace(":", ".") in KNOW_CATEGORIES
    return Entry(classifier=estimator, regressor=estimator, scale=scale, native=native)


def is_baseline(*paths: str | None) -> bool:
    """Say whether a learner looks at no feature.

    Parameters
    ----------
    paths
        The import paths of its estimators.

    Returns
    -------
    bool
        True for scikit-learn's dummies.

    Examples
    --------
    >>> is_baseline("sklearn.dummy.DummyClassifier", None), is_baseline("sklearn.svm.SVC")
    (True, False)
    """
    return any(path is not None and path.startswith("sklearn.dummy.") for path in paths)
