"""The engines, and which of them serves which θ.

To add an engine, add one entry to `ENGINES` and a module of that name beside this one. The choice
depends on the estimator's import path and on its parameters. A path engine is chosen only for
parameters under which it is exact. The choice does not depend on the other θ of the grid, so a θ
gets the same numbers alone or among others. Standard library only, so that a job that finds all its
cells in the store never imports scikit-learn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.learners.definition import FEATURES, FORESTS, Definition
from heldout.names import Theta
from heldout.numerics.engines import rounds_offers
from heldout.provenance import code_digest

GENERIC, STEPS, ROUNDS, LEAVE_ONE_OUT = "generic", "steps", "rounds", "leave_one_out"
COMPOSED = frozenset({STEPS, ROUNDS})
"""The engines of composed learners; they know weights, and rows as a DataFrame."""
AT_ONCE = frozenset({"ridge", "logistic"})
"""Engines that fit in less time than it takes to open a stored model, whose predictions might differ in the last bit."""
TIGHT = 1e-8
"""At this tolerance the start of an iterative solver no longer changes the sixth digit."""
TIGHTER = 1e-10
"""The same for Newton steps on classes that are nearly separable."""

Exact = Callable[[dict[str, Any]], bool]
"""Whether an engine is exact for the parameters that reach the model."""


@dataclass(frozen=True)
class Engine:
    """An engine, and the estimators and parameters for which it is exact.

    Parameters
    ----------
    name
        The name of the engine's module.
    serves
        What one pass of it fits; for the documentation.
    offers
        Pairs of import paths and the condition under which the engine is exact for them.
    """

    name: str
    serves: str
    offers: tuple[tuple[tuple[str, ...], Exact], ...] = ()

    @property
    def digest(self) -> str:
        """The digest of all code that can change the numbers of this engine."""
        return code_digest(*code_roots(self.name))

    def offered(self, path: str | None, given: dict[str, Any]) -> bool:
        """Whether the engine is exact for an estimator with these parameters."""
        return any(path in estimators and exact(given) for estimators, exact in self.offers)


def code_roots(engine: str) -> tuple[str, ...]:
    """The modules that an engine's numbers come from, besides those that they import."""
    return "heldout.numerics.run", f"heldout.numerics.engines.{engine}"


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


def _plain_kernel_machine(given: dict[str, Any]) -> bool:
    """A known kernel, no probabilities (libsvm cross-validates for them), no breaking of ties."""
    known = given.get("kernel", "rbf") in ("rbf", "linear", "poly", "sigmoid")
    plain = given.get("probability", False) in (False, "deprecated")
    return known and plain and not given.get("break_ties", False)


def _dual(given: dict[str, Any]) -> bool:
    """What liblinear's dual solver fits on fewer rows than columns: it uses products of rows only."""
    known = {"C", "loss", "epsilon", "class_weight", "tol", "max_iter", "dual", "fit_intercept"}
    served = set(given) <= known | {"intercept_scaling"}
    return served and given.get("dual", "auto") in ("auto", True)


def _fitted_in_order(given: dict[str, Any]) -> bool:
    return not {"warm_start", "oob_score", "n_jobs", "n_iter_no_change"} & set(given)


def _without_early_stopping(given: dict[str, Any]) -> bool:
    return given.get("early_stopping") is False and "warm_start" not in given


def _sklearn(module: str, *names: str) -> tuple[str, ...]:
    return tuple(f"sklearn.{module}.{name}" for name in names)


ENGINES = {
    engine.name: engine
    for engine in (
        Engine(GENERIC, "one θ a fit; any estimator"),
        Engine(STEPS, "one θ a fit; Pipelines of the user's, calibration, native columns, texts"),
        Engine(LEAVE_ONE_OUT, "all left-out rows of ridge, least squares and unscaled k-NN"),
        Engine("polynomial", "all degrees, from one QR decomposition"),
        Engine(
            "knn", "all k, from one neighbour search; training sets of a job share the search",
            ((_sklearn("neighbors", "KNeighborsClassifier", "KNeighborsRegressor"), _knn),),
        ),
        Engine(
            "ridge", "all λ, from one eigendecomposition",
            ((_sklearn("linear_model", "Ridge", "RidgeClassifier"), _ridge),),
        ),
        Engine(
            "linear", "one θ a fit, without scikit-learn's checks",
            ((_sklearn("linear_model", "LinearRegression"), _only("fit_intercept")),),
        ),
        Engine(
            "lasso", "all penalties, exactly, by following the columns in use",
            (
                (_sklearn("linear_model", "Lasso"), _tight("alpha")),
                (_sklearn("linear_model", "ElasticNet"), _tight("alpha", "l1_ratio")),
            ),
        ),
        Engine(
            "logistic", "all C, by the smaller number: of rows or of columns",
            ((_sklearn("linear_model", "LogisticRegression"), _newton),),
        ),
        Engine(
            "svm", "all θ with the same kernel, from one kernel matrix",
            ((_sklearn("svm", "SVC", "SVR", "NuSVC", "NuSVR"), _plain_kernel_machine),),
        ),
        Engine(
            "linear_svm", "on many columns, all θ by a solver that gets as many columns as rows",
            ((_sklearn("svm", "LinearSVC", "LinearSVR"), _dual),),
        ),
        Engine(
            "tree", "all ccp_alpha, or all max_depth of a classifier, from one tree",
            ((_sklearn("tree", "DecisionTreeClassifier", "DecisionTreeRegressor"), lambda _: True),),
        ),
        Engine(
            "forest", "all n_estimators, from the largest forest",
            ((FORESTS, _fitted_in_order),),
        ),
        Engine(
            "boosting", "all numbers of rounds, from the longest run",
            (
                (
                    _sklearn(
                        "ensemble",
                        "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
                    ),
                    _without_early_stopping,
                ),
                (
                    _sklearn("ensemble", "GradientBoostingClassifier", "GradientBoostingRegressor"),
                    _fitted_in_order,
                ),
            ),
        ),
        Engine(
            ROUNDS, "all numbers of rounds of LightGBM, XGBoost and CatBoost, from the longest run",
            rounds_offers.OFFERS,
        ),
    )
}  # fmt: skip
"""Every engine by name."""


def numeric_code() -> dict[str, str]:
    """The digest of each engine's code, which is part of the keys of its cells.

    Returns
    -------
    dict
        Digest by name of the engine.

    Examples
    --------
    >>> len(numeric_code()["knn"])
    32
    """
    return {name: engine.digest for name, engine in ENGINES.items()}


def engine_of(
    definition: Definition,
    classification: bool,
    theta: Theta,
    weighted: bool = False,
    texts: bool = False,
) -> str:
    """The name of the engine that fits this θ.

    Parameters
    ----------
    definition
        The learner.
    classification
        Whether the target is one of several classes.
    theta
        The values of the hyper-parameters.
    weighted
        Whether rows have weights, which only the engine `generic` and those of composed learners know.
    texts
        Whether the table has columns of free text, which the matrix does not hold.

    Returns
    -------
    str
        A name in `ENGINES`.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> engine_of(define("knn", None), True, {"n_neighbors": 3})
    'knn'
    >>> engine_of(define("knn", None), True, {"n_neighbors": 3, "weights": "distance"})
    'generic'
    """
    given = model_params(definition, theta)
    if texts or definition.composed(classification):
        wrapped = definition.calibrate or definition.target
        offered = not wrapped and ENGINES[ROUNDS].offered(definition.path(classification), given)
        return ROUNDS if offered else STEPS
    if weighted:
        return GENERIC
    path = definition.path(classification)
    if definition.polynomial:
        return "polynomial" if not given else GENERIC
    for engine in ENGINES.values():
        if engine.offered(path, given):
            return engine.name
    return GENERIC


def by_engine(
    definition: Definition,
    classification: bool,
    thetas: Sequence[Theta],
    weighted: bool = False,
    texts: bool = False,
) -> dict[str, list[Theta]]:
    """The θ that each engine fits.

    Parameters
    ----------
    definition
        The learner.
    classification
        Whether the target is one of several classes.
    thetas
        The values of the hyper-parameters, θ by θ.
    weighted
        Whether rows have weights.
    texts
        Whether the table has columns of free text.

    Returns
    -------
    dict
        The θ by name of the engine.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> by_engine(define("knn", None), True, [{"n_neighbors": 1}, {"metric": "cosine"}])
    {'knn': [{'n_neighbors': 1}], 'generic': [{'metric': 'cosine'}]}
    """
    groups: dict[str, list[Theta]] = {}
    for theta in thetas:
        engine = engine_of(definition, classification, theta, weighted, texts)
        groups.setdefault(engine, []).append(theta)
    return groups


def model_params(definition: Definition, theta: Theta) -> dict[str, Any]:
    """The parameters of the model itself, fixed ones and those of θ."""
    both = {**definition.params, **theta}
    names = [step["name"] for step in definition.steps] or ["model"]
    steps = ("prepare", "poly", *names[:-1])
    return {
        name.removeprefix(f"{names[-1]}__"): value
        for name, value in both.items()
        if name != FEATURES and name.split("__")[0] not in steps
    }
