"""How often intervals of risks over time cover: `python benchmarks/time_coverage.py` writes docs/time_coverage.csv.

Two kinds of problems. `series`: block means from an autoregression, their mean known. `ridge` and `sign`: a
ridge regression (its sign, for classes) of autoregressive features with autoregressive errors, evaluated by heldout's
own splits and estimates; the risk of every fitted model is known in closed form.
"""

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from heldout.data.prepared import ROWS, TIME, Prepared
from heldout.estimates.cosine import averages
from heldout.estimates.evidence import Evidence, facts_of
from heldout.estimates.intervals import bounds_of
from heldout.estimates.loss_table import LossTable, named_resamples
from heldout.estimates.nested_rolling import BlockTables, outer_blocks
from heldout.estimates.procedures import Procedures
from heldout.estimates.rules import Rule
from heldout.measures.registry import LOSSES
from heldout.predictions import Predictions
from heldout.resampling.kinds import DEV, FULL, PREFIXES
from heldout.resampling.rolling import latest_holdout, latest_share, rolling_split
from heldout.resampling.rows import Rows
from heldout.resampling.spans import Span
from heldout.resampling.split import Resample
from heldout.resampling.stamps import Stamps

LEVEL, FEATURES = 0.95, 4
THETAS = [{"alpha": alpha} for alpha in (0.1, 10.0, 1000.0)]
BETA = np.full(FEATURES, 0.5)
TABLE = Path(__file__).parents[1] / "docs" / "time_coverage.csv"
COLUMNS = ("problem", "correlation", "size", "estimator", "interval", "draws", "coverage", "width")

Line = tuple[Any, ...]


def autoregression(shape: tuple[int, ...], rho: float, draw: np.random.Generator) -> np.ndarray:
    """Gaussian series of variance 1 along the first axis."""
    found = draw.normal(size=shape)
    for t in range(1, shape[0]):
        found[t] = rho * found[t - 1] + np.sqrt(1 - rho**2) * found[t]
    return found


# --- series --------------------------------------------------------------------------------------


def series_coverage(
    count: int, rho: float, draws: int, seed: int, skewed: bool
) -> tuple[float, float]:
    """Coverage and mean width, in standard deviations of a block mean.

    `skewed`: block means of eight squared errors, as the risks of small blocks are.
    """
    draw = np.random.default_rng([seed, count, int(100 * rho), skewed])
    if skewed:
        errors = autoregression((8 * count, draws), rho, draw) ** 2
        x = errors.reshape(count, 8, draws).mean(axis=1).T - 1
    else:
        x = autoregression((count, draws), rho, draw).T
    waves = np.cos(
        np.pi * np.outer(np.arange(1, averages(count) + 1), np.arange(count) + 0.5) / count
    )
    se = np.sqrt(2 / count * ((x @ waves.T) ** 2).mean(axis=1) / count)
    half = special.stdtrit(averages(count), (1 + LEVEL) / 2) * se
    return float((np.abs(x.mean(axis=1)) <= half).mean()), float(2 * half.mean() / x.std())


# --- through heldout's estimates -----------------------------------------------------------------


@dataclass(frozen=True)
class Ridge:
    """Ridge without an intercept, as cells; `sign`: it predicts classes."""

    x: np.ndarray
    y: np.ndarray
    sign: bool

    def fit(self, alpha: float, train: np.ndarray) -> np.ndarray:
        x = self.x[train]
        return np.linalg.solve(x.T @ x + alpha * np.eye(FEATURES), x.T @ self.y[train])

    def predictions(self, _: str, theta: dict[str, Any], resample: Resample) -> Predictions:
        held = np.concatenate(list(resample.held.values()))
        return self.said(self.x[held] @ self.fit(theta["alpha"], resample.train))

    def said(self, value: np.ndarray) -> Predictions:
        return Predictions(label=(value > 0).astype(int)) if self.sign else Predictions(value=value)

    def risk(self, w: np.ndarray) -> float:
        """Of new rows: features are independent of each other, errors have variance 1."""
        if not self.sign:
            return float(1 + (w - BETA) @ (w - BETA))
        return float(np.arccos(w @ BETA / np.sqrt((w @ w) * (1 + BETA @ BETA))) / np.pi)


def one_draw(
    n: int, blocks: int, rho: float, sign: bool, seed: int
) -> Iterator[tuple[str, float, float, float]]:
    """(estimator, true risk, lower and upper end) of the intervals of one table."""
    draw = np.random.default_rng([seed, n, int(100 * rho), sign])
    x = autoregression((n, FEATURES), rho, draw)
    number = x @ BETA + autoregression((n,), rho, draw)
    target = (number > 0).astype(int) if sign else number
    everything = Stamps(np.arange(n, dtype=float), np.arange(n))
    sealed = latest_share(everything, 0.2)
    kept = np.flatnonzero(~sealed)
    cells = Ridge(x[kept], 2.0 * target[kept] - 1 if sign else target[kept], sign)
    loss_table = table_of(cells, target[kept], blocks)
    procedures = Procedures(
        loss_table,
        {"ridge": ("ridge", THETAS[0])},
        ["rolling", "nested_rolling"],
        Rule(),
        LEVEL,
        seed,
    )
    prefixes = BlockTables(loss_table)
    folds = list(outer_blocks(prefixes, ["ridge"], Rule()))
    trained = {one.number - 1: one.train for one in prefixes.prefixes}
    truths = {
        "nested_rolling": np.mean(
            [cells.risk(cells.fit(f.theta["alpha"], trained[f.fold])) for f in folds]
        ),
        "rolling": np.mean(
            [cells.risk(cells.fit(THETAS[0]["alpha"], rows)) for rows in trained.values()]
        ),
    }
    rows = {row.estimator: row for row in procedures.rows(only=set(truths)) if row.interval}
    for name, truth in truths.items():
        if name in rows and rows[name].ci_low is not None:
            yield name, float(truth), rows[name].ci_low or 0.0, rows[name].ci_high or 0.0
    w = cells.fit(THETAS[0]["alpha"], np.arange(len(kept)))
    for low, high in _test(cells.said(x[sealed] @ w), target[sealed], sign):
        yield "test", cells.risk(w), low, high
    yield from _holdout(loss_table, procedures, cells)


def table_of(cells: Ridge, target: np.ndarray, blocks: int) -> LossTable:
    n = len(target)
    rows = np.zeros(n, np.dtype([*ROWS.descr, (TIME, float)]))
    rows["unit"] = rows["source"] = rows[TIME] = np.arange(n)
    classes = ["no", "yes"] if cells.sign else None
    facts = {"schema": {"target": {"name": "y", "classes": classes}}, "groups": None}
    table = Prepared(facts, cells.x, target, rows)
    given = Rows(np.arange(n), time=np.arange(n, dtype=float))
    splits = {
        "rolling": rolling_split(given, blocks, Span(), Span()),
        "holdout": latest_holdout(given, 0.2, blocks, Span(), Span()),
    }
    named = named_resamples([FULL, DEV, PREFIXES], n, splits)
    loss = LOSSES["zero_one" if cells.sign else "squared"]
    return LossTable(table, loss, {"ridge": THETAS}, splits, named, cells)


def _test(said: Predictions, target: np.ndarray, sign: bool) -> Iterator[tuple[float, float]]:
    """None where all losses are equal."""
    loss = LOSSES["zero_one" if sign else "squared"]
    losses = loss(target, said)
    evidence = Evidence(
        "test", [losses], [np.arange(len(losses))], **facts_of(loss, None, [1, 1] if sign else None),
        times=np.arange(len(losses), dtype=float), in_order=True,
    )  # fmt: skip
    if evidence.varies:
        _, low, high = bounds_of("cosine_t", evidence, LEVEL)
        yield low, high


def _holdout(
    table: LossTable, procedures: Procedures, cells: Ridge
) -> Iterator[tuple[str, float, float, float]]:
    """None where all losses are equal: then there is no interval."""
    [dev] = table.resamples[DEV].values()
    for row in procedures.rows(only={"holdout"}):
        if row.ci_low is not None and row.ci_high is not None:
            alpha = json.loads(row.theta)["alpha"]
            yield "holdout", cells.risk(cells.fit(alpha, dev.train)), row.ci_low, row.ci_high


def table_coverage(
    n: int, blocks: int, rho: float, sign: bool, draws: int
) -> dict[str, tuple[float, float]]:
    """Coverage and mean width by estimator."""
    found: dict[str, list[tuple[bool, float]]] = {}
    for seed in range(draws):
        for name, truth, low, high in one_draw(n, blocks, rho, sign, seed):
            found.setdefault(name, []).append((low <= truth <= high, high - low))
    return {
        name: (float(np.mean([hit for hit, _ in one])), float(np.mean([width for _, width in one])))
        for name, one in found.items()
    }


def lines(draws: int, more: int) -> Iterator[Line]:
    for skewed in (False, True):
        for rho in (0.0, 0.5, 0.8):
            for count in (6, 8, 10, 20, 50, 100):
                coverage, width = series_coverage(count, rho, more, 7, skewed)
                name = "skewed series" if skewed else "series"
                yield name, rho, count, "rolling", "cosine_t", more, coverage, width
    for sign in (False, True):
        for rho in (0.0, 0.5, 0.8):
            for n, blocks in ((150, 8), (400, 10), (1000, 20)):
                found = table_coverage(n, blocks, rho, sign, draws)
                for name, (coverage, width) in found.items():
                    problem = "sign" if sign else "ridge"
                    yield problem, rho, n, name, "cosine_t", draws, coverage, width


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000, help="tables of each problem")
    parser.add_argument("--series", type=int, default=40_000, help="series of each kind")
    parser.add_argument("--output", type=Path, default=TABLE)
    given = parser.parse_args()
    with given.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for line in lines(given.draws, given.series):
            shown = [f"{one:.3f}" if isinstance(one, float) else one for one in line]
            writer.writerow(shown)
            print(*shown, file=sys.stderr)


if __name__ == "__main__":
    main()
