"""Unsealed rows → one split file."""

from pathlib import Path

from heldout.data.prepared import open_prepared
from heldout.resampling.draw import draw_split
from heldout.resampling.spec import SplitSpec
from heldout.resampling.split_file import write_split


def main(folder: Path, spec: SplitSpec) -> None:
    """Draw the split that the spec names."""
    table = open_prepared(folder / "data")
    write_split(folder / "splits" / f"{spec.split}.csv", draw_split(table.rows_to_split, spec))
