"""The vault: the sealed rows of a task, in a file that one step writes and one step reads.

It is private: a folder that only its owner can enter, with files that only its owner can read, unless
the config says that several people share it. The code of a learner runs as that owner and can read it.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa

from heldout.files import write_atomic

SEALED = "sealed.parquet"
SOURCE_ROW = "__row__"
"""The column that holds the number of a sealed row in its source table."""
ROW_DIGEST = "__digest__"
"""The column that holds the digest of a sealed row as it was read, before anything counted as missing."""
PRIVATE = 0o077
"""What is taken from the rights of others."""


@contextmanager
def private_folders(*folders: Path, private: bool = True) -> Iterator[None]:
    """Make folders, and let all that is written meanwhile be private to its owner.

    Parameters
    ----------
    *folders
        What is there already is made private too; its parents are not.
    private
        False where several people share the folder: then all is as their umask says, also what was
        private before.

    Returns
    -------
    context manager
        Nothing is entered; afterwards new files are as the umask says again.

    Examples
    --------
    >>> with private_folders(folder / "vault"):
    ...     _ = (folder / "vault" / "rows").write_text("sealed")
    >>> [oct(path.stat().st_mode)[-3:] for path in (folder / "vault", folder / "vault" / "rows")]
    ['700', '600']
    """
    for folder in folders:
        folder.parent.mkdir(parents=True, exist_ok=True)
    usual = os.umask(PRIVATE)
    mask = PRIVATE if private else usual
    os.umask(mask)
    try:
        for folder in folders:
            _make(folder, mask)
        yield
    finally:
        os.umask(usual)


def _make(folder: Path, mask: int) -> None:
    """Make a folder, or change the rights to it and all inside that is one's own."""
    folder.mkdir(exist_ok=True)
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # a temporary file of another task
            _set_rights(path, mask)


def _set_rights(path: Path, mask: int) -> None:
    found = path.stat()
    rights = (0o777 if stat.S_ISDIR(found.st_mode) else 0o666) & ~mask
    if found.st_uid == os.geteuid() and found.st_mode & 0o777 != rights:
        path.chmod(found.st_mode & 0o7000 | rights)  # a folder of a team may pass its group on


def write_sealed(vault: Path, sealed: pa.Table, private: bool = True) -> None:
    """Write the sealed rows.

    Parameters
    ----------
    vault
        The folder of the vault; it is made if need be.
    sealed
        The rows as they were read, with the columns `SOURCE_ROW` and `ROW_DIGEST`; none if nothing is
        sealed.
    private
        Whether nobody else may read them.

    Examples
    --------
    >>> write_sealed(folder / "vault", pa.table({"y": [1, 2], SOURCE_ROW: [5, 8]}))
    >>> read_sealed(folder / "vault").num_rows
    2
    """
    from pyarrow import parquet

    with private_folders(vault, private=private):
        write_atomic(vault / SEALED, lambda file: parquet.write_table(sealed, file))


def read_sealed(vault: Path) -> pa.Table:
    """Read the sealed rows. Only the step that opens the test set may call this.

    Parameters
    ----------
    vault
        The folder of the vault.

    Returns
    -------
    pyarrow.Table
        The rows that `write_sealed` wrote.

    Examples
    --------
    >>> write_sealed(folder, pa.table({"y": [1, 2], SOURCE_ROW: [5, 8]}))
    >>> read_sealed(folder).column(SOURCE_ROW).to_pylist()
    [5, 8]
    """
    from pyarrow import parquet

    with parquet.ParquetFile(vault / SEALED) as file:  # parquet.read_table imports more
        return file.read()
