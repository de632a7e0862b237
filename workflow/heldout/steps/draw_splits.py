"""Unsealed rows → one split file."""

from pathlib import Path
from typing import Any

from heldout.names import seed_for
from heldout.splits import (
    Split,
    draw_bootstrap,
    draw_halvings,
    draw_holdout,
    draw_kfold,
    draw_montecarlo,
    loo_split,
    user_kfold,
    write_split,
)
from heldout.table.prepared import Prepared, open_prepared


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Draw the split that the spec names."""
    table = open_prepared(folder / "data")
    write_split(folder / "splits" / f"{spec['split']}.csv", _draw(table, spec))


def _draw(table: Prepared, spec: dict[str, Any]) -> Split:
    name, given, stratify = spec["split"], spec["settings"], spec["stratify"]

    def seed(*names: str) -> int:
        return seed_for(spec["seed"], spec["task"], name, *names)

    def seeds(count: int) -> list[int]:
        return [seed(str(i)) for i in range(count)]

    if name == "holdout":
        return draw_holdout(table, given["fraction"], stratify, seed())
    if name == "loo":
        return loo_split(table)
    if name == "montecarlo":
        return draw_montecarlo(table, given["fraction"], stratify, seeds(given["rounds"]))
    if name == "halvings":
        fraction, halvings, rounds = given["fraction"], given["halvings"], given["rounds"]
        return draw_halvings(table, fraction, stratify, halvings, rounds, seed)
    if name == "bootstrap":
        return draw_bootstrap(table, seeds(given["bags"]))
    if given["column"] is not None:
        return user_kfold(table)
    return draw_kfold(table, given["k"], stratify, seeds(given["repeats"]))
