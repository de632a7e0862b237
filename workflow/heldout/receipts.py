"""Receipts: what a step depended on, read and wrote, with a digest of every file.

Each step leaves ``results/{task}/receipts/{job}.json`` when it has ended, and removes it when it
begins. A step compares what it reads with the receipts of those who wrote it; the planner of the
workflow and ``heldout check`` compare what is on disk with them. A receipt carries its own digest.

Standard library only: the workflow imports this while it is parsed.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from heldout.files import write_text
from heldout.names import canonical, digest

RECEIPTS = "receipts"
"""The folder of receipts in the folder of a task."""
CHUNK = 2**20
FIELDS = frozenset(
    {"job", "request", "inputs", "outputs", "facts", "seconds", "cpu_seconds", "peak_mb"}
)


@dataclass(frozen=True)
class Receipt:
    """What a step did.

    Parameters
    ----------
    job
        The name of the job, for instance ``draw_splits.kfold``.
    request
        The step, the digest of its code and its spec: all that it depended on, besides files.
    inputs, outputs
        The digest of each file that it read and wrote, by path from the working folder.
    facts
        What the step says it did, for instance how many cells it fitted.
    seconds, cpu_seconds, peak_mb
        What it took.
    """

    job: str
    request: dict[str, Any]
    inputs: dict[str, str]
    outputs: dict[str, str]
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0


def file_digest(path: Path | str) -> str:
    """Digest the content of a file, a megabyte at a time.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> for name, text in (("a", "same"), ("b", "same"), ("c", "other")):
    ...     _ = (folder / name).write_text(text)
    >>> file_digest(folder / "a") == file_digest(folder / "b")
    True
    >>> file_digest(folder / "a") == file_digest(folder / "c")
    False
    """
    hashed = hashlib.blake2b(digest_size=16)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        while chunk := file.read(CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def write_receipt(path: Path, receipt: Receipt) -> None:
    """Write a receipt atomically, with its own digest.

    Parameters
    ----------
    path, receipt
        The file, whose folder is made if need be, and its content.

    Examples
    --------
    >>> write_receipt(folder / "select_model.json", Receipt("select_model", {}, {}, {"a.csv": "12"}))
    >>> read_receipt(folder / "select_model.json").outputs
    {'a.csv': '12'}
    """
    content = asdict(receipt)
    text = json.dumps(content | {"digest": digest(canonical(content))}, ensure_ascii=False)
    write_text(path, text + "\n")


def read_receipt(path: Path) -> Receipt | None:
    """Read a receipt.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Receipt or None
        None if it is missing or damaged.

    Examples
    --------
    >>> read_receipt(folder / "missing.json") is None
    True
    """
    try:
        content = json.loads(path.read_bytes())
        own = content.pop("digest")
        if own != digest(canonical(content)) or set(content) != FIELDS:
            return None
        return Receipt(**content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def read_receipts(folder: Path) -> Iterator[Receipt]:
    """Read the intact receipts of a task.

    Parameters
    ----------
    folder
        The folder of the task, ``results/TASK``.

    Returns
    -------
    iterator of Receipt
        In the order of the names of their jobs.

    Examples
    --------
    >>> write_receipt(folder / "receipts" / "select_model.json", Receipt("select_model", {}, {}, {}))
    >>> [receipt.job for receipt in read_receipts(folder)]
    ['select_model']
    """
    for path in sorted((folder / RECEIPTS).glob("*.json")):
        receipt = read_receipt(path)
        if receipt is not None:
            yield receipt
