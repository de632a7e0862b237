"""Which models stay on disk: all, or only those of the selected θ where all take too much room.

With ``models: auto`` this is decided once the final model is there, by the bytes that all models take. The file ``models`` in
the store's folder then says that the others have gone, so that no later run fits them again for their models' sake.
"""

from pathlib import Path
from typing import TypedDict

from heldout.cells.store import Store
from heldout.files import write_text

AUTO, ALL, SELECTED = "auto", "all", "selected"
MOST = 1_000_000_000
"""With `auto`, all models stay if they take no more bytes."""
FILE = "models"
"""The file in a store's folder that says that models have gone."""


class Kept(TypedDict):
    """What stays (`all` or `selected`), the bytes that all models took, and how many have gone."""

    kept: str
    bytes: int
    deleted: int


def kept_models(store: Path, asked: str) -> str:
    """What the store is expected to keep: what the config says, or what has been decided.

    Parameters
    ----------
    store
        ``results/TASK/cells``.
    asked
        `auto`, `all`, `selected` or `none`.

    Returns
    -------
    str
        The same; in place of `auto` one of the others.

    Examples
    --------
    >>> kept_models(folder, "auto")
    'all'
    >>> (folder / FILE).touch()
    >>> kept_models(folder, "auto"), kept_models(folder, "none")
    ('selected', 'none')
    """
    if asked != AUTO:
        return asked
    return SELECTED if (store / FILE).is_file() else ALL


def keep_models(store: Store, asked: str, selected: set[str]) -> Kept:
    """Delete the models that are not to stay.

    Parameters
    ----------
    store
        The cells of a task whose final model is there.
    asked
        `auto`, `all`, `selected` or `none`.
    selected
        The folders `learner/θ` of the selected θ.

    Returns
    -------
    Kept
        What was decided.

    Examples
    --------
    >>> keep_models(Store(folder / "cells"), "auto", {"knn/n_neighbors=5"})
    {'kept': 'all', 'bytes': 0, 'deleted': 0}
    """
    size = store.model_bytes()
    kept = kept_models(store.folder, asked)
    if asked == AUTO and size > MOST:
        kept = SELECTED
    deleted = store.prune_models(selected) if kept == SELECTED else 0
    if kept == SELECTED:
        write_text(store.folder / FILE, f"{kept}\n")
    else:
        (store.folder / FILE).unlink(missing_ok=True)
    return Kept(kept=kept, bytes=size, deleted=deleted)
