"""What a large study costs: `python benchmarks/scale.py` measures growing ones, and says what larger ones would take.

Three things grow, one at a time: cells (λ of a ridge), rows, and fitting jobs. What each step took is in its
receipt: CPU seconds and peak MB. A line through the two largest sizes is carried on to the size in question.
Figures are kept in `benchmarks/out/scale.json`; `--quick` takes small sizes, `cells`, `rows` or `jobs` one part.
"""

import argparse
import json
import os
import resource
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from tables import Table  # noqa: E402
from timing import fresh_folder, on_disk, run_workflow  # noqa: E402

OUT = Path(__file__).parent / "out"
FEW = {"logspace": [-3, 3, 3]}
Figures = dict[str, float]
"""By name of a step or of a part: seconds, MB, or a number."""


def config(table: Table, grid: Any, **top: Any) -> dict[str, Any]:
    """A ridge with K-fold and nested CV: 16 cells for each λ."""
    task = {
        "data": table.file, "target": "y", "loss": "squared", "test": 0.2, "learners": ["ridge"],
        "estimators": ["training", "kfold", "nested_cv", "test"], "kfold": {"k": 5},
    }  # fmt: skip
    ridge = {"estimator": "ridge", "grid": {"alpha": grid}}
    return {"tasks": {"t": task}, "learners": {"ridge": ridge}, **top}


def run(table: Table, given: dict[str, Any]) -> Figures:
    """Run a study: its seconds, files and MB, and for each step its CPU seconds and its peak MB."""
    folder = fresh_folder()
    table.write(folder)
    whole = timed("whole run", folder, given)
    files, disk = on_disk(folder)
    return {**whole, "files": files, "MB on disk": disk, **steps(folder)}


def timed(what: str, folder: Path, given: dict[str, Any], *more: str) -> Figures:
    """Seconds of a run, and the CPU seconds of Snakemake and of those that it waits for (not of forked steps)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = run_workflow(folder, given, *more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {f"{what}, s": seconds, f"Snakemake in a {what}, CPU s": used}


def steps(folder: Path) -> Figures:
    """What receipts say; the CPU seconds of a step's jobs are added, and of their peaks the largest is taken."""
    found: Figures = defaultdict(float)
    for path in (folder / "results").rglob("receipts/*.json"):
        receipt = json.loads(path.read_text())
        step = path.name.partition(".")[0]
        found[f"{step}, CPU s"] += receipt["cpu_seconds"]
        found[f"{step}, MB"] = max(found[f"{step}, MB"], receipt["peak_mb"])
    return dict(found)


def cells(size: int) -> Figures:
    """So many cells of a table of 300 rows."""
    table = Table(300, 10)
    return run(table, config(table, {"logspace": [-3, 3, size // 16]}, models="none"))


def rows(size: int) -> Figures:
    """So many rows of 20 columns, and 3 λ."""
    table = Table(size, 20)
    return run(table, config(table, FEW))


def jobs(size: int) -> Figures:
    """So many fitting jobs, of three cells each; and planning them again, with nothing to do."""
    table = Table(300, 10)
    folder = fresh_folder()
    table.write(folder)
    given = config(table, FEW, batches=size)
    rounds = {"estimators": ["kfold", "montecarlo"], "montecarlo": {"rounds": size}}
    given["tasks"]["t"] |= rounds
    return {
        **timed("dry run", folder, given, "--dry-run"),
        **timed("whole run", folder, given),
        **timed("no-op", folder, given),
        **steps(folder),
    }


PARTS: dict[str, tuple[Callable[[int], Figures], list[int], int]] = {
    "cells": (cells, [8000, 16_000, 32_000], 1_000_000),
    "rows": (rows, [30_000, 100_000, 300_000], 10_000_000),
    "jobs": (jobs, [50, 100, 200], 1000),
}
"""What grows: how it is measured, at which sizes, and the size in question."""


def carried_on(by_size: dict[int, Figures], wanted: int) -> Figures:
    """The figures at another size, on the line through those of the two largest."""
    low, high = sorted(by_size)[-2:]
    return {
        name: last + (last - by_size[low].get(name, last)) / (high - low) * (wanted - high)
        for name, last in by_size[high].items()
    }


def table_of(part: str, by_size: dict[int, Figures], wanted: int) -> str:
    """The figures of a part in Markdown, with those that are carried on."""
    sizes, further = sorted(by_size), carried_on(by_size, wanted)
    head = [part, *(f"{size:,}" for size in sizes), f"carried on to {wanted:,}"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name in further:
        values = [*(by_size[size].get(name, 0) for size in sizes), further[name]]
        lines.append("| " + " | ".join([name, *(_written(value) for value in values)]) + " |")
    return "\n".join(lines)


def _written(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of each size")
    given = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    kept = OUT / ("scale-quick.json" if given.quick else "scale.json")
    found = json.loads(kept.read_text()) if kept.exists() else {}
    for part in given.parts or PARTS:
        measure, sizes, wanted = PARTS[part]
        by_size = {n: measure(n) for n in (size // (10 if given.quick else 1) for size in sizes)}
        found[part] = by_size
        kept.write_text(json.dumps(found, indent=1) + "\n")
        print(table_of(part, by_size, wanted), "\n", flush=True)


if __name__ == "__main__":
    main()
