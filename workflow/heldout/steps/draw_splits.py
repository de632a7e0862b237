"""Unsealed rows → one split file."""

from pathlib import Path
from typing import Any

from heldout.draws import draw_split
from heldout.splits import write_split
from heldout.table.prepared import open_prepared


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Draw the split that the spec names."""
    table = open_prepared(folder / "data")
    write_split(folder / "splits" / f"{spec['split']}.csv", draw_split(table, spec))
