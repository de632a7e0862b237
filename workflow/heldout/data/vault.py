"""The vault: the sealed rows of a task, in a file that one step writes and one step reads."""

import json
from pathlib import Path

import pyarrow as pa

from heldout.files import write_atomic
from heldout.names import digest

SEALED = "sealed.parquet"
SOURCE_ROW = "__row__"
"""The column that holds the number of a sealed row in its source table."""


def write_sealed(vault: Path, sealed: pa.Table) -> None:
    """Write the sealed rows.

    Parameters
    ----------
    vault
        The folder of the vault; it is made if need be.
    sealed
        The rows as they were read, with the column `SOURCE_ROW`; none if nothing is sealed.

    Examples
    --------
    >>> write_sealed(folder / "vault", pa.table({"y": [1, 2], SOURCE_ROW: [5, 8]}))
    >>> read_sealed(folder / "vault").num_rows
    2
    """
    from pyarrow import parquet

    vault.mkdir(parents=True, exist_ok=True)
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


def sealed_identity(sealed: pa.Table) -> str:
    """Tell one set of sealed rows from another.

    Parameters
    ----------
    sealed
        The sealed rows.

    Returns
    -------
    str
        A digest of all their values.

    Examples
    --------
    >>> one, other = pa.table({"y": [1, 2]}), pa.table({"y": [1, 3]})
    >>> sealed_identity(one) == sealed_identity(other)
    False
    """
    return digest(json.dumps(sealed.to_pydict(), sort_keys=True, default=str))
