"""Contradictions between keys of a task: checked while the workflow is parsed."""

import re

from heldout.config.models import Config, Task
from heldout.config.time_order import check_time
from heldout.data import oracle_catalogue
from heldout.errors import HeldoutError
from heldout.estimates.lookup import nested_among
from heldout.learners.learner import Learner
from heldout.measures.choice import classification_of, is_score, loss_spec, metric_specs, needs_of
from heldout.measures.thresholds import THRESHOLD, thresholds_of

ENDLESS = re.compile(r"(.+)\1{19,}$")
"""What Snakemake refuses as a PeriodicWildcardError."""
INDEX = "index.html"
INSIDE = "kfold"
"""What nested estimators choose θ by in every outer fold."""


def _check_oracle(task: Task, learners: list[Learner], where: str) -> None:
    is_oracle = oracle_catalogue.is_oracle(task.data)
    if task.oracle and not is_oracle:
        raise HeldoutError(f"{where}.oracle: goes with data: oracle:NAME, found {task.data}")
    if is_oracle:
        oracle_catalogue.parameters(task.data, task.oracle, where)
        if task.target != oracle_catalogue.TARGET:
            raise HeldoutError(f"{where}.target: oracles predict '{oracle_catalogue.TARGET}'")
        _check_oracle_columns(task, where)
    endless = [learner.name for learner in learners if learner.endless]
    if task.audit is not None and endless:
        raise HeldoutError(
            f"{where}.audit: learner '{endless[0]}' has an endless grid; an audit needs one "
            "that ends"
        )


def _check_oracle_columns(task: Task, where: str) -> None:
    """The groups of an oracle are its own column, or none; it has no column of folds."""
    grouped = oracle_catalogue.entry_of(task.data).groups
    if grouped and task.groups != oracle_catalogue.GROUPS:
        raise HeldoutError(
            f"{where}: {task.data} draws rows in groups; set groups: {oracle_catalogue.GROUPS}"
        )
    if not grouped and task.groups is not None:
        raise HeldoutError(f"{where}.groups: {task.data} has no groups")
    if task.kfold.column is not None:
        raise HeldoutError(f"{where}.kfold.column: an oracle has no column of folds")
    if task.weights is not None:
        raise HeldoutError(f"{where}.weights: {task.data} has no weights")


def _check_refit(task: Task, where: str) -> None:
    """A model of all rows is trained after the sealed ones have spoken; else it would be the same or a leak."""
    if task.refit == "unsealed":
        return
    if not task.test:
        raise HeldoutError(
            f"{where}.refit: nothing is sealed (test: 0), so the final model is trained on all rows already; "
            "leave out refit"
        )
    if "test" not in task.estimators:
        raise HeldoutError(
            f"{where}.refit: all trains on the sealed rows when they have been opened, and 'test' is not among "
            "the estimators; add it, or set test: 0"
        )
    if task.time is not None and task.rolling.window is not None:
        raise HeldoutError(
            f"{where}.refit: the model of a window (rolling.window) is trained on the latest rows, not on all; "
            "leave out refit, or the window"
        )


def check_task(name: str, config: Config, learners: list[Learner]) -> None:
    """Check that the keys of a task do not contradict each other.

    Parameters
    ----------
    name
        The task's name.
    config
        The validated config.
    learners
        The task's learners.

    Raises
    ------
    HeldoutError
        At the first contradiction; the message names the keys.

    Examples
    --------
    >>> from heldout.config.load import validate
    >>> task = {"data": "d.csv", "target": "y", "learners": ["knn", "knn"]}
    >>> check_task("t", validate({"tasks": {"t": task}}), [])
    Traceback (most recent call last):
    heldout.errors.HeldoutError: tasks.t.learners: 'knn' is listed twice
    """
    task, where = config.tasks[name], f"tasks.{name}"
    _check_oracle(task, learners, where)
    _check_refit(task, where)
    _check_task_name(name, where)
    _check_names(task, where)
    _check_marks(task, where)
    _check_grids(task, learners, where)
    check_time(task, where)
    _check_folds(task, where)
    _check_weights(task, where)
    _check_selection_inside(task, where)
    loss_spec(task.loss, f"{where}.loss")
    _check_metrics(task, where)
    _check_sets(task, where)
    if task.threshold is not None:
        _check_threshold(task, learners, f"{where}.{THRESHOLD}")
    classification = classification_of(task.loss)
    if classification is not None:
        for learner in learners:
            learner.import_path(classification)


def _check_metrics(task: Task, where: str) -> None:
    """Refuse metrics of another kind of target than that of the loss."""
    metric_specs(task.metrics, f"{where}.metrics", task.positive)
    kinds, of_loss = {True: "classes", False: "numbers"}, classification_of(task.loss)
    for one in task.metrics:
        of_metric = classification_of(one)
        if None not in (of_loss, of_metric) and of_loss != of_metric:
            spec = loss_spec(one, where)
            assert spec is not None
            raise HeldoutError(
                f"{where}.metrics: '{spec.name}' is for targets that are {kinds[bool(of_metric)]}, and the "
                f"loss is for {kinds[bool(of_loss)]}"
            )


def _check_sets(task: Task, where: str) -> None:
    """Refuse leave-one-out with a score: one row has none."""
    if is_score(task.loss) and ("loo" in task.estimators or task.select.by == "loo"):
        spec = loss_spec(task.loss, where)
        assert spec is not None
        raise HeldoutError(
            f"{where}.loss: '{spec.name}' is a number of a whole set, and leave-one-out holds out single rows; "
            f"leave out loo, or choose a loss of single rows"
        )


def _check_threshold(task: Task, learners: list[Learner], where: str) -> None:
    """Refuse a threshold that would change nothing, or that some part of the task cannot try."""
    thresholds_of(task.threshold, where)
    loss = loss_spec(task.loss, where)
    if loss is not None and needs_of(task.loss) not in (None, "label"):
        raise HeldoutError(
            f"{where}: the threshold changes labels only, and the loss '{loss.name}' is not computed from labels; "
            "choose one that is, such as f1 or balanced_accuracy, or leave out the threshold"
        )
    if task.select.rule == "first_local_min":
        raise HeldoutError(
            f"{where}: first_local_min scans one ordered hyper-parameter, and the threshold is another one; "
            "choose another select.rule, or leave out the threshold"
        )
    if task.audit is not None:
        raise HeldoutError(
            f"{where}: an audit does not try thresholds; leave out audit or threshold"
        )
    for learner in learners:
        if THRESHOLD in {*learner.params, *learner.thetas(0)[0]}:
            raise HeldoutError(
                f"{where}: learner '{learner.name}' has a parameter '{THRESHOLD}' of its own, so that θ would hold "
                "two; leave out one of them"
            )


def _check_task_name(name: str, where: str) -> None:
    """Refuse names that a file or a rule of the workflow would stumble over."""
    if ENDLESS.search(name):
        raise HeldoutError(
            f"{where}: the name ends in the same characters 20 times over, which Snakemake takes for "
            "an endless loop; choose another one"
        )
    if name == INDEX:
        raise HeldoutError(f"{where}: the name '{INDEX}' is kept for the page of all tasks")


def _check_names(task: Task, where: str) -> None:
    twice = [learner for learner in task.learners if task.learners.count(learner) > 1]
    if twice:
        raise HeldoutError(f"{where}.learners: '{twice[0]}' is listed twice")
    if "all" in task.learners:
        raise HeldoutError(
            f"{where}.learners: the name 'all' is kept for the choice between learners"
        )


def _check_marks(task: Task, where: str) -> None:
    """Refuse one character with two meanings in numbers. The delimiter may be in them too: inside quotes."""
    if task.decimal is not None and task.decimal == task.thousands:
        raise HeldoutError(
            f"{where}.thousands: '{task.thousands}' is the decimal mark too; change one of them"
        )


def _check_grids(task: Task, learners: list[Learner], where: str) -> None:
    for learner in learners:
        if learner.endless and task.select.rule != "first_local_min":
            raise HeldoutError(
                f"learners.{learner.name}.grid: an endless grid needs "
                f"{where}.select: {{rule: first_local_min}}"
            )
        if task.select.rule == "first_local_min" and len(learner.grid) > 1:
            raise HeldoutError(
                f"{where}.select: first_local_min scans one ordered hyper-parameter; "
                f"learner '{learner.name}' has {len(learner.grid)}"
            )


def _check_folds(task: Task, where: str) -> None:
    nested = nested_among(task.estimators)
    if nested and task.kfold.column is None and task.kfold.k < 3:
        raise HeldoutError(
            f"{where}.kfold.k: nested CV leaves out pairs of folds and needs k ≥ 3, "
            f"found {task.kfold.k}; raise k or drop {', '.join(sorted(nested))}"
        )
    if task.kfold.column is not None and task.kfold.repeats > 1:
        raise HeldoutError(f"{where}.kfold: the user's own folds cannot be repeated")


def _check_weights(task: Task, where: str) -> None:
    """Refuse a column that has another meaning too, and audits, which draw rows without their weights."""
    if task.weights is None:
        return
    meanings = {"target": task.target, "groups": task.groups, "kfold.column": task.kfold.column}
    for key, column in meanings.items():
        if task.weights == column:
            raise HeldoutError(
                f"{where}.weights: '{column}' is the column of {where}.{key} too; weights need a column "
                "of their own"
            )
    if task.audit is not None:
        raise HeldoutError(
            f"{where}.audit: an audit gives all rows the same weight; remove audit, or {where}.weights"
        )


def _check_selection_inside(task: Task, where: str) -> None:
    """Refuse nested estimators that would choose θ by another estimate than the task does.

    Where the config names no estimators, they are refused too and not left out: with nested_cv a
    default would silently lose the honest estimate of the tuned procedure.
    """
    by, nested = task.select.by, nested_among(task.estimators)
    if task.time is not None:
        _check_selection_before(task, where)
        return
    if task.select.rule == "confidence_set" and by != INSIDE:
        raise HeldoutError(
            f"{where}.select: the confidence set is computed from the folds of K-fold; set "
            f"{where}.select.by: {INSIDE}, or another rule"
        )
    if not nested or by == INSIDE:
        return
    names = " and ".join(nested)
    default = "" if "estimators" in task.model_fields_set else ", which is there by default"
    others = [name for name in task.estimators if name not in nested] or [by]
    raise HeldoutError(
        f"{where}.select.by: θ is chosen by {by}, but in the outer folds of {names} by K-fold over the "
        f"inner folds, so that another procedure would be rated than the one that is used; set "
        f"{where}.select.by: {INSIDE}, or leave out {names}{default}: estimators: "
        f"[{', '.join(others)}]"
    )


def _check_selection_before(task: Task, where: str) -> None:
    """The same for rows in time order: before every block, θ is chosen by the blocks before it."""
    by = task.select.by
    if "nested_rolling" not in task.estimators or by == "rolling":
        return
    others = [name for name in task.estimators if name != "nested_rolling"]
    raise HeldoutError(
        f"{where}.select.by: θ is chosen by {by}, but before the blocks of nested_rolling by the blocks that were "
        f"over by then, so that another procedure would be rated than the one that is used; set {where}.select.by: "
        f"rolling, or leave out nested_rolling: estimators: [{', '.join(others)}]"
    )
