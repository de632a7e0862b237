"""Results of an older version: what a run does with them.

Before there were receipts, manifests stood alone. Standard library only: the workflow asks when a
run starts.
"""

from pathlib import Path

from heldout.cells.version import FORMAT, store_version
from heldout.errors import counted
from heldout.receipts import RECEIPTS

OLDER = "was made by an older version of heldout: every step runs again, once"


def older_note(folder: Path) -> str | None:
    """Say what is done with results of an older version.

    Parameters
    ----------
    folder
        The folder of a task, ``results/TASK``.

    Returns
    -------
    str or None
        None if there are no results, or results of this version.

    Examples
    --------
    >>> older_note(folder) is None
    True
    >>> (folder / "cells" / "manifests").mkdir(parents=True)
    >>> (folder / "cells" / "manifests" / "1-of-1.json").touch()
    >>> older_note(folder).partition("again, once")[2]
    ', and all its cells are fitted again (their format is 1, now 2)'
    """
    version = store_version(folder / "cells")
    receipts = any((folder / RECEIPTS).glob("*.json"))
    if version is None or (version == FORMAT and receipts):
        return None
    if version != FORMAT:
        what = f"all its cells are fitted again (their format is {version}, now {FORMAT})"
    else:
        cells = sum(1 for _ in (folder / "cells").glob("*/*/*.safetensors"))
        many = "cells" if any((folder / "cells").glob(".packs/*")) else counted(cells, "cell")
        what = f"of its {many} those are fitted again whose fitting code has changed"
    return f"{folder} {OLDER}, and {what}"
