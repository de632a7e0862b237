"""Rows in time order: which keys of a task go with `time`, and why others do not."""

from heldout.config.models import Rolling, Task
from heldout.data import oracle_catalogue
from heldout.errors import HeldoutError
from heldout.estimates.lookup import default_estimators
from heldout.estimates.registry import ESTIMATORS
from heldout.resampling.spans import span_of


def check_time(task: Task, where: str) -> None:
    """Refuse what takes rows as exchangeable where they are in time order, and the reverse.

    Parameters
    ----------
    task
        The task's block of the config.
    where
        Its place in the config, for messages.

    Raises
    ------
    HeldoutError
        Names the key, the reason, and what to do.

    Examples
    --------
    >>> check_time(Task(data="d.csv", target="y", learners=["knn"], rolling={"gap": 1}), "tasks.t")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: tasks.t.rolling: is for rows in time order; name their column: time
    """
    if task.time is None:
        _check_without(task, where)
        return
    _check_spans(task.rolling, f"{where}.rolling")
    _check_column(task, where)
    _check_estimators(task, where)
    _check_others(task, where)


def _check_without(task: Task, where: str) -> None:
    if "rolling" in task.model_fields_set:
        raise HeldoutError(f"{where}.rolling: is for rows in time order; name their column: time")
    asked = {"estimators": task.estimators, "select.by": [task.select.by]}
    for key, names in asked.items():
        for name in names:
            if ESTIMATORS[name].only_in_time:
                raise HeldoutError(
                    f"{where}.{key}: {name} is for rows in time order; name their column: time"
                )


def _check_spans(rolling: Rolling, where: str) -> None:
    gap = span_of(rolling.gap, f"{where}.gap")
    window = None if rolling.window is None else span_of(rolling.window, f"{where}.window")
    if window is not None and not window:
        raise HeldoutError(
            f"{where}.window: holds no time; leave it out to train on all of the past"
        )
    if (gap.blocks or 0) >= rolling.blocks - 1:
        raise HeldoutError(
            f"{where}.gap: {gap.blocks} of {rolling.blocks} blocks leave none to train on and to predict; set a "
            "shorter gap or more blocks"
        )


def _check_column(task: Task, where: str) -> None:
    meanings = {"target": task.target, "weights": task.weights}
    for key, column in meanings.items():
        if task.time == column:
            raise HeldoutError(f"{where}.time: '{column}' is the column of {where}.{key} too")


def _check_estimators(task: Task, where: str) -> None:
    usual = ", ".join(default_estimators(in_time=True))
    for key, names in {"estimators": task.estimators, "select.by": [task.select.by]}.items():
        for name in names:
            if not ESTIMATORS[name].in_time:
                raise HeldoutError(
                    f"{where}.{key}: {name} takes rows as exchangeable, and would train models on rows that are "
                    f"later than those they predict (time: {task.time}); use {usual}"
                )


def _check_others(task: Task, where: str) -> None:
    if oracle_catalogue.is_oracle(task.data):
        raise HeldoutError(f"{where}.time: {task.data} draws rows in no order of time")
    if task.kfold.column is not None:
        raise HeldoutError(
            f"{where}.kfold.column: folds of your own take rows as exchangeable; with time, blocks take their place"
        )
    if task.audit is not None:
        raise HeldoutError(
            f"{where}.audit: an audit draws rows at random, which loses their order in time; remove audit, or time"
        )
    if task.select.rule == "confidence_set":
        raise HeldoutError(
            f"{where}.select.rule: the confidence set takes rows as exchangeable; with time, use min, one_se or "
            "first_local_min"
        )
