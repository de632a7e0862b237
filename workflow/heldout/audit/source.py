"""The source of an audit's draws: an oracle, or the user's table taken as the population.

A draw is a table of m rows, a sealed test set of its own, and a way to compute true risks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from heldout.audit.truth import OracleTruth, PopulationTruth, Truth
from heldout.data.oracle import Oracle
from heldout.data.oracle_catalogue import GROUPS, PREFIX, TARGET, is_oracle
from heldout.data.oracles import feature_names, oracle_of
from heldout.data.prepared import ROWS, Prepared, open_prepared
from heldout.errors import HeldoutError
from heldout.names import seed_for


@dataclass(frozen=True)
class Draw:
    """One sample: unsealed rows, sealed rows, and a way to compute true risks."""

    table: Prepared
    test: Prepared
    truth: Truth


class Source(Protocol):
    """Draws samples of m rows with a test set of `test` rows."""

    def draw(self, m: int, test: int, seed: int) -> Draw:
        """One draw."""


@dataclass(frozen=True)
class OracleSource:
    """Independent draws from a known distribution."""

    name: str
    params: dict[str, Any]
    truth_rows: int

    @cached_property
    def _oracle(self) -> Oracle:
        return oracle_of(self.name, self.params)

    def draw(self, m: int, test: int, seed: int) -> Draw:
        """Independent rows for the table, the test set and the true risks."""
        oracle = self._oracle

        def generator(what: str) -> np.random.Generator:
            return np.random.default_rng(seed_for(seed, what))

        facts = _oracle_facts(oracle)

        def table(count: int, what: str) -> Prepared:
            drawn = oracle.draw(count, generator(what))
            return Prepared(facts, *drawn, _rows(oracle.units(count)))

        truth = OracleTruth(oracle, self.truth_rows, generator("truth"))
        return Draw(table(m, "draw"), table(test, "test"), truth)


@dataclass(frozen=True)
class PopulationSource:
    """Rows (or whole groups) of a table without replacement; true risks are means over the others."""

    population: Prepared
    truth_rows: int

    def draw(self, m: int, test: int, seed: int) -> Draw:
        """Units in random order: the first are the table, the next the test set, the rest the truth."""
        generator = np.random.default_rng(seed_for(seed, "draw"))
        units = np.asarray(self.population.rows["unit"])
        sizes = np.bincount(units)
        reached = np.cumsum(sizes[order := generator.permutation(len(sizes))])
        ends = np.searchsorted(reached, [m, m + test]) + 1
        if not test:
            ends[1] = ends[0]
        if ends[1] >= len(sizes):
            raise HeldoutError(
                f"audit: m = {m} leaves nothing of the {len(units)} unsealed rows as the truth"
            )
        place = np.empty(len(sizes), int)
        place[order] = np.searchsorted(ends, np.arange(len(sizes)), side="right")
        drawn, sealed, rest = (np.flatnonzero(place[units] == i) for i in range(3))
        if len(rest) > self.truth_rows:
            rest = np.sort(generator.choice(rest, self.truth_rows, replace=False))
        truth = PopulationTruth(self.population.features[rest], self.population.target[rest])
        return Draw(self._table(drawn), self._table(sealed), truth)

    def _table(self, rows: np.ndarray) -> Prepared:
        whole = self.population
        units = np.unique(whole.rows["unit"][rows], return_inverse=True)[1]
        return Prepared(
            whole.facts,
            np.asarray(whole.features[rows]),
            np.asarray(whole.target[rows]),
            _rows(units, _dense(whole.rows["fold"][rows])),
            stored_strings=_taken(whole.strings, rows),
        )


def _taken(strings: Any, rows: np.ndarray) -> Any:
    """The texts of some rows; of tables without texts nothing is taken."""
    return strings.take(rows) if strings is not None and strings.num_columns else None


def _dense(folds: np.ndarray) -> np.ndarray:
    """The user's own folds, renumbered without gaps; -1 where there are none."""
    if len(folds) == 0 or folds.min() < 0:
        return folds
    return np.unique(folds, return_inverse=True)[1]


def _rows(units: np.ndarray, folds: np.ndarray | None = None) -> np.ndarray:
    rows = np.empty(len(units), ROWS)
    rows["source"], rows["unit"] = np.arange(len(units)), units
    rows["fold"] = -1 if folds is None else folds
    return rows


def _oracle_facts(oracle: Oracle) -> dict[str, Any]:
    """As the workflow prepares a table of the oracle, except that every level is known."""
    columns = [
        {"name": name, "kind": "category" if levels else "number", "levels": levels}
        for name, levels in zip(feature_names(oracle), oracle.levels, strict=True)
    ]
    target = {"name": TARGET, "classes": oracle.classes}
    schema = {"columns": columns, "target": target, "missing": []}
    return {"schema": schema, "groups": GROUPS if oracle.grouped else None, "digest": ""}


def open_source(folder: Path, data: str, oracle: dict[str, Any], truth_rows: int) -> Source:
    """Open the source of a task's draws.

    Parameters
    ----------
    folder
        `results/TASK`, with the prepared table if the data are one.
    data
        The task's `data`.
    oracle
        All parameters of the oracle; empty for a table.
    truth_rows
        The number of rows that a true risk is computed on where it has no closed form.

    Returns
    -------
    Source
        Draws from the oracle, or from the unsealed rows of the table.

    Examples
    --------
    >>> source = open_source(folder, "oracle:noise", {"features": 2, "share": 0.5}, 100)
    >>> draw = source.draw(m=20, test=5, seed=1)
    >>> draw.table.features.shape, draw.test.n
    ((20, 2), 5)
    """
    if is_oracle(data):
        return OracleSource(data.removeprefix(PREFIX), oracle, truth_rows)
    return PopulationSource(open_prepared(folder / "data"), truth_rows)


MOST_REFUSED = 100
"""The audit gives up after this many draws in a row that the workflow would refuse."""


def usable_draw(
    source: Source, m: int, test: int, seed: int, accept: Callable[[Draw, int], Any]
) -> tuple[Draw, Any, int, int]:
    """A draw, what `accept` returned for it, its seed, and how many were refused before.

    The workflow refuses a table that has too few rows of a class for K folds, so it is drawn again.
    """
    for refused in range(MOST_REFUSED):
        own = seed if refused == 0 else seed_for(seed, "again", str(refused))
        draw = source.draw(m, test, own)
        try:
            return draw, accept(draw, own), own, refused
        except HeldoutError as error:
            reason = error
    raise HeldoutError(f"audit: {MOST_REFUSED} draws of {m} rows were refused; the last: {reason}")
