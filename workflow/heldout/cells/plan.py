"""Cells: which there are, what each depends on, and their keys."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heldout.cells.spec import CellsSpec
from heldout.cells.store import Keys
from heldout.data.prepared import Prepared, open_prepared
from heldout.learners.definition import Definition
from heldout.names import Theta, canonical, digest, seed_for
from heldout.numerics.engines.registry import LEAVE_ONE_OUT, engine_of
from heldout.resampling.kinds import split_files
from heldout.resampling.split import Resample, Split, read_split, resamples


@dataclass(frozen=True)
class Plan:
    """All cells of a task: its table, its learners and its resamples."""

    task: str
    seed: int
    table: Prepared
    learners: list[Definition]
    resamples: list[Resample]
    numeric_code: dict[str, str]
    versions: str

    def learner(self, name: str) -> Definition:
        """A learner by its name."""
        return next(learner for learner in self.learners if learner.name == name)

    def units(self) -> Iterator[tuple[Resample, Definition]]:
        """Training set by training set, so that learners can share its preprocessing."""
        for resample in self.resamples:
            for learner in self.learners:
                yield resample, learner

    def fit_seed(self, learner: str, resample: Resample) -> int:
        """Depends on the names alone; equal for all θ, which then differ in θ only."""
        return seed_for(self.seed, self.task, learner, resample.name)

    def keys(self, learner: Definition, resample: Resample, thetas: list[Theta]) -> list[Keys]:
        """The keys of each θ's cell.

        The parts of leave-one-out are trained on all rows that they do not hold out.
        """
        trained = "all others" if resample.parts else _rows_digest(resample.train)
        held = canonical([[name, _rows_digest(rows)] for name, rows in resample.held.items()])
        common = digest(
            self.table.digest,
            trained,
            learner.family(self.table.classification),
            str(self.fit_seed(learner.name, resample)),
            self.versions,
        )
        classification = self.table.classification
        code = [self.numeric_code[engine_of(learner, classification, theta)] for theta in thetas]
        if resample.parts:
            code = [f"{self.numeric_code[LEAVE_ONE_OUT]}:{engine}" for engine in code]
        fits = [
            digest(common, engine, canonical(theta))
            for engine, theta in zip(code, thetas, strict=True)
        ]
        return [Keys(fit, digest(fit, held)) for fit in fits]


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


def _rows_digest(rows: np.ndarray) -> str:
    return digest(np.ascontiguousarray(rows, np.int64).tobytes())
