"""Checks learners before the first fit, with messages that say what to do."""

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from heldout.cells.estimator_check import check_estimator, in_one_line
from heldout.cells.plan import Plan, columns_of
from heldout.cells.trial import check_trials
from heldout.cells.weights_check import check_weights
from heldout.errors import HeldoutError, did_you_mean
from heldout.learners.learner import Learner
from heldout.learners.threads import threaded
from heldout.measures.loss import RANKING
from heldout.measures.needs import BY_THRESHOLD
from heldout.names import Theta, canonical
from heldout.numerics import errors
from heldout.numerics.builders import builder_of
from heldout.numerics.errors import LearnerError
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.sklearn_internals import parameters
from heldout.user_code.search import overlooked

CHECKED_OF_ENDLESS = 3
"""How many θ of an endless grid are checked before the first fit."""


def checked_builders(plan: Plan, loss_needs: str | None) -> dict[str, Builder]:
    """The builder of each learner of a plan, after all checks.

    Parameters
    ----------
    plan
        The plan of a task.
    loss_needs
        What the loss needs of predictions: label, proba, value, ranking, or threshold.

    Returns
    -------
    dict
        The builder by name of the learner.

    Examples
    --------
    >>> from heldout.cells.plan import open_plan
    >>> from heldout.cells.spec import CellsSpec
    >>> from heldout.data.prepare import prepare
    >>> from heldout.data.request import Request
    >>> from heldout.learners.learner import define
    >>> request = Request("irises", 19, "sklearn:iris", "target", test=0)
    >>> _ = prepare(request, folder / "data", folder / "vault")
    >>> spec = CellsSpec("irises", 19, ["full"], [define("knn", None)], {}, "{}")
    >>> list(checked_builders(open_plan(folder, spec), "label"))
    ['knn']
    """
    columns = columns_of(plan.table)
    thetas = {learner.name: _some_thetas(learner, plan) for learner in plan.learners}
    builders = {
        learner.name: checked_builder(learner, columns, thetas[learner.name], loss_needs)
        for learner in plan.learners
    }
    check_weights(plan, builders)
    check_trials(plan, builders, thetas)
    if loss_needs == BY_THRESHOLD:
        _check_probabilities({name: (one, thetas[name][0]) for name, one in builders.items()})
    return builders


def _some_thetas(learner: Learner, plan: Plan) -> list[Theta]:
    """All θ, or the first ones of an endless grid."""
    if learner.endless:
        return learner.first_thetas(CHECKED_OF_ENDLESS)
    return learner.thetas(plan.seed)


def checked_builder(
    learner: Learner, columns: Columns, thetas: Sequence[Theta], loss_needs: str | None
) -> Builder:
    """The learner's builder; an error if the estimator would refuse a θ when it is fitted.

    Parameters
    ----------
    learner
        The learner.
    columns
        The columns of the table.
    thetas
        The θ whose names and values are checked.
    loss_needs
        The kind of prediction that the loss is computed from: label, proba or value.

    Returns
    -------
    Builder
        Ready to build Pipelines for each θ.

    Raises
    ------
    HeldoutError
        Names the learner, the key or θ, and what to do.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> knn, columns = define("knn", None), Columns(["a"], frozenset({0}), ["no", "yes"])
    >>> checked_builder(knn, columns, [{"n_neighbours": 3}], "label")
    Traceback (most recent call last):
        ...
    heldout.errors.HeldoutError: learners.knn.grid: KNeighborsClassifier has no parameter 'n_neighbours'; did you mean 'n_neighbors'?
    """
    path, where = learner.path(columns.classification), f"learners.{learner.name}.{_key(learner)}"
    try:
        if path is not None and learner.made is None:
            check_estimator(path, where, learner.params)
        builder = builder_of(threaded(learner), columns)
        _check_kind(builder)
        _check_thetas(builder, thetas)
        _check_predictions(builder, thetas[0], loss_needs)
    except LearnerError as error:
        raise HeldoutError(message(learner, error)) from None
    except Exception as error:
        if learner.source and not isinstance(error, HeldoutError):  # the user's code, not ours
            raise HeldoutError(f"{where}: {path} gives {in_one_line(error)}") from error
        raise
    return builder


def _check_kind(builder: Builder) -> None:
    prototype = builder.prototype
    tagged = hasattr(prototype, "__sklearn_tags__")
    said = get_tags(prototype).estimator_type if tagged else None  # None: a class that does not say
    definition = builder.definition
    name = definition.name
    kind = "classification" if builder.classification else "regression"
    if definition.calibrate and not builder.classification:
        raise HeldoutError(f"learners.{name}.calibrate: is for classes, and the target is a number")
    if definition.target and builder.classification:
        raise HeldoutError(f"learners.{name}.target: is for numbers, and the target is a class")
    if said is not None and said != ("classifier" if builder.classification else "regressor"):
        raise HeldoutError(f"learners.{name}: {type(prototype).__name__} is not for {kind}")


def _check_thetas(builder: Builder, thetas: Sequence[Theta]) -> None:
    """Check each value of a hyper-parameter once."""
    seen: set[str] = set()
    for theta in thetas:
        recipe = builder.recipe(theta)
        new = {canonical([k, v]) for k, v in recipe.model.items()} - seen
        if new or not seen:
            seen |= new
            _check_values(builder.estimator(recipe, 0), builder.definition.name, theta)
        if recipe.shared not in seen:
            seen.add(recipe.shared)
            _check_values(builder.preprocessing(recipe), builder.definition.name, theta)


def _check_values(estimator: Any, learner: str, theta: Theta) -> None:
    for step in _parts(estimator):
        try:
            parameters.validate(step)
        except ValueError as error:
            text = f"learner '{learner}' refuses θ = {canonical(theta)}: {error}"
            raise HeldoutError(text) from None


def _parts(estimator: Any) -> list[Any]:
    """All steps, those of columns too."""
    if isinstance(estimator, Pipeline):
        return [part for _, step in estimator.steps for part in _parts(step)]
    if isinstance(estimator, ColumnTransformer):
        return [part for _, step, _ in estimator.transformers for part in _parts(step)]
    return [] if isinstance(estimator, str) else [estimator]


def _check_predictions(builder: Builder, theta: Theta, loss_needs: str | None) -> None:
    methods = GIVEN_BY.get(loss_needs or "")
    if methods is not None and not builder.gives(theta, methods):
        name, kind = builder.definition.name, type(builder.prototype).__name__
        raise HeldoutError(
            f"learners.{name}: {kind} gives no probabilities, which the loss "
            "needs; set calibrate: sigmoid (or isotonic) for it, or choose loss: zero_one or another learner"
        )


def _check_probabilities(built: dict[str, tuple[Builder, Theta]]) -> None:
    """Name all learners without probabilities at once: a threshold is for all or none."""
    lacking = {
        name: type(builder.prototype).__name__
        for name, (builder, theta) in built.items()
        if not builder.gives(theta, GIVEN_BY["proba"])
    }
    if lacking:
        named = ", ".join(f"'{name}' ({kind})" for name, kind in lacking.items())
        raise HeldoutError(
            f"threshold: needs probabilities, and there are none of {named}; set calibrate: sigmoid for the "
            "learner, or leave out the learner or the threshold"
        )


GIVEN_BY = {"proba": ("predict_proba",), RANKING: ("decision_function", "predict_proba")}
"""The methods that give what a loss needs: one of them is enough."""


# --- messages ------------------------------------------------------------------------------------


def message(learner: Learner, error: LearnerError) -> str:
    """The message of an error: where in the config, what is wrong, and what was probably meant."""
    facts = error.facts
    if error.problem == errors.NOT_FOR_TARGET:
        kind = "classification" if facts["classification"] else "regression"
        return f"learner '{learner.name}' is not for {kind}: {learner.instead}"
    where = f"learners.{learner.name}.{facts.get('key', _key(learner))}"
    return f"{where}: {MESSAGES[error.problem](facts)}{_overlooked(facts.get('module', ''))}"


def _key(learner: Learner) -> str:
    """The key of the config that says what the learner is."""
    return "steps" if learner.steps else "estimator"


def _overlooked(module: str) -> str:
    """Say that a file of the study's folder has the name of another module."""
    file = overlooked(module) if module else None
    return "" if file is None else f" ({file.name} in the study's folder has a name that is taken)"


def _meant(facts: dict[str, Any]) -> str:
    return did_you_mean(facts["name"], facts["known"])


MESSAGES: dict[str, Callable[[dict[str, Any]], str]] = {
    errors.CANNOT_IMPORT: lambda f: f"cannot import '{f['module']}': {f['error']}",
    errors.NO_SUCH_NAME: lambda f: f"no '{f['name']}' in {f['module']}{_meant(f)}",
    errors.CANNOT_BE_MADE: lambda f: f"cannot be made: {f['error']}",
    errors.UNKNOWN_PARAMETER: lambda f: f"{f['owner']} has no parameter '{f['name']}'{_meant(f)}",
    errors.REFUSED_PARAMETER: lambda f: str(f["error"]),
    errors.UNKNOWN_STEP: lambda f: f"there is no step '{f['name']}'{_meant(f)}",
    errors.UNKNOWN_CLASS: lambda f: f"no class '{f['name']}'{_meant(f)}",
    errors.UNKNOWN_COLUMN: lambda f: f"no column '{f['name']}'{_meant(f)}",
    errors.NO_COLUMNS: lambda _: "an empty list of columns",
}
