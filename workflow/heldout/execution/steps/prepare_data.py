"""Table → sealed rows in the vault, unsealed rows as arrays."""

from pathlib import Path

from heldout.data.prepare import prepare
from heldout.data.request import Request
from heldout.execution.lean_imports import without_pandas


def main(folder: Path, spec: Request) -> None:
    """Read, check, seal, write."""
    with without_pandas():  # pyarrow would import it, a quarter of a second
        facts = prepare(spec, folder / "data", folder / "vault")
    print(f"{facts['n']} rows to learn from, {facts['sealed']} sealed")
    for note in facts["notes"]:
        print(f"note: {note}")
