"""What a task will cost, found out beforehand in a temporary folder; nothing of it is kept."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from heldout.execution.specs import build
from heldout.execution.study import Study
from heldout.execution.tasks import STEPS, DeclaredTask
from heldout.measures.needs import BY_THRESHOLD

if TYPE_CHECKING:
    from heldout.cells.price import Price

SECONDS = 10.0
"""How long the fits of a learner are timed, if nobody says otherwise."""
START, STEP, CELL = 2.0, 0.12, 0.0004
"""Seconds that a run takes besides fits: to start, for each step, and for each cell that is read."""


def price_of(
    study: Study,
    task: str,
    results: Path,
    seconds: float = SECONDS,
    users_code: bool = False,
) -> "Price":
    """Estimate what a run will cost: cells, time, disk.

    The table is read and split as by the workflow; sealed rows are sealed and not looked at again. Each
    learner fits its grid on a few training sets, in a process that is ended when time is up.

    Parameters
    ----------
    study
        The config, with the number of cores.
    task
        The name of a task.
    results
        The folder of results; cells that are there are not counted, and nothing is changed in it.
    seconds
        How long each learner is timed at most.
    users_code
        Whether learners are timed that are neither scikit-learn's nor heldout's.

    Returns
    -------
    Price
        By learner, and in total.
    """
    from heldout.cells.kept_models import kept_models
    from heldout.cells.plan import open_plan
    from heldout.cells.price import LearnerPrice, Price, missing_of
    from heldout.cells.store import Store
    from heldout.execution.prober import thetas_of
    from heldout.execution.probing import probes
    from heldout.execution.rehearse import loss_of, table_and_splits, users_own

    declared = study.task(task)
    jobs = study.batches(task)
    with TemporaryDirectory(prefix="heldout-price-") as name:
        folder = Path(name)
        table_and_splits(declared, folder)
        spec = build.fit_cells(declared, "1", str(jobs))
        plan = open_plan(folder, spec.cells)
        unbuilt = {} if users_code else users_own(plan.learners, plan.table.classification)
        loss = loss_of(spec.loss, plan.table, users_code)
        needs = BY_THRESHOLD if spec.thresholded else loss.needs if loss else None
        store = Store(results / task / "cells")
        models = kept_models(store.folder, spec.models)
        thetas = {one.name: thetas_of(one, spec) for one in plan.learners}
        missing = {
            one.name: missing_of(plan, one, thetas[one.name], store, models, needs)
            for one in plan.learners
        }
        to_time = {
            name: len(thetas[name])
            for name, one in missing.items()
            if one.stored < one.cells and name not in unbuilt
        }
        timed = probes(folder, spec, to_time, seconds, users_code) if to_time else {}
    learners = [LearnerPrice(name, one, timed.get(name), jobs) for name, one in missing.items()]
    cells = sum(one.cells for one in missing.values())
    steps = START + STEP * (STEPS + len(declared.splits)) + CELL * cells
    cores = min(study.cores or jobs, jobs)
    return Price(task, learners, cores, steps, list(unbuilt), list(_notes(declared)))


def _notes(declared: DeclaredTask) -> Iterator[str]:
    for learner in declared.learners:
        if learner.endless:
            maximum = declared.block.select.maximum
            yield f"learner '{learner.name}' has an endless grid: counted as {maximum} θ, the most that is fitted"
    if declared.block.audit is not None:
        yield "the audit is not counted"
