"""A batch of replicates as one file of arrays: (replicate × estimate) and (replicate × θ)."""

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.audit.replicate import Replicate, RowName, RowValue
from heldout.errors import HeldoutError
from heldout.files import write_atomic

FIELDS = RowValue._fields


@dataclass(frozen=True)
class Batch:
    """Several replicates. An estimate that a replicate does not have is NaN (its `pair` is -1)."""

    names: list[RowName]
    values: dict[str, np.ndarray]
    truths: dict[str, np.ndarray]
    selected: dict[str, np.ndarray]
    errors: np.ndarray
    refused: np.ndarray
    control: np.ndarray
    fits: dict[str, int]

    @property
    def replicates(self) -> int:
        """The number of replicates."""
        return len(self.errors)


def stack(replicates: Sequence[Replicate]) -> Batch:
    """Make one batch of several replicates.

    Parameters
    ----------
    replicates
        Replicates of the same audit at the same size.

    Returns
    -------
    Batch
        Their values as arrays.
    """
    return join([_batch_of_one(replicate) for replicate in replicates])


def _batch_of_one(replicate: Replicate) -> Batch:
    values = np.array([list(replicate.rows.values())], float)
    return Batch(
        list(replicate.rows),
        {field: values[:, :, i] for i, field in enumerate(FIELDS)},
        {kind: risks[None] for kind, risks in replicate.truths.items()},
        {name: np.array([place]) for name, place in replicate.selected.items()},
        np.array([replicate.error]),
        np.array([replicate.refused]),
        np.array([replicate.control]),
        replicate.fits,
    )


def join(batches: Sequence[Batch]) -> Batch:
    """Join several batches into one.

    Parameters
    ----------
    batches
        Batches of the same audit at the same size.

    Returns
    -------
    Batch
        All replicates in order; estimates that some lack are filled with NaN.

    Examples
    --------
    >>> def batch(name, risk):
    ...     values = {field: np.array([[risk]]) for field in FIELDS}
    ...     return Batch([("knn", name, "")], values, {}, {}, *[np.zeros(1)] * 3, {})
    >>> join([batch("kfold", 0.1), batch("loo", 0.2)]).values["risk"]
    array([[0.1, nan],
           [nan, 0.2]])
    """
    names = list(dict.fromkeys(name for batch in batches for name in batch.names))
    place = {name: i for i, name in enumerate(names)}
    first = batches[0]
    return Batch(
        names,
        {f: np.concatenate([_spread(b, f, place) for b in batches]) for f in FIELDS},
        {kind: np.concatenate([b.truths[kind] for b in batches]) for kind in first.truths},
        {name: np.concatenate([b.selected[name] for b in batches]) for name in first.selected},
        np.concatenate([b.errors for b in batches]),
        np.concatenate([b.refused for b in batches]),
        np.concatenate([b.control for b in batches]),
        first.fits,
    )


def _spread(batch: Batch, field: str, place: dict[RowName, int]) -> np.ndarray:
    """The values of a batch with a column for every name, NaN where it has none."""
    wide = np.full((batch.replicates, len(place)), -1.0 if field == "pair" else np.nan)
    wide[:, [place[name] for name in batch.names]] = batch.values[field]
    return wide


def write_batch(path: Path, batch: Batch) -> None:
    """Write a batch to one compressed file, atomically.

    Parameters
    ----------
    path
        The file; its folder is made if needed.
    batch
        The replicates.

    Examples
    --------
    >>> batch = Batch([("knn", "kfold", "")], {}, {}, {}, *[np.zeros(1)] * 3, {"folds": 5})
    >>> write_batch(folder / "batch-0001.npz", batch)
    >>> read_batch(folder / "batch-0001.npz").fits
    {'folds': 5}
    """
    head = {"names": batch.names, "fits": batch.fits}
    arrays: dict[str, Any] = {"head": np.array(json.dumps(head))}
    arrays |= {f"value.{name}": array for name, array in batch.values.items()}
    arrays |= {f"truth.{name}": array for name, array in batch.truths.items()}
    arrays |= {f"selected.{name}": array for name, array in batch.selected.items()}
    arrays |= {"errors": batch.errors, "refused": batch.refused, "control": batch.control}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, lambda file: np.savez_compressed(file, **arrays))


def read_batch(path: Path) -> Batch:
    """Read a batch that `write_batch` wrote.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Batch
        The replicates.

    Raises
    ------
    HeldoutError
        If the file is damaged.

    Examples
    --------
    >>> batch = Batch([("knn", "kfold", "")], {}, {}, {}, *[np.zeros(1)] * 3, {})
    >>> write_batch(folder / "batch-0001.npz", batch)
    >>> read_batch(folder / "batch-0001.npz").names
    [('knn', 'kfold', '')]
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise HeldoutError(f"'{path}' is damaged ({error}); remove it and run again") from None
    head = json.loads(str(arrays["head"]))

    def group(prefix: str) -> dict[str, np.ndarray]:
        return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}

    return Batch(
        [(name[0], name[1], name[2]) for name in head["names"]],
        group("value."),
        group("truth."),
        group("selected."),
        arrays["errors"],
        arrays["refused"],
        arrays["control"],
        head["fits"],
    )
