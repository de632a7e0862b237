"""Choice, final model and opening → selection.json and card.json, which say the same of the test."""

from pathlib import Path
from typing import Any

from heldout.execution.specs.estimates import WriteCard
from heldout.files import read_json, write_json

PUBLIC = ("state", "count", "rows", "message", "ledger")
"""What everybody may know of an opening. No times: the same config gives the same files."""


def main(folder: Path, spec: WriteCard) -> None:
    """Put together what the steps before have found."""
    test = _public(read_json(folder / "vault" / "opening.json")) if spec.test else None
    choice = read_json(folder / "selection" / "choice.json")
    training = read_json(folder / "final" / "training.json")
    refit = _short(read_json(folder / "final" / "card_all.json")) if spec.refit else None
    write_json(folder / "selection.json", {**choice, "test": test, "refit": refit})
    write_json(folder / "final" / "card.json", {**training, "test": test})


def _short(card: dict[str, Any]) -> dict[str, Any]:
    """Of the model of all rows: whether it was trained, and what must be known of it."""
    return {name: card[name] for name in ("model", "state", "note")}


def _public(opening: dict[str, Any]) -> dict[str, Any]:
    return {name: opening[name] for name in PUBLIC}
