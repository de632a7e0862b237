"""One command times heldout against its peers, all in the same run: `python benchmarks/run.py [NAME …]`.

`--list` names what there is; without names all of it is run, which takes an hour. Results are kept in
`benchmarks/out/results.json`, where a part that is run again replaces the one before, and are drawn and
printed as tables in Markdown; `--write` puts them into README.md. `--small` takes small tables, to see in a minute
whether all works: its figures say nothing.
"""

import argparse
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from bars import BARS  # noqa: E402
from four import SIZES, compare, four_table  # noqa: E402
from goals import GOALS  # noqa: E402
from judge import disagreements, goals_table, judge  # noqa: E402
from plot import draw_goals, draw_plot  # noqa: E402

HERE = Path(__file__).parent
OUT = HERE / "out"
BEGIN, END = "<!-- the goals, by run.py --write -->\n", "<!-- end -->\n"


def benchmarks(small: bool) -> dict[str, Callable[[int], Any]]:
    """Everything that can be run, by name; each takes the number of repeats."""
    goals = {name: goal.smaller() if small else goal for name, goal in GOALS.items()}
    return {
        **{name: partial(judge, goal) for name, goal in goals.items()},
        **{f"four-{n}": partial(compare, n) for n in SIZES},
        **BARS,
    }


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to run; default: everything")
    parser.add_argument("--repeats", type=int, default=3, help="medians of so many (default: 3)")
    parser.add_argument("--small", action="store_true", help="small tables")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument(
        "--write", action="store_true", help="put tables and figures into README.md"
    )
    given = parser.parse_args()
    known = benchmarks(given.small)
    if unknown := set(given.names) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    if given.list:
        print("\n".join(known))
        return
    OUT.mkdir(exist_ok=True)
    kept = OUT / ("small.json" if given.small else "results.json")
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    for name in given.names or known:
        found[name] = known[name](given.repeats)
        print(name, json.dumps(found[name], indent=1, ensure_ascii=False), flush=True)
        kept.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    show(found)
    if given.write and not given.small:
        write(found)


def write(found: dict[str, Any]) -> None:
    """Put the table of goals into README.md, and figures beside it."""
    goals = {name: found[name] for name in GOALS if name in found}
    before, rest = (HERE / "README.md").read_text().split(BEGIN)
    parts = "![Seconds over those of each peer](goals.svg)", goals_table(goals)
    after = rest.split(END)[1]
    (HERE / "README.md").write_text(before + BEGIN + "\n\n".join(parts) + "\n" + END + after)
    for figure in OUT.glob("*.svg"):
        (HERE / figure.name).write_bytes(figure.read_bytes())


def show(found: dict[str, Any]) -> None:
    """Print tables and draw figures of what has been run; say where both sides differ."""
    goals = {name: found[name] for name in GOALS if name in found}
    four = [found[f"four-{n}"] for n in SIZES if f"four-{n}" in found]
    if goals:
        print(goals_table(goals))
        draw_goals(goals, OUT / "goals.svg")
    if four:
        print(four_table(four))
        draw_plot(four, found.get("growth", {}), OUT / "benchmark.svg")
    print("\n".join(disagreements(goals)) or "All agree.")


if __name__ == "__main__":
    main()
