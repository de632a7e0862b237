"""The digests of files, remembered as long as a file is not written again.

A file that has the same size, times and inode as when it was digested is not read again. The time
of its last change of any kind (ctime) cannot be set by a user, so another content never hides
behind an old modification time. Standard library only.
"""

import json
import os
import time
from pathlib import Path

from heldout.files import write_text
from heldout.receipts import file_digest

MEMORY = Path(".snakemake", "heldout", "digests.json")
SETTLED = 0.05
"""Seconds. A file that changed a moment ago may change again within the clock's resolution."""

Stamp = list[int]


class Digests:
    """Digests by path.

    Parameters
    ----------
    memory
        The file in which they are remembered.

    Examples
    --------
    >>> digests = Digests(folder / "memory.json")
    >>> digests.of(folder / "missing") is None
    True
    >>> _ = (folder / "a").write_text("content")
    >>> digests.of(folder / "a") == file_digest(folder / "a")
    True
    """

    def __init__(self, memory: Path = MEMORY):
        self._memory = memory
        self._known = _read(memory)
        self._changed = False
        self._seen: dict[str, str | None] = {}

    def of(self, path: Path | str) -> str | None:
        """The digest of a file; None if there is none."""
        name = str(path)
        if name not in self._seen:
            self._seen[name] = self._find(name)
        return self._seen[name]

    def remembered(self, path: Path | str) -> str | None:
        """The digest that a file is taken to have without being read; None if it would be read."""
        try:
            stamp, found = self._known[str(path)]
            return found if _stamp(str(path)) == stamp else None
        except (KeyError, OSError):
            return None

    def _find(self, name: str) -> str | None:
        try:
            stamp = _stamp(name)
            known = self._known.get(name)
            if known is not None and known[0] == stamp:
                return known[1]
            found = file_digest(name)
            settled = _stamp(name) == stamp and time.time_ns() - stamp[2] > SETTLED * 1e9
        except OSError:
            return None
        if settled:
            self._known[name] = stamp, found
            self._changed = True
        return found

    def save(self) -> None:
        """Remember what was found, without files that are gone."""
        if self._changed:
            kept = {name: one for name, one in self._known.items() if Path(name).is_file()}
            write_text(self._memory, json.dumps(kept))
            self._changed = False


def _stamp(name: str) -> Stamp:
    found = os.stat(name)  # noqa: PTH116
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _read(memory: Path) -> dict[str, tuple[Stamp, str]]:
    try:
        content = json.loads(memory.read_text(encoding="utf-8"))
        return {name: (list(stamp), str(one)) for name, (stamp, one) in content.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
