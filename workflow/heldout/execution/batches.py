"""How many batches the cells of a task are fitted in.

The number is in no spec but that of the fitting jobs themselves, and a finished task keeps its
number: another number of cores alone makes nothing run again. Standard library only: the workflow
imports this while it is parsed.
"""

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path

CELLS_PER_CORE = 20
"""Fewer cells than this do not deserve a batch of their own."""
CELLS_PER_JOB = 500
"""On a cluster, where a job waits in a queue and its start costs some five seconds."""
_NAME = re.compile(r"(\d+)-of-(\d+)\.json")


def batches_for_cores(cells: int, cores: int) -> int:
    """As many batches as there are cores, unless there is too little to do."""
    return max(1, min(cores, math.ceil(cells / CELLS_PER_CORE)))


def batches_for_cluster(cells: int, units: int, cells_per_job: int | None) -> int:
    """Batches of a given size; no more than there are units, which are not divided."""
    return max(1, min(units, math.ceil(cells / (cells_per_job or CELLS_PER_JOB))))


def finished_batches(manifests: Path, request: str, sources: Iterable[Path]) -> int | None:
    """The number of batches in which a folder's cells were fitted for this request, if all were.

    `request` is the digest that the fitting jobs wrote into their manifests. A source that is newer
    than a manifest will be read again, and its cells fitted anew. Of several numbers the last one
    that was used counts.
    """
    read = max((path.stat().st_mtime_ns for path in sources if path.exists()), default=0)
    found = {
        batches: max(path.stat().st_mtime_ns for path in paths)
        for batches, paths in _complete_sets(manifests).items()
        if all(path.stat().st_mtime_ns >= read and _request(path) == request for path in paths)
    }
    return max(found, key=lambda batches: found[batches], default=None)


def _complete_sets(manifests: Path) -> dict[int, list[Path]]:
    """The manifests by the number of batches, where none is missing."""
    sets: dict[int, list[Path]] = {}
    for path in manifests.glob("*-of-*.json"):
        named = _NAME.fullmatch(path.name)
        if named and 1 <= int(named[1]) <= int(named[2]):
            sets.setdefault(int(named[2]), []).append(path)
    return {batches: paths for batches, paths in sets.items() if len(paths) == batches}


def _request(manifest: Path) -> str | None:
    """What the first line of a manifest says; the lines below it list cells."""
    with manifest.open(encoding="utf-8") as file:
        first = file.readline().rstrip()
    try:
        facts = json.loads(f"{first}]}}")
    except ValueError:
        return None
    found = facts.get("request")
    return found if isinstance(found, str) else None
