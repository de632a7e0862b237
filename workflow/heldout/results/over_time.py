"""Risk over time, block by block: of each learner at its selected θ, and of the procedures that were tuned anew."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout.data.prepared import Prepared
from heldout.estimates.loss_table import LossTable, open_loss_table
from heldout.estimates.spec import LossTableSpec
from heldout.names import canonical
from heldout.resampling.kinds import PREFIXES
from heldout.resampling.prefixes import Prefix, prefixes
from heldout.resampling.spans import shown_time
from heldout.results.tables import Table, pack

COLUMNS = (
    "learner",
    "estimator",
    "block",
    "start",
    "end",
    "from",
    "to",
    "trained",
    "n",
    "chosen",
    "theta",
    "risk",
)
"""`start` and `end`: the first and last time of a block, as numbers; `from` and `to`: as people read them."""


def over_time(
    folder: Path,
    spec: LossTableSpec,
    batches: int,
    selection: dict[str, Any],
    folds: Table | None,
) -> dict[str, Any] | None:
    """The data of the section on risk over time; None where rows are in no time order.

    Parameters
    ----------
    folder
        `results/TASK`.
    spec
        Which cells are read, and the loss.
    batches
        The number of batches that the cells were fitted in.
    selection
        What was selected.
    folds
        The choices before each block, where there are any.

    Returns
    -------
    dict or None
        The risk of each learner in each block.
    """
    if PREFIXES not in spec.kinds:
        return None
    loss_table = open_loss_table(folder, replace(spec, kinds=[PREFIXES]), batches)
    table = loss_table.table
    blocks = {one.number: one for one in prefixes(loss_table.splits["rolling"])}
    lines = [*_of_selected(loss_table, blocks, selection), *_of_folds(folds)]
    rows = [_times(table, blocks[line["block"]]) | line for line in lines]
    return {
        "column": (table.facts.get("time") or {}).get("column"),
        "dates": table.dates,
        "table": pack({name: [row[name] for row in rows] for name in COLUMNS}),
    }


def _of_selected(
    loss_table: LossTable, blocks: dict[int, Prefix], selection: dict[str, Any]
) -> list[dict[str, Any]]:
    """Each learner at its selected θ."""
    return [
        {
            "learner": name,
            "estimator": "rolling",
            "block": number,
            "chosen": name,
            "theta": canonical(entry["theta"]),
            "risk": loss_table.risks(name, entry["theta"], loss_table.resample(block.name))[
                block.name
            ],
        }
        for name, entry in selection["learners"].items()
        for number, block in blocks.items()
    ]


def _of_folds(folds: Table | None) -> list[dict[str, Any]]:
    """The procedures, tuned before each block."""
    rows = folds.where(estimator="nested_rolling") if folds else []
    wanted = ("learner", "estimator", "chosen", "theta", "risk")
    return [{name: row[name] for name in wanted} | {"block": row["fold"]} for row in rows]


def _times(table: Prepared, block: Prefix) -> dict[str, Any]:
    times = table.times
    assert times is not None
    start, end = float(times[block.rows].min()), float(times[block.rows].max())
    return {
        "start": start,
        "end": end,
        "from": shown_time(start, table.dates),
        "to": shown_time(end, table.dates),
        "trained": len(np.unique(block.train)),
        "n": len(block.rows),
    }
