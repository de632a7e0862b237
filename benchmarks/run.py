"""One command: `python benchmarks/run.py` times heldout against scikit-learn in the same run.

Nested 10-fold CV of four learners at n = 600 and 3000, and of k-NN and ridge at n = 20000, where
scikit-learn computes two of the ten outer folds (one on each core) and its time is multiplied by
five; then the other goals. `--sizes 600 --repeats 1 --no-extras` takes a minute.
Writes `results.json` and a plot into `benchmarks/out/`, and prints a table.
"""

import argparse
import json
import os
from pathlib import Path
from statistics import median
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from bars import extras  # noqa: E402
from plot import draw_plot  # noqa: E402
from timing import (  # noqa: E402
    config,
    difference,
    folds_of,
    fresh_folder,
    run_workflow,
    sklearn_nested,
)
from workloads import FOUR, WORKLOADS  # noqa: E402

OUT = Path(__file__).parent / "out"


def compare(names: list[str], n: int, repeats: int, outer: int) -> dict[str, Any]:
    """The workloads in one cold run of the workflow, against scikit-learn one after the other."""
    chosen = [WORKLOADS[name] for name in names]
    ours, theirs = [], []
    by_name: dict[str, list[float]] = {name: [] for name in names}
    differences = {}
    for _ in range(repeats):
        folder = fresh_folder()
        ours.append(run_workflow(folder, config(chosen, n, folder)))
        total = 0.0
        for workload in chosen:
            fold = folds_of(folder, workload.name)
            seconds, errors = sklearn_nested(workload, n, fold, list(range(outer)))
            by_name[workload.name].append(seconds * 10 / outer)
            total += seconds * 10 / outer
            differences[workload.name] = difference(folder, workload.name, errors)
        theirs.append(total)
    return {
        "workloads": names,
        "n": n,
        "heldout": round(median(ours), 2),
        "scikit-learn": round(median(theirs), 2),
        "ratio": round(median(ours) / median(theirs), 4),
        "scikit-learn by workload": {k: round(median(v), 2) for k, v in by_name.items()},
        "outer folds timed": outer,
        "largest difference of a fold": differences,
    }


SIZES = {600: (FOUR, 10), 3000: (FOUR, 10), 20_000: (("knn", "ridge"), 2)}
"""By size: the workloads, and how many outer folds scikit-learn computes."""


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--extras", action=argparse.BooleanOptionalAction, default=True)
    given = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    found: dict[str, Any] = {"nested": []}
    for n in given.sizes:
        names, outer = SIZES[n]
        found["nested"].append(compare(list(names), n, given.repeats, outer))
        print(json.dumps(found["nested"][-1], indent=1), flush=True)
    if given.extras:
        found |= extras(given.repeats)
    (OUT / "results.json").write_text(json.dumps(found, indent=1) + "\n")
    draw_plot(found, OUT / "benchmark.svg")
    print(table(found["nested"]))


def table(nested: list[dict[str, Any]]) -> str:
    """The comparisons as a table in Markdown."""
    lines = ["| workloads | n | scikit-learn | heldout | ratio |", "|---|---|---|---|---|"]
    for one in nested:
        cells = [" + ".join(one["workloads"]), one["n"], f"{one['scikit-learn']} s"]
        lines.append(
            "| " + " | ".join(map(str, [*cells, f"{one['heldout']} s", one["ratio"]])) + " |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
