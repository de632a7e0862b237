"""The peak memory of a run: of all its processes together, shared pages counted once."""

import subprocess
import time
from pathlib import Path

EVERY = 0.05
"""Seconds between two looks."""


def peak_of(process: "subprocess.Popen[str]", mark: str) -> float:
    """Watch the processes that have a variable in their environment until one of them, the first, ends.

    Children that were left to the system are found too. MB are proportional set sizes.
    """
    known: dict[Path, bool] = {}
    peak = 0
    while process.poll() is None:
        folders = [path for path in Path("/proc").iterdir() if path.name.isdecimal()]
        known = {path: known.get(path) or _marked(path, mark) for path in folders}
        peak = max(peak, sum(_size(path) for path, ours in known.items() if ours))
        time.sleep(EVERY)
    return peak / 1000


def _marked(folder: Path, mark: str) -> bool:
    try:
        return mark.encode() in (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _size(folder: Path) -> int:
    """The proportional set size in kB; 0 once the process has ended."""
    try:
        lines = (folder / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
