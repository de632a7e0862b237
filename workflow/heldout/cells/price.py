"""What the fits of a task will cost: cells by the plan and the store, seconds and bytes by probes.

A probe fits the whole grid of a learner on some training sets of the real table, through the engine and
the store that the workflow uses (`cells.probe`). What it found is multiplied here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from heldout.cells.plan import Plan
from heldout.cells.store import Cell, Store
from heldout.learners.learner import Learner
from heldout.names import Theta
from heldout.resampling.split import Resample


@dataclass(frozen=True)
class Probe:
    """What was measured of a learner.

    Parameters
    ----------
    first, later
        Seconds for a training set: the first one of a job, which may find what the others share, and
        the others.
    size
        Bytes on disk that a training set leaves.
    fixed, member
        Of leave-one-out: seconds for a chunk as such, and for each row (or group) that is left out.
    share
        The share of the grid that was timed before time was up; the rest is taken to be like it.
    rows
        The share of the training rows that was timed; less than 1 where no fit to all ended in time.
    failure
        The error of a fit that failed; empty if none did.
    """

    first: float
    later: float
    size: float
    fixed: float = 0.0
    member: float = 0.0
    share: float = 1.0
    rows: float = 1.0
    failure: str = ""


@dataclass(frozen=True)
class Missing:
    """What of a learner is not in the store yet.

    Parameters
    ----------
    cells, stored
        The number of all cells, and of those in the store.
    thetas
        The number of θ.
    sets
        The number of training sets.
    to_fit
        Training sets still to fit, where a set that lacks half of its cells counts one half.
    chunks, members
        The same of leave-one-out: its chunks, and the rows (or groups) that they leave out.
    """

    cells: int
    stored: int
    thetas: int
    sets: int
    to_fit: float
    chunks: float = 0.0
    members: float = 0.0


@dataclass(frozen=True)
class LearnerPrice:
    """What one learner costs.

    Parameters
    ----------
    name
        The learner.
    missing
        Its cells.
    probe
        What was measured; None where nothing is missing, or the learner was not built.
    jobs
        The number of jobs that fit.
    """

    name: str
    missing: Missing
    probe: Probe | None
    jobs: int

    @property
    def seconds(self) -> float:
        """Seconds of one core for all that is missing."""
        if self.probe is None:
            return 0.0
        sets, probe = self.missing.to_fit, self.probe
        first = min(self.jobs, sets)
        chunks = self.missing.chunks * probe.fixed + self.missing.members * probe.member
        return first * probe.first + (sets - first) * probe.later + chunks

    @property
    def bytes(self) -> float:
        """Bytes on disk for all that is missing."""
        return 0.0 if self.probe is None else self.missing.to_fit * self.probe.size

    @property
    def rough(self) -> bool:
        """Whether the probe had to be ended, so that more was guessed."""
        return self.probe is not None and min(self.probe.share, self.probe.rows) < 1


@dataclass(frozen=True)
class Price:
    """What a task costs.

    Parameters
    ----------
    task
        Its name.
    learners
        The price of each learner.
    cores
        The number of cores that fit.
    steps
        Seconds for all that is no fit.
    unpriced
        The learners that were not built because they are the user's own code.
    notes
        What else is not counted.

    Examples
    --------
    >>> missing = Missing(cells=85, stored=0, thetas=5, sets=17, to_fit=17)
    >>> one = LearnerPrice("knn", missing, Probe(first=0.3, later=0.1, size=1e4), jobs=2)
    >>> price = Price("t", [one], cores=2, steps=3.0)
    >>> price.cells, round(price.seconds, 2), round(price.megabytes, 2)
    (85, 4.05, 0.17)
    """

    task: str
    learners: Sequence[LearnerPrice]
    cores: int
    steps: float
    unpriced: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def cells(self) -> int:
        """All cells of the task."""
        return sum(one.missing.cells for one in self.learners)

    @property
    def stored(self) -> int:
        """The cells that are in the store already."""
        return sum(one.missing.stored for one in self.learners)

    @property
    def seconds(self) -> float:
        """About how long a run will take."""
        return sum(one.seconds for one in self.learners) / max(1, self.cores) + self.steps

    @property
    def megabytes(self) -> float:
        """Megabytes on disk that a run will add."""
        return sum(one.bytes for one in self.learners) / 1e6

    @property
    def rough(self) -> bool:
        """Whether some probe had to be ended."""
        return any(one.rough for one in self.learners)


def missing_of(
    plan: Plan, learner: Learner, thetas: list[Theta], store: Store, models: str, needs: str | None
) -> Missing:
    """Count the cells of a learner, and those that the store has.

    Parameters
    ----------
    plan
        All cells of the task.
    learner, thetas
        The learner and its θ.
    store
        Where cells are kept; nothing is changed in it.
    models
        Which models are kept.
    needs
        What the loss needs of predictions; None if that is not known.

    Returns
    -------
    Missing
        What is there and what is not.

    Examples
    --------
    >>> from heldout.cells.plan import open_plan
    >>> from heldout.cells.spec import CellsSpec
    >>> from heldout.data.prepare import prepare
    >>> from heldout.data.request import Request
    >>> from heldout.learners.learner import define
    >>> request = Request("irises", 19, "sklearn:iris", "target", test=0)
    >>> _ = prepare(request, folder / "data", folder / "vault")
    >>> tree = define("tree", None)
    >>> plan = open_plan(folder, CellsSpec("irises", 19, ["full"], [tree], {"tree": ""}, "{}"))
    >>> missing_of(plan, tree, tree.thetas(19), Store(folder / "cells"), "all", "label").cells
    7
    """
    stored, to_fit, chunks, members = 0, 0.0, 0.0, 0.0
    for resample in plan.resamples:
        found = _stored(plan, learner, thetas, resample, store, models, needs)
        stored += found
        lacking = 1 - found / len(thetas)
        if resample.members:
            chunks += lacking
            members += lacking * len(resample.members)
        else:
            to_fit += lacking
    count = len(plan.resamples)
    return Missing(len(thetas) * count, stored, len(thetas), count, to_fit, chunks, members)


def _stored(
    plan: Plan,
    learner: Learner,
    thetas: list[Theta],
    resample: Resample,
    store: Store,
    models: str,
    needs: str | None,
) -> int:
    if not store.has(learner.name):
        return 0
    with_model = models == "all" and not resample.members
    found = 0
    for theta, keys in zip(thetas, plan.keys(learner, resample, thetas), strict=True):
        cell = Cell(learner.name, theta, resample.name)
        found += store.find(cell, keys.cell, with_model, needs) is not None
    return found


def as_json(price: Price) -> dict[str, Any]:
    """The price as JSON-ready data, for programs.

    Parameters
    ----------
    price
        Of a task.

    Returns
    -------
    dict
        Totals, and a row for each learner.

    Examples
    --------
    >>> as_json(Price("t", [], cores=1, steps=2.0))["seconds"]
    2.0
    """
    rows = [
        {
            "learner": one.name,
            "cells": one.missing.cells,
            "stored": one.missing.stored,
            "seconds": one.seconds,
            "megabytes": one.bytes / 1e6,
        }
        for one in price.learners
    ]
    return {
        "task": price.task,
        "cells": price.cells,
        "stored": price.stored,
        "seconds": price.seconds,
        "megabytes": price.megabytes,
        "learners": rows,
    }
