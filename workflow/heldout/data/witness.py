"""Witnesses: what each task remembers of the ledger, in its vault.

A ledger that was deleted, shortened or edited can be told by them. Each keeps the digests of the ledger's
files that it has seen, and what is on record about the openings that its own rows had a part in.

Standard library only: the workflow imports this while it is parsed.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from heldout.errors import HeldoutError
from heldout.files import write_json
from heldout.names import Theta, canonical, digest

WITNESS = Path("vault", "witness.json")
"""From the folder of a task. Not an output of its rule: Snakemake deletes outputs before a job runs."""


@dataclass(frozen=True)
class Opening:
    """What is on record about an opening, besides the digests of its rows.

    `selection` is the identity of what was judged, `group` the digest of the tasks that may judge in one
    run, `count` its place among the selections that these rows have judged, `sealed` the digest of all
    `rows` rows; `number` and `digest` are those of the ledger's file.
    """

    task: str
    target: str
    selection: str
    learner: str
    theta: Theta
    group: str
    count: int
    sealed: str
    rows: int
    time: str
    number: int = 0
    digest: str = ""


def remember(folder: Path, digests: dict[int, str], openings: Iterable[Opening]) -> None:
    """Let a task remember what it has seen of a ledger; what it remembered before stays.

    Parameters
    ----------
    folder
        The folder of the task.
    digests
        Those of the ledger's files that can be trusted, by number.
    openings
        What is on record about the openings that the task's rows had a part in.

    Examples
    --------
    >>> remember(folder / "t", {1: "first"}, [])
    >>> remember(folder / "t", {1: "exchanged", 2: "second"}, [])
    >>> witnessed([folder / "t"])[0]
    {1: {'first'}, 2: {'second'}}
    """
    seen, known = _read(folder)
    known |= {one.number: one for one in openings if one.number}
    everything = [asdict(one) for one in known.values()]
    numbered = {str(number): one for number, one in (digests | seen).items()}
    content = {"seen": numbered, "openings": everything}
    write_json(folder / WITNESS, content | {"digest": digest(canonical(content))})


def witnessed(task_folders: Iterable[Path]) -> tuple[dict[int, set[str]], dict[int, Opening]]:
    """Ask the witnesses of some tasks.

    Parameters
    ----------
    task_folders
        The folders of tasks, with or without a witness.

    Returns
    -------
    tuple
        By the number of a ledger's file: the digests that it had, and what was on record there.

    Examples
    --------
    >>> witnessed([folder])
    ({}, {})
    """
    seen: dict[int, set[str]] = {}
    known: dict[int, Opening] = {}
    for folder in task_folders:
        digests, openings = _read(folder)
        known |= openings
        for number, one in digests.items():
            seen.setdefault(number, set()).add(one)
    return seen, known


def task_folders(results: Path) -> list[Path]:
    """List the folders of tasks that have seen a ledger, also of tasks that the config no longer has.

    Parameters
    ----------
    results
        The folder of all results.

    Returns
    -------
    list of Path
        In alphabetical order.

    Examples
    --------
    >>> remember(folder / "results" / "penguins", {}, [])
    >>> [path.name for path in task_folders(folder / "results")]
    ['penguins']
    """
    depth = len(WITNESS.parts) - 1
    return sorted(path.parents[depth] for path in results.glob(f"*/{WITNESS}"))


def _read(folder: Path) -> tuple[dict[int, str], dict[int, Opening]]:
    path = folder / WITNESS
    try:
        given = json.loads(path.read_bytes())
        own = given.pop("digest", None)  # those of the first days have none
        if set(given) != {"seen", "openings"} or own not in (None, digest(canonical(given))):
            raise ValueError("not as it was written")
        openings = [Opening(**facts) for facts in given["openings"]]
        seen = {int(number): str(one) for number, one in given["seen"].items()}
    except FileNotFoundError:
        return {}, {}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise HeldoutError(
            f"'{path}' is damaged; restore it, or remove it: the ledger is then compared with what "
            "other tasks have seen"
        ) from None
    return seen, {one.number: one for one in openings}
