"""Unsealed rows → one split file."""

from pathlib import Path
from typing import Any

from heldout.names import seed_for
from heldout.splits import draw_holdout, draw_kfold, user_kfold, write_split
from heldout.table.prepared import open_prepared


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Draw the split that the spec names."""
    table = open_prepared(folder / "data")
    name, settings = spec["split"], spec["settings"]

    def seed(*names: str) -> int:
        return seed_for(spec["seed"], spec["task"], name, *names)

    if name == "holdout":
        split = draw_holdout(table, settings["fraction"], spec["stratify"], seed())
    elif settings["column"] is not None:
        split = user_kfold(table)
    else:
        seeds = [seed(str(repeat)) for repeat in range(settings["repeats"])]
        split = draw_kfold(table, settings["k"], spec["stratify"], seeds)
    write_split(folder / "splits" / f"{name}.csv", split)
