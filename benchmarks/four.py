"""The four workloads of the first goals: k-NN, ridge, a tree and logistic regression on 30 columns.

Nested 10-fold CV at 600 and 3000 rows, and of k-NN and ridge at 20,000, where scikit-learn computes two of
the ten outer folds (one on each core) and its time is multiplied by five.
"""

from dataclasses import replace
from statistics import median
from typing import Any

from timing import agreement, config, folds_of, fresh_folder, run_workflow
from workloads import FOUR, WORKLOADS, draw

SIZES: dict[int, tuple[tuple[str, ...], int | None]] = {
    600: (FOUR, None),
    3000: (FOUR, None),
    20_000: (("knn", "ridge"), 2),
}
"""By size: the workloads, and how many outer folds scikit-learn computes; None: all."""


def compare(n: int, repeats: int) -> dict[str, Any]:
    """The workloads in one cold run of the workflow, against scikit-learn one after the other."""
    names, outer = SIZES[n]
    chosen = [WORKLOADS[name] for name in names]
    ours, theirs = [], []
    by_name: dict[str, list[float]] = {name: [] for name in names}
    agreements = {}
    for _ in range(repeats):
        folder = fresh_folder()
        ours.append(run_workflow(folder, config(chosen, n, folder)))
        for one in chosen:
            loop, rows = replace(one.loop, outer=outer), draw(n, one.classification)
            found = loop.run(*rows, folds_of(folder, one.name), one.loss)
            by_name[one.name].append(found.seconds)
            agreements[one.name] = agreement(folder, one.name, found)
        theirs.append(sum(seconds[-1] for seconds in by_name.values()))
    return {
        "workloads": names,
        "n": n,
        "heldout": round(median(ours), 2),
        "scikit-learn": round(median(theirs), 2),
        "ratio": round(median(ours) / median(theirs), 4),
        "scikit-learn by workload": {k: round(median(v), 2) for k, v in by_name.items()},
        "agreement": agreements,
    }


def four_table(found: list[dict[str, Any]]) -> str:
    """The comparisons as a table in Markdown."""
    lines = ["| workloads | n | scikit-learn | heldout | ratio |", "|---|---|---|---|---|"]
    for one in found:
        cells = [" + ".join(one["workloads"]), one["n"], f"{one['scikit-learn']} s"]
        lines.append(
            "| " + " | ".join(map(str, [*cells, f"{one['heldout']} s", one["ratio"]])) + " |"
        )
    return "\n".join(lines)
