"""Everything about learners that can be checked without fitting, with messages for people."""

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from heldout.cells.plan import Plan, columns_of
from heldout.errors import HeldoutError, did_you_mean
from heldout.learners.learner import Learner
from heldout.names import Theta, canonical
from heldout.numerics import errors
from heldout.numerics.errors import LearnerError
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.sklearn_internals import parameters

PROBE = 3
"""How many θ of an endless grid are checked before the first fit."""


def checked_builders(plan: Plan, loss_needs: str | None) -> dict[str, Builder]:
    """A builder per learner of a plan, after all checks."""
    columns = columns_of(plan.table)
    return {
        learner.name: checked_builder(learner, columns, _probe(learner, plan.seed), loss_needs)
        for learner in plan.learners
    }


def _probe(learner: Learner, seed: int) -> list[Theta]:
    return learner.first_thetas(PROBE) if learner.endless else learner.thetas(seed)


def checked_builder(
    learner: Learner, columns: Columns, thetas: Sequence[Theta], loss_needs: str | None
) -> Builder:
    """The learner's builder; refuses what the estimator would refuse when it is fitted.

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
    """
    try:
        builder = Builder(learner, columns)
        _check_kind(builder)
        _check_thetas(builder, thetas)
        _check_predictions(builder, thetas[0], loss_needs)
    except LearnerError as error:
        raise HeldoutError(message(learner, error)) from None
    return builder


def _check_kind(builder: Builder) -> None:
    prototype = builder.prototype
    known = hasattr(prototype, "__sklearn_tags__")
    if known and is_classifier(prototype) != builder.classification:
        kind = "classification" if builder.classification else "regression"
        name = builder.definition.name
        raise HeldoutError(f"learners.{name}: {type(prototype).__name__} is not for {kind}")


def _check_thetas(builder: Builder, thetas: Sequence[Theta]) -> None:
    """Each value once."""
    seen: set[str] = set()
    for theta in thetas:
        recipe = builder.recipe(theta)
        fresh = {canonical([k, v]) for k, v in recipe.model.items()} - seen
        if fresh or not seen:
            seen |= fresh
            _check_values(builder.estimator(recipe, 0), builder.definition.name, theta)
        if recipe.shared not in seen:
            seen.add(recipe.shared)
            _check_values(builder.preprocessing(recipe), builder.definition.name, theta)


def _check_values(estimator: Any, learner: str, theta: Theta) -> None:
    steps = (
        [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]
    )
    for step in steps:
        try:
            parameters.validate(step)
        except ValueError as error:
            text = f"learner '{learner}' refuses θ = {canonical(theta)}: {error}"
            raise HeldoutError(text) from None


def _check_predictions(builder: Builder, theta: Theta, loss_needs: str | None) -> None:
    if loss_needs != "proba":
        return
    if not hasattr(builder.estimator(builder.recipe(theta), 0), "predict_proba"):
        name, kind = builder.definition.name, type(builder.prototype).__name__
        raise HeldoutError(
            f"learners.{name}: {kind} gives no probabilities, which the loss "
            "needs; choose loss: zero_one or another learner (SVC: params {probability: true})"
        )


# --- messages ------------------------------------------------------------------------------------


def message(learner: Learner, error: LearnerError) -> str:
    """The error in words: where in the config, what is wrong, and what was probably meant."""
    facts = error.facts
    if error.problem == errors.NOT_FOR_TARGET:
        kind = "classification" if facts["classification"] else "regression"
        return f"learner '{learner.name}' is not for {kind}: {learner.instead}"
    where = f"learners.{learner.name}.{facts.get('key', 'estimator')}"
    return f"{where}: {MESSAGES[error.problem](facts)}"


def _meant(facts: dict[str, Any]) -> str:
    return did_you_mean(facts["name"], facts["known"])


MESSAGES: dict[str, Callable[[dict[str, Any]], str]] = {
    errors.CANNOT_IMPORT: lambda f: f"cannot import '{f['module']}': {f['error']}",
    errors.NO_SUCH_NAME: lambda f: f"no '{f['name']}' in {f['module']}{_meant(f)}",
    errors.CANNOT_BE_MADE: lambda f: f"cannot be made: {f['error']}",
    errors.UNKNOWN_PARAMETER: lambda f: f"{f['owner']} has no parameter '{f['name']}'{_meant(f)}",
    errors.REFUSED_PARAMETER: lambda f: str(f["error"]),
    errors.UNKNOWN_CLASS: lambda f: f"no class '{f['name']}'{_meant(f)}",
    errors.UNKNOWN_COLUMN: lambda f: f"no column '{f['name']}'{_meant(f)}",
    errors.NO_COLUMNS: lambda _: "an empty list of columns",
}
