"""Table → sealed rows in the vault, unsealed rows as arrays."""

from pathlib import Path

from heldout.data.prepare import prepare
from heldout.data.request import Request


def main(folder: Path, spec: Request) -> None:
    """Read, check, seal, write."""
    facts = prepare(spec, folder / "data", folder / "vault")
    print(f"{facts['n']} rows to learn from, {facts['sealed']} sealed")
    for note in facts["notes"]:
        print(f"note: {note}")
