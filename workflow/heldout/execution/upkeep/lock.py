"""Whether a workflow runs in this folder: Snakemake's lock says so.

The lock says nothing of the process that took it, so a workflow that was killed seems to run on,
until ``heldout run --unlock`` (or ``snakemake --unlock``).
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from heldout.errors import HeldoutError

SNAKEMAKE = Path(".snakemake")


def is_locked(folder: Path = SNAKEMAKE) -> bool:
    """Look for locks.

    Parameters
    ----------
    folder
        Snakemake's folder.

    Returns
    -------
    bool
        True while a workflow runs, and after one was killed.

    Examples
    --------
    >>> is_locked(folder)
    False
    >>> (folder / "locks").mkdir()
    >>> (folder / "locks" / "0.output.lock").touch()
    >>> is_locked(folder)
    True
    """
    return any((folder / "locks").glob("*.lock")) or _locked_in_database(folder / "metadata.db")


def _locked_in_database(path: Path) -> bool:
    """Of runs with ``--persistence-backend db``."""
    if path.is_file():
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database,
        ):
            rows = database.execute("SELECT 1 FROM snakemake_locks LIMIT 1").fetchall()
            return bool(rows)
    return False


def refuse_during_a_run(unlock: str, folder: Path = SNAKEMAKE) -> None:
    """Refuse to change results while a workflow may change them too.

    Parameters
    ----------
    unlock
        The command that removes the lock of a killed run.
    folder
        Snakemake's folder.

    Raises
    ------
    HeldoutError
        If there is a lock.

    Examples
    --------
    >>> refuse_during_a_run("heldout run --unlock", folder / "other")
    """
    if is_locked(folder):
        raise HeldoutError(
            f"a workflow runs in this folder ({folder}/locks), and nothing is changed meanwhile; wait "
            f"until it has ended. If it was killed: {unlock}"
        )
