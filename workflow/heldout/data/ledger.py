"""The ledger: a hash chain with one file for each opening of sealed rows, in `.heldout/ledger`.

It lies beside `results`, so that deleting results does not reset it. Each file has its own digest and that
of the file before it; each task keeps a *witness* in its vault: the digests of all files it has seen. So an
opening that is missing or has been changed is noticed, and stays so: later files record it too.

Standard library only: the workflow imports this while it is parsed.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from heldout.data.witness import Opening, witnessed
from heldout.errors import HeldoutError
from heldout.names import canonical, digest

FOLDER = Path(".heldout", "ledger")
"""From the folder in which `results` lies."""
MISSING, CHANGED = "is missing", "has been changed"
_NAME = re.compile(r"(\d{6})\.json")


@dataclass(frozen=True)
class Entry:
    """A file of the ledger: an opening, the digests of its rows, and how the chain looked before it."""

    opening: Opening
    row_digests: tuple[str, ...]
    previous: str
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Ledger:
    """The files of a ledger, and what witnesses know of those that are missing or changed.

    `entries`: what can be trusted, by number; `lost`: for each of the others, what is wrong with it;
    `known`: what witnesses say about lost ones; `head`: number and digest of the last one, lost or not.
    """

    entries: dict[int, Entry]
    lost: dict[int, str]
    known: dict[int, Opening]
    head: tuple[int, str]

    @property
    def digests(self) -> dict[int, str]:
        """Those of the files that can be trusted."""
        return {number: entry.opening.digest for number, entry in self.entries.items()}

    @property
    def faults(self) -> list[str]:
        """What is wrong with the ledger, also what was wrong when something was added to it."""
        recorded = [fault for entry in self.entries.values() for fault in entry.faults]
        found = [f"opening {number} {why}" for number, why in self.lost.items()]
        return sorted({*recorded, *found})


def ledger_faults(folder: Path, task_folders: Iterable[Path]) -> list[str]:
    """Find out whether a ledger is as it was written.

    Parameters
    ----------
    folder
        The folder of the ledger.
    task_folders
        The folders of tasks, whose witnesses know what was in the ledger.

    Returns
    -------
    list of str
        What is wrong; nothing if all is well, or if there is neither a ledger nor a witness.

    Examples
    --------
    >>> ledger_faults(folder / "ledger", [folder / "results" / "penguins"])
    []
    >>> from heldout.data.witness import remember
    >>> remember(folder / "penguins", {1: "digest"}, [])
    >>> ledger_faults(folder / "ledger", [folder / "penguins"])
    ['opening 1 is missing']
    """
    return read_ledger(folder, task_folders).faults


def read_ledger(folder: Path, task_folders: Iterable[Path]) -> Ledger:
    """Read a ledger, and compare it with what witnesses have seen.

    Parameters
    ----------
    folder
        The folder of the ledger; it need not exist.
    task_folders
        The folders of tasks.

    Returns
    -------
    Ledger
        What can be trusted and what is lost.

    Examples
    --------
    >>> read_ledger(Path("no/such/ledger"), []).entries
    {}
    """
    try:
        files = dict(_files(folder))
        seen, known = witnessed(task_folders)
    except PermissionError as error:
        raise HeldoutError(
            f"'{error.filename}' cannot be read: vault and ledger are private to their owner; for a "
            "folder that several people use: vault: shared"
        ) from None
    last = max([0, *files, *seen])
    lost = {n: why for n in range(1, last + 1) if (why := _fault(n, files, seen.get(n, set())))}
    end = files.get(last)
    head = end.opening.digest if end else min(seen.get(last, {""}))
    return Ledger(
        {n: entry for n, entry in sorted(files.items()) if entry and n not in lost},
        lost,
        {n: opening for n, opening in known.items() if n in lost},
        (last, head),
    )


def append_opening(
    folder: Path, ledger: Ledger, opening: Opening, row_digests: Iterable[str]
) -> Opening | None:
    """Add an opening to a ledger.

    Parameters
    ----------
    folder
        The folder of the ledger; it is made if need be.
    ledger
        What was read from it.
    opening
        What is to be recorded; its number and digest are made here.
    row_digests
        The digests of its rows.

    Returns
    -------
    Opening or None
        The opening as it is on record; None if something was added since the ledger was read, so that
        it must be read again.

    Examples
    --------
    >>> first = Opening("t", "y", "selection", "knn", {}, "group", 1, "rows", 2, "now")
    >>> empty = read_ledger(folder, [])
    >>> append_opening(folder, empty, first, ["aa", "bb"]).number
    1
    >>> append_opening(folder, empty, first, ["aa", "bb"]) is None
    True
    """
    last, previous = ledger.head
    opening = replace(opening, number=last + 1)
    entry = Entry(opening, tuple(sorted(row_digests)), previous, tuple(ledger.faults))
    opening = replace(opening, digest=_digest(entry))
    text = json.dumps(_as_json(replace(entry, opening=opening)), ensure_ascii=False, indent=1)
    folder.mkdir(parents=True, exist_ok=True)
    return opening if _create(folder / f"{last + 1:06d}.json", f"{text}\n") else None


# --- the files of the chain ------------------------------------------------------------------------


def _files(folder: Path) -> Iterator[tuple[int, Entry | None]]:
    """Each file of the chain by its number; None for one that is not as it was written."""
    try:
        paths = list(folder.iterdir())
    except FileNotFoundError:  # unlike is_dir, this tells a folder that may not be read
        return
    for path in paths:
        named = _NAME.fullmatch(path.name)
        if named:
            yield int(named[1]), _entry(path.read_bytes(), int(named[1]))


def _entry(data: bytes, number: int) -> Entry | None:
    try:
        given = json.loads(data)
        facts = {one.name: given[one.name] for one in fields(Opening)}
        digests = tuple(given["row_digests"].split())
        entry = Entry(Opening(**facts), digests, given["previous"], tuple(given["faults"]))
        whole = _digest(entry) == entry.opening.digest and entry.opening.number == number
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return entry if whole and _as_json(entry) == given else None


def _as_json(entry: Entry) -> dict[str, Any]:
    return {
        **asdict(entry.opening),
        "previous": entry.previous,
        "faults": list(entry.faults),
        "row_digests": " ".join(entry.row_digests),
    }


def _digest(entry: Entry) -> str:
    """Of everything in a file but its own digest."""
    return digest(canonical(_as_json(replace(entry, opening=replace(entry.opening, digest="")))))


def _fault(number: int, files: dict[int, Entry | None], seen: set[str]) -> str | None:
    """What is wrong with a file of the chain, if anything."""
    if number not in files:
        return MISSING
    entry, following = files[number], files.get(number + 1)
    if entry is None or seen - {entry.opening.digest}:
        return CHANGED
    if following is not None and following.previous != entry.opening.digest:
        return CHANGED
    return None


def _create(path: Path, text: str) -> bool:
    """Write a file that must not be there yet; whether it was not."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    try:
        os.link(temporary, path)  # unlike a rename, it replaces nothing
    except FileExistsError:
        return False
    except OSError:  # a disk without links
        return _create_in_place(path, text)
    finally:
        temporary.unlink()
    return True


def _create_in_place(path: Path, text: str) -> bool:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True
