"""The vault: sealed rows, read by one step only, and the ledger of every opening.

A second opening with the same selection adds nothing; one with another selection is refused
unless the user insists, and is then counted: with M recorded selections, intervals use δ/M.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from heldout.errors import HeldoutError
from heldout.files import write_text


def read_ledger(vault: Path) -> list[dict[str, Any]]:
    """Every recorded opening, oldest first."""
    path = vault / "ledger.jsonl"
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def record_opening(vault: Path, sealed: str, card: dict[str, Any], config: str, again: bool) -> int:
    """Admit or refuse an opening, and return how many selections these sealed rows have judged.

    `card` describes the final model; its `identity` tells one selection from another.
    """
    ledger = read_ledger(vault)
    earlier = {entry["selection"] for entry in ledger if entry["sealed"] == sealed}
    this = card["identity"]
    if earlier and this not in earlier and not again:
        raise HeldoutError(
            f"the test set has already judged another selection ({len(earlier)} so far); a second look "
            "would make its answer optimistic. To open it all the same, with an interval widened for "
            "the number of openings: snakemake --config open_again=true"
        )
    openings = len(earlier | {this})
    entry = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "sealed": sealed,
        "selection": this,
        "learner": card["learner"],
        "theta": card["theta"],
        "config": config,
        "selections_so_far": openings,
    }
    lines = [json.dumps(line, ensure_ascii=False) for line in [*ledger, entry]]
    write_text(vault / "ledger.jsonl", "\n".join(lines) + "\n")
    return openings
