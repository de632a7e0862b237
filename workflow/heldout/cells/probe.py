"""Timing the fits of a learner on a few training sets, through the engine and a store of its own."""

import random
import shutil
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from heldout.cells.fit import Fitter
from heldout.cells.plan import Plan
from heldout.cells.progress import Progress
from heldout.cells.store import Store
from heldout.learners.learner import Learner
from heldout.names import Theta
from heldout.resampling.split import Resample

SETS = 6
"""So many training sets are timed at most."""
ENOUGH = 1.5
"""Seconds after which no further training set is begun, if two are timed."""
MEMBERS = (2, 8)
"""Leave-one-out is timed on chunks of so many rows: the difference is what a row takes."""
BEGIN, SET, MEMBER, CELL, FAILURE = "begin", "set", "member", "cell", "failure"
"""What a probe says."""

Say = Callable[[str, float, float], None]
"""Gets what was measured, how much of it, and the seconds (bytes for a set come before)."""


class Ticker(Progress):
    """Tells of each cell of the first training set when it is done."""

    def __init__(self, say: Say):
        super().__init__()
        self._say, self._started = say, time.perf_counter()
        self.telling = True

    def add(self, cells: int = 1) -> None:
        """Tell how many cells are done, and how long they took."""
        self.done += cells
        if self.telling:
            self._say(CELL, self.done, time.perf_counter() - self._started)

    def begin(self) -> None:
        """Count from now."""
        self.done, self._started = 0, time.perf_counter()


def probe(
    plan: Plan,
    learner: Learner,
    thetas: list[Theta],
    folder: Path,
    models: str,
    say: Say,
    together: Collection[str],
    rows: float = 1.0,
    packed: bool = False,
) -> str:
    """Time the fits of a learner; what is found is said at once, for the probe may be ended any time.

    Parameters
    ----------
    plan
        All cells of the task.
    learner, thetas
        What is fitted.
    folder
        An empty folder for the cells.
    models
        Which models are kept.
    say
        Is told ``("cell", done, seconds)``, ``("set", bytes, seconds)``, ``("member", count, seconds)``.
    together
        The names of the training sets that one job fits, for engines that share work between them.
    rows
        The share of the training rows to train on.
    packed
        Whether cells are packed.

    Returns
    -------
    str
        The error of a fit that failed; empty if none did.

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
    >>> said = []
    >>> probe(plan, tree, tree.thetas(19), folder / "cells", "all", lambda *one: said.append(one), ())
    ''
    >>> [(what, amount) for what, amount, _ in said if what == CELL][-1]
    ('cell', 7)
    """
    sets = [_fewer_rows(one, rows) for one in spread_out(plan.resamples)]
    alone = replace(plan, learners=[learner])
    expected = [one for one in plan.resamples if one.name in together] if rows >= 1 else []
    fitter = Fitter(alone, Store(folder, packed), models, None, expected)
    fitter.builders()
    fitter.progress = ticker = Ticker(say)
    mixed, began = in_mixed_order(thetas), time.perf_counter()
    for number, resample in enumerate(sets):
        if number > 1 and time.perf_counter() - began > ENOUGH:
            break
        seconds = _timed(fitter, ticker, learner, resample, mixed)
        if fitter.batch.failures:
            return fitter.batch.failures[0]
        say(SET, _bytes_in(folder), seconds)
        ticker.telling = False
        shutil.rmtree(folder, ignore_errors=True)
    chunks = list(_short_chunks(plan.resamples))
    for resample in chunks[:1]:  # not counted: what is imported for it, and done for the first time
        _timed(fitter, ticker, learner, resample, mixed)
        shutil.rmtree(folder, ignore_errors=True)
    for resample in chunks:
        say(MEMBER, len(resample.members), _timed(fitter, ticker, learner, resample, mixed))
    return fitter.batch.failures[0] if fitter.batch.failures else ""


def _timed(
    fitter: Fitter, ticker: Ticker, learner: Learner, resample: Resample, thetas: list[Theta]
) -> float:
    ticker.begin()
    started = time.perf_counter()
    fitter.ensure(learner, resample, thetas)
    return time.perf_counter() - started


def spread_out(resamples: list[Resample]) -> list[Resample]:
    """Some of the training sets, of all kinds; not those of leave-one-out.

    Parameters
    ----------
    resamples
        All training sets of a task.

    Returns
    -------
    list of Resample
        At most `SETS`. The one in the middle comes first, for it may remain the only one.

    Examples
    --------
    >>> sets = [Resample(str(i), np.arange(3), {}) for i in range(20)]
    >>> [one.name for one in spread_out(sets)]
    ['9', '0', '4', '14', '19']
    """
    plain = [one for one in resamples if not one.members]
    if len(plain) <= 2:
        return plain
    places = np.unique(np.linspace(0, len(plain) - 1, SETS - 1).astype(int)).tolist()
    middle = (len(plain) - 1) // 2
    return [plain[place] for place in dict.fromkeys([middle, *places])][:SETS]


def _fewer_rows(resample: Resample, share: float) -> Resample:
    if share >= 1:
        return resample
    count = max(2, round(share * len(resample.train)))
    generator = np.random.default_rng(0)
    return replace(resample, train=np.sort(generator.permutation(resample.train)[:count]))


def in_mixed_order(thetas: list[Theta]) -> list[Theta]:
    """The corners of the grid, then the others at random: a part of them stands for all.

    Parameters
    ----------
    thetas
        A grid, in order.

    Returns
    -------
    list of dict
        The same θ.

    Examples
    --------
    >>> mixed = in_mixed_order([{"k": k} for k in range(9)])
    >>> mixed[:2], len(mixed)
    ([{'k': 0}, {'k': 8}], 9)
    """
    if len(thetas) < 3:
        return list(thetas)
    others = thetas[1:-1]
    random.Random(0).shuffle(others)
    return [thetas[0], thetas[-1], *others]


def _short_chunks(resamples: list[Resample]) -> Iterator[Resample]:
    chunk = next((one for one in resamples if one.members), None)
    if chunk is not None and len(chunk.members) > max(MEMBERS):
        for count in MEMBERS:
            held = dict(list(chunk.held.items())[:count])
            yield replace(chunk, held=held, members=chunk.members[:count])


def _bytes_in(folder: Path) -> float:
    return float(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))
