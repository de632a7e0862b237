"""What composed learners would stumble over, found before the first fit: targets, and a trial on few rows."""

import warnings

import numpy as np

from heldout.cells.plan import Plan, units_of
from heldout.errors import HeldoutError
from heldout.names import Theta
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Problem

ROWS = 200
"""How many rows a trial is fitted to."""
LOWEST = {"log": (0.0, "positive"), "log1p": (-1.0, "above −1")}
"""What a target must be larger than to be transformed."""
TELLING = (
    "contains NaN",
    "could not convert string",
    "Cannot use median strategy",
    "Cannot use mean strategy",
    "expected numeric",
    "must be int, float or bool",
    "DType promotion",
    "do not have a common DType",
    "np.isnan",
    "ufunc 'isnan'",
    "convert object",
    "not supported for object",
    "unsupported operand type",
    "can't multiply",
    "Invalid columns",
)
"""Parts of messages about values that a step or model cannot take, whatever rows there are."""


def check_trials(plan: Plan, builders: dict[str, Builder], thetas: dict[str, list[Theta]]) -> None:
    """Check the targets and the steps of composed learners on the rows of the table.

    A trial shows nothing about a learner but whether it can take such values: its model and its
    predictions are thrown away.

    Parameters
    ----------
    plan
        The plan of a task.
    builders
        The builder of each learner.
    thetas
        Its θ; the first one is tried.

    Raises
    ------
    HeldoutError
        Names the learner, and what to do.
    """
    for name, builder in builders.items():
        _check_target(plan, builder)
        if builder.definition.steps:
            _try(plan, builder, thetas[name][0])


def _check_target(plan: Plan, builder: Builder) -> None:
    kind = builder.definition.target
    if kind is None:
        return
    least, words = LOWEST[kind]
    target = np.asarray(plan.table.target)
    wrong = int((target <= least).sum())
    if wrong:
        column = plan.table.facts["schema"]["target"]["name"]
        other = "; log1p takes 0 too" if kind == "log" and (target >= 0).all() else ""
        raise HeldoutError(
            f"learners.{builder.definition.name}.target: {kind} needs a target that is {words}, and "
            f"'{column}' is not in {wrong} of {len(target)} rows (smallest: {target.min():g}){other}"
        )


def _try(plan: Plan, builder: Builder, theta: Theta) -> None:
    """Fit to a few rows, with missing values among them where there are any."""
    from heldout.numerics.engines import steps

    problem = _small_problem(plan, builder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        [outcome] = steps.run(problem, [theta])
    text = str(outcome.error or "")
    if not isinstance(outcome.error, ValueError | TypeError):
        return
    if any(part.lower() in text.lower() for part in TELLING):
        first = text.strip().partition("\n")[0]
        raise HeldoutError(
            f"learners.{builder.definition.name}.steps: a trial on {len(problem.train_target)} rows gives "
            f"{type(outcome.error).__name__}: {first} (begin with the step prepare, which imputes and encodes "
            f"all columns, or with columns: {{numbers: …, categories: …}})"
        )


def _small_problem(plan: Plan, builder: Builder) -> Problem:
    table, units = plan.table, units_of(plan.table)
    rows = _rows(table.features, np.asarray(table.target), builder.classification)
    features = (
        table.frame.iloc[rows].reset_index(drop=True)
        if builder.takes_frame
        else np.asarray(table.features[rows])
    )
    return Problem(
        builder,
        features,
        np.asarray(table.target)[rows],
        features,
        seed=0,
        weights=None if table.weights is None else np.ones(len(rows)),
        units=None if units is None else units[rows],
    )


def _rows(features: np.ndarray, target: np.ndarray, classification: bool) -> np.ndarray:
    """The first rows, of each class at least some, and a row in which each column is missing."""
    chosen = [np.arange(min(ROWS, len(target)))]
    if classification:
        chosen += [np.flatnonzero(target == code)[:10] for code in np.unique(target)]
    missing = np.isnan(features)
    here = np.flatnonzero(missing.any(axis=0))
    chosen.append(missing[:, here[:ROWS]].argmax(axis=0))
    return np.unique(np.concatenate(chosen))
