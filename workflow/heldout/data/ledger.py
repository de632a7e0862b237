"""The ledger: a record of every opening of a vault.

A second opening with the same selection adds nothing. One with another selection is refused unless
the user insists, and is then counted: with M recorded selections, intervals use δ/M.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from heldout.errors import HeldoutError
from heldout.files import write_text

LEDGER = "ledger.jsonl"


def read_ledger(vault: Path) -> list[dict[str, Any]]:
    """Read every recorded opening.

    Parameters
    ----------
    vault
        The folder that holds the ledger.

    Returns
    -------
    list of dict
        The openings, oldest first; none if the vault was never opened.

    Examples
    --------
    >>> read_ledger(Path("no/such/vault"))
    []
    """
    path = vault / LEDGER
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def record_opening(vault: Path, sealed: str, card: dict[str, Any], config: str, again: bool) -> int:
    """Record an opening, or refuse it.

    Parameters
    ----------
    vault
        The folder of the vault.
    sealed
        The identity of the sealed rows.
    card
        Describes the final model; its `identity` tells one selection from another.
    config
        The digest of the config, for the record.
    again
        Whether the user asks for another opening although these rows have judged another selection.

    Returns
    -------
    int
        How many selections these sealed rows have judged, this one included.

    Examples
    --------
    >>> first, second = ({"identity": one, "learner": "knn", "theta": {}} for one in "ab")
    >>> [record_opening(folder, "rows", first, "config", again=False) for _ in range(2)]
    [1, 1]
    >>> record_opening(folder, "rows", second, "config", again=True)
    2
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
    write_text(vault / LEDGER, "\n".join(lines) + "\n")
    return openings
