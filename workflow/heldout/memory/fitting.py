"""Fits all cells of a task, in this process or in several, and keeps their predictions in memory."""

from dataclasses import dataclass, replace
from typing import Any

from threadpoolctl import threadpool_limits

from heldout.cells.fit import Batch, refuse_failures
from heldout.cells.manifest import Index, index_of
from heldout.cells.memory_store import KeylessPlan, MemoryStore
from heldout.cells.progress import Progress
from heldout.cells.sets_check import check_sets, check_threshold
from heldout.data.prepared import Prepared
from heldout.execution.specs import build
from heldout.execution.specs.cells import FitCells
from heldout.execution.tasks import DeclaredTask
from heldout.measures.loss import Loss
from heldout.measures.needs import BY_THRESHOLD
from heldout.measures.registry import loss_for
from heldout.memory.progress import Line
from heldout.numerics.steps.chain import global_seed
from heldout.resampling.draw import draw_split
from heldout.resampling.split import Split, resamples
from heldout.selection.batch import fit_batch
from heldout.selection.scan import Scanner

BATCHES = 4
"""Each process gets about so many batches, so that none waits long for another one."""


@dataclass(frozen=True)
class Fitted:
    """The cells of a task.

    Parameters
    ----------
    table
        The rows to learn from.
    splits
        The splits by name.
    store, index
        The predictions, and what else is known of each cell.
    """

    table: Prepared
    splits: dict[str, Split]
    store: MemoryStore
    index: Index


@dataclass(frozen=True)
class Work:
    """All that a process needs to fit a share of the cells."""

    plan: KeylessPlan
    splits: dict[str, Split]
    spec: FitCells
    loss: Loss
    batches: int

    def part(self, number: int, progress: Progress) -> tuple[MemoryStore, Batch]:
        """Fit the cells of one batch: as the workflow does, on one thread."""
        scan, store = self.spec.scan, MemoryStore()
        kinds = self.spec.cells.kinds
        scanner = None if scan is None else Scanner(self.loss, self.splits, kinds, scan)
        needs = BY_THRESHOLD if self.spec.thresholded else self.loss.needs
        place = number, self.batches
        with threadpool_limits(1), global_seed(self.plan.seed):
            return store, fit_batch(self.plan, store, "none", needs, scanner, *place, progress)

    def silent_part(self, number: int) -> tuple[MemoryStore, Batch]:
        """The same in another process."""
        return self.part(number, Line("", None))


def plan_of(
    task: DeclaredTask, table: Prepared, kinds: list[str], splits: dict[str, Split]
) -> KeylessPlan:
    """The cells of some kinds. Processes share the cores, so that a fit has one thread.

    Parameters
    ----------
    task
        The task.
    table
        The rows to learn from.
    kinds
        Kinds of held-out sets.
    splits
        The splits that these need.

    Returns
    -------
    KeylessPlan
        Their resamples, with the learners of the task.
    """
    found = [one for kind in kinds for one in resamples(kind, table.n, splits)]
    learners = [replace(learner, threads=1) for learner in task.learners]
    return KeylessPlan(task.name, task.config.seed, table, learners, found, {}, "")


def fit_all(task: DeclaredTask, table: Prepared, cores: int, line: Line) -> Fitted:
    """Draw the splits of a task, and fit all its cells.

    Parameters
    ----------
    task
        The task.
    table
        The rows to learn from.
    cores
        How many processes share the fits; the results do not depend on it.
    line
        Is told of every cell.

    Returns
    -------
    Fitted
        The predictions of every cell.

    Raises
    ------
    HeldoutError
        If a learner does not go with the table, or a fit fails.
    """
    rows = table.rows_to_split
    splits = {name: draw_split(rows, build.draw_splits(task, name)) for name in task.splits}
    batches = 1 if cores == 1 else cores * BATCHES
    spec = build.fit_cells(task, "1", str(batches))
    plan = plan_of(task, table, spec.cells.kinds, splits)
    loss = loss_for(spec.loss, table.classes, table.class_counts)
    check_sets(loss, plan)
    if spec.thresholded:
        check_threshold(loss, table.classes)
    return _fitted(Work(plan, splits, spec, loss, batches), cores, line)


def _fitted(work: Work, cores: int, line: Line) -> Fitted:
    store, index = MemoryStore(), Index()
    for part, batch in _parts(work, cores, line):
        refuse_failures(batch)
        store.add(part)
        index |= index_of(batch.cells)
    return Fitted(work.plan.table, work.splits, store, index)


def _parts(work: Work, cores: int, line: Line) -> Any:
    if cores == 1:
        yield work.part(1, line)
        return
    from joblib import Parallel, delayed

    lists = {one.name: one.thetas(work.plan.seed) for one in work.plan.learners if not one.endless}
    line.expect(sum(map(len, lists.values())) * len(work.plan.resamples))
    small = replace(work, plan=work.plan)
    jobs = (delayed(small.silent_part)(number + 1) for number in range(work.batches))
    for store, batch in Parallel(n_jobs=cores, return_as="generator")(jobs):
        line.add(len(batch.cells))
        yield store, batch
