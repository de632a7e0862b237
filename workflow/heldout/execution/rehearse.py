"""Everything of a task that happens before the first fit, done in a temporary folder."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from heldout.execution.specs import build
from heldout.execution.study import Study
from heldout.execution.tasks import DeclaredTask
from heldout.learners.learner import Learner
from heldout.learners.libraries import LIBRARIES
from heldout.measures.needs import BY_THRESHOLD
from heldout.measures.spec import LossSpec
from heldout.user_code.search import look_in_study_folder

if TYPE_CHECKING:
    from heldout.data.prepared import Prepared
    from heldout.measures.loss import Loss

TRUSTED = ("sklearn.", "heldout.", *(f"{name}." for name in LIBRARIES))
"""Where estimators come from whose building runs nobody else's code."""


@dataclass(frozen=True)
class Rehearsal:
    """What was found out about a task.

    Parameters
    ----------
    facts
        The facts of its table.
    loss
        The name of its loss.
    learners
        The number of its learners.
    unbuilt
        The learners that were not built, each with its import path, because they are the user's code.
    """

    facts: dict[str, Any]
    loss: str
    learners: int
    unbuilt: dict[str, str] = field(default_factory=dict)


def rehearse(study: Study, task: str, users_code: bool) -> Rehearsal:
    """Read, seal, split and build the learners, as the workflow will; nothing of it is kept.

    Parameters
    ----------
    study
        The config.
    task
        The name of a task.
    users_code
        Whether learners are built that are neither scikit-learn's nor heldout's.

    Returns
    -------
    Rehearsal
        What was found out.

    Raises
    ------
    HeldoutError
        What would stop the workflow.
    """
    from heldout.cells.plan import open_plan
    from heldout.cells.preflight import checked_builders
    from heldout.cells.sets_check import check_sets, check_threshold

    declared = study.task(task)
    with TemporaryDirectory(prefix="heldout-check-") as name:
        folder = Path(name)
        facts = table_and_splits(declared, folder)
        spec = build.fit_cells(declared, "1", "1")
        plan = open_plan(folder, spec.cells)
        classification = plan.table.classification
        unbuilt = {} if users_code else users_own(plan.learners, classification)
        built = [learner for learner in plan.learners if learner.name not in unbuilt]
        if users_code:
            look_in_study_folder()  # only now: what was read so far must not import their modules
        loss = loss_of(spec.loss, plan.table, users_code)
        if loss is not None:
            check_sets(loss, plan)
        for metric in declared.metrics.values():
            loss_of(metric, plan.table, users_code)
        needs = None if loss is None else loss.needs
        if spec.thresholded:
            check_threshold(loss, plan.table.classes)
            needs = BY_THRESHOLD
        checked_builders(replace(plan, learners=built), needs)
        title = (
            spec.loss.name if spec.loss and spec.loss.name else "" if loss is None else loss.name
        )
        return Rehearsal(facts, title, len(plan.learners), unbuilt)


def table_and_splits(declared: DeclaredTask, folder: Path) -> dict[str, Any]:
    """Read, seal and split as the workflow does, in a folder of one's own.

    Parameters
    ----------
    declared
        A task.
    folder
        Where the prepared table, the vault and the splits go.

    Returns
    -------
    dict
        The facts of the table.
    """
    from heldout.data.prepare import prepare
    from heldout.execution.steps import draw_splits

    facts = prepare(build.prepare_data(declared), folder / "data", folder / "vault")
    for split in declared.splits:
        draw_splits.main(folder, build.draw_splits(declared, split))
    return facts


def loss_of(spec: LossSpec | None, table: "Prepared", users_code: bool) -> "Loss | None":
    """The loss of a task; None for a function of the user's own that is not to be imported.

    Parameters
    ----------
    spec
        What the config says.
    table
        The prepared table.
    users_code
        Whether the user's own functions are imported.

    Returns
    -------
    Loss or None
        The loss.
    """
    from heldout.measures.registry import loss_for

    if spec is not None and spec.source and not users_code:
        return None
    return loss_for(spec, table.classes, table.class_counts)


def users_own(learners: list[Learner], classification: bool) -> dict[str, str]:
    """The learners whose estimators somebody else wrote, with their import paths.

    Parameters
    ----------
    learners
        The learners of a task.
    classification
        Whether its target is a class.

    Returns
    -------
    dict
        The import path by the name of the learner.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> users_own([define("knn", None)], classification=True)
    {}
    """
    paths = {learner.name: learner.foreign(classification, TRUSTED) for learner in learners}
    return {name: path for name, path in paths.items() if path is not None}
