"""The plan of a task: all its cells, and their keys."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from heldout.cells.key import Keyring, Keys
from heldout.cells.spec import CellsSpec
from heldout.data.kinds import BOOLEAN, CATEGORY, DATE, MANY, NUMBER, ORDERED, TEXT
from heldout.data.prepared import Prepared, open_prepared
from heldout.learners.learner import Learner
from heldout.names import Theta, seed_for
from heldout.resampling.kinds import split_files
from heldout.resampling.split import Resample, Split, resamples
from heldout.resampling.split_file import read_split

if TYPE_CHECKING:
    from heldout.numerics.pipeline import Columns


@dataclass(frozen=True)
class Plan:
    """All cells of a task.

    Parameters
    ----------
    task
        The name of the task; the seeds of fits depend on it.
    seed
        The root seed.
    table
        The prepared table.
    learners
        The learners of the task.
    resamples
        All training sets and their held-out sets.
    numeric_code
        The digest of the code of each engine.
    versions
        The versions of the numeric libraries, as JSON.
    """

    task: str
    seed: int
    table: Prepared
    learners: list[Learner]
    resamples: list[Resample]
    numeric_code: dict[str, str]
    versions: str

    def learner(self, name: str) -> Learner:
        """A learner by its name."""
        return next(learner for learner in self.learners if learner.name == name)

    def fit_seed(self, learner: str, resample: Resample) -> int:
        """The seed of the fits of a learner on a training set; it depends on names only.

        It is the same for all θ, so that their results differ only because of θ.
        """
        return seed_for(self.seed, self.task, learner, resample.name)

    def keys(self, learner: Learner, resample: Resample, thetas: list[Theta]) -> list[Keys]:
        """The keys of each θ's cell."""
        return self._keyring.keys(learner, resample, thetas, self.fit_seed(learner.name, resample))

    @cached_property
    def _keyring(self) -> Keyring:
        table = self.table
        code, versions = self.numeric_code, self.versions
        return Keyring(
            table.digest,
            table.classification,
            code,
            versions,
            table.weighted,
            has_texts(table),
            units_of(table),
        )


def has_texts(table: Prepared) -> bool:
    """Whether a table has columns of free text, which only one engine takes.

    Parameters
    ----------
    table
        A prepared table.

    Returns
    -------
    bool
        For `registry.by_engine`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> has_texts(SimpleNamespace(columns_of={"text": [3]}.get))
    True
    """
    return bool(table.columns_of(TEXT))


def units_of(table: Prepared) -> np.ndarray | None:
    """The group of each row; None if rows do not come in groups.

    Parameters
    ----------
    table
        A prepared table.

    Returns
    -------
    numpy.ndarray or None
        Numbers of groups.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> units_of(SimpleNamespace(grouped=False)) is None
    True
    """
    return np.asarray(table.rows["unit"]) if table.grouped else None


def columns_of(table: Prepared) -> "Columns":
    """What learners must know about the columns of a table.

    Parameters
    ----------
    table
        A prepared table.

    Returns
    -------
    Columns
        Names of features, positions of numbers, and classes of the target.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> kinds = [("length", "number"), ("colour", "category"), ("flag", "boolean")]
    >>> columns = [{"name": name, "kind": kind, "levels": []} for name, kind in kinds]
    >>> schema = {"columns": columns}
    >>> table = SimpleNamespace(names=["length", "colour", "flag"], classes=None, facts={"schema": schema})
    >>> sorted(columns_of(table).numbers)
    [0, 2]
    """
    from heldout.numerics.pipeline import Columns

    found: dict[str, set[int]] = {}
    columns = table.facts["schema"]["columns"]
    for i, column in enumerate(columns):
        found.setdefault(column["kind"], set()).add(i)
    numbers = set().union(*(found.get(kind, ()) for kind in (NUMBER, BOOLEAN, ORDERED)))
    dates, many, texts = (frozenset(found.get(kind, ())) for kind in (DATE, MANY, TEXT))
    levels = {i: len(columns[i]["levels"]) for i in found.get(CATEGORY, ())}
    return Columns(
        table.names,
        frozenset(numbers),
        table.classes,
        dates,
        many,
        texts,
        levels,
        frozenset(found.get(ORDERED, ())),
    )


def open_plan(folder: Path, spec: CellsSpec) -> Plan:
    """The plan of a task, from its prepared table, its split files and a spec.

    Parameters
    ----------
    folder
        The folder of the task, ``results/TASK``, with the prepared table and the split files.
    spec
        What else the cells depend on.

    Returns
    -------
    Plan
        All cells of the task.

    Examples
    --------
    >>> from heldout.data.prepare import prepare
    >>> from heldout.data.request import Request
    >>> request = Request("irises", 19, "sklearn:iris", "target", test=0)
    >>> _ = prepare(request, folder / "data", folder / "vault")
    >>> plan = open_plan(folder, CellsSpec("irises", 19, ["full"], [], {}, "{}"))
    >>> [(resample.name, len(resample.train)) for resample in plan.resamples]
    [('full', 150)]
    """
    table = open_prepared(folder / "data")
    splits = read_splits(folder, spec.kinds)
    return Plan(
        task=spec.task,
        seed=spec.seed,
        table=table,
        learners=spec.learners,
        resamples=[r for kind in spec.kinds for r in resamples(kind, table.n, splits)],
        numeric_code=spec.numeric_code,
        versions=spec.versions,
    )


def read_splits(folder: Path, kinds: list[str]) -> dict[str, Split]:
    """Read the split files that these kinds of held-out sets come from.

    Parameters
    ----------
    folder
        The folder of the task, ``results/TASK``.
    kinds
        Kinds of held-out sets.

    Returns
    -------
    dict
        The split by the name of its file.

    Examples
    --------
    >>> (folder / "splits").mkdir()
    >>> _ = (folder / "splits" / "kfold.csv").write_text("row,repeat,fold\\n0,1,2\\n1,1,1\\n")
    >>> read_splits(folder, ["folds"])["kfold"]["fold"]
    array([2, 1])
    """
    return {name: read_split(folder / "splits" / f"{name}.csv") for name in split_files(kinds)}
