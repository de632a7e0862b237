"""All cells of a task: which there are, and their keys."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.cells.key import Keyring, Keys
from heldout.cells.spec import CellsSpec
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
    """All cells of a task: its table, its learners and its resamples."""

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
        """Depends on the names alone; equal for all θ, which then differ in θ only."""
        return seed_for(self.seed, self.task, learner, resample.name)

    def keys(self, learner: Learner, resample: Resample, thetas: list[Theta]) -> list[Keys]:
        """The keys of each θ's cell."""
        return self._keyring.keys(learner, resample, thetas, self.fit_seed(learner.name, resample))

    @cached_property
    def _keyring(self) -> Keyring:
        table = self.table
        return Keyring(table.digest, table.classification, self.numeric_code, self.versions)


def columns_of(table: Prepared) -> "Columns":
    """What learners must know about the columns of a table."""
    from heldout.numerics.pipeline import Columns

    numbers = {*table.columns_of("number"), *table.columns_of("boolean")}
    return Columns(table.names, frozenset(numbers), table.classes)


def open_plan(folder: Path, spec: CellsSpec) -> Plan:
    """The plan of a task folder, from its prepared table, its split files and a spec."""
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
    """The split files that these kinds of cells come from."""
    return {name: read_split(folder / "splits" / f"{name}.csv") for name in split_files(kinds)}
