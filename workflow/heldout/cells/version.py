"""The version of the files of a cell store. Standard library only: the workflow asks while it is parsed."""

from pathlib import Path

FORMAT = "2"
"""The version that this code writes. Cells of another version are fitted again."""
LINE = f"{FORMAT}\n"
FILE = "format"
"""The file in a store's folder that says the version of its cells."""


def store_version(folder: Path) -> str | None:
    """Find the version of a store's cells.

    Parameters
    ----------
    folder
        ``results/TASK/cells``.

    Returns
    -------
    str or None
        None if there are no cells. Stores before version 2 do not say theirs.

    Examples
    --------
    >>> store_version(folder) is None
    True
    """
    if (folder / FILE).is_file():
        return (folder / FILE).read_text(encoding="utf-8", errors="replace").strip()
    return "1" if any(folder.glob("manifests/*.json")) else None
