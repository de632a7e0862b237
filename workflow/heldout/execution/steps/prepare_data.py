"""Table → sealed rows in the vault, unsealed rows as arrays."""

from pathlib import Path
from typing import Any

from heldout.data.prepare import prepare
from heldout.data.request import Request
from heldout.execution.lean_imports import without_pandas


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Read, check, seal, write."""
    with without_pandas():
        facts = prepare(Request(**spec["request"]), folder / "data", folder / "vault")
    print(f"{facts['n']} rows to learn from, {facts['sealed']} sealed")
    for note in facts["notes"]:
        print(f"note: {note}")
