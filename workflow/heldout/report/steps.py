"""The steps of a task in order, how long each took, and a diagram of which reads which."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from heldout.receipts import RECEIPTS, read_receipt

CELLS = ("prepare_data", "draw_splits", "fit_cells")
"""What steps read that compute from cells."""
STEPS: dict[str, tuple[str, ...]] = {
    "prepare_data": (),
    "draw_splits": ("prepare_data",),
    "fit_cells": ("prepare_data", "draw_splits"),
    "estimate_risks": CELLS,
    "select_model": (*CELLS, "estimate_risks"),
    "estimate_procedures": (*CELLS, "select_model"),
    "train_final": ("prepare_data", "draw_splits", "select_model"),
    "open_test": ("prepare_data", "train_final"),
    "score_test": ("prepare_data", "select_model", "open_test"),
    "train_all": ("prepare_data", "train_final", "open_test"),
    "compute_metrics": (*CELLS, "select_model", "open_test"),
    "write_card": ("select_model", "train_final", "open_test", "train_all"),
    "tabulate_estimates": ("estimate_procedures", "score_test", "write_card"),
    "run_checks": (
        *(*CELLS, "estimate_risks", "estimate_procedures", "write_card", "tabulate_estimates"),
    ),
    "render_report": (
        *(*CELLS, "estimate_risks", "compute_metrics", "estimate_procedures", "open_test"),
        *("write_card", "tabulate_estimates", "run_checks"),
    ),
}
"""Each rule and the rules whose files it reads; a test compares this with workflow/rules."""

LANES = {
    "estimate_procedures": 0,
    "train_final": 2,
    "open_test": 2,
    "train_all": 2,
    "write_card": 2,
    "compute_metrics": 3,
}
"""The column of a step's box, chosen so that no line crosses a box; 1 if not listed."""
WIDE, HIGH, GAP, LINE = 160, 36, 18, 26


@dataclass(frozen=True)
class Step:
    """A rule of this task; `seconds` is None where they were not measured."""

    name: str
    reads: list[str]
    jobs: int
    seconds: float | None


def steps_of(folder: Path, batches: int, absent: Collection[str] = ()) -> list[Step]:
    """The rules of a task in order, with the times in the receipts of their jobs."""
    return [
        Step(name, [one for one in reads if one not in absent], *measured(folder, name, batches))
        for name, reads in STEPS.items()
        if name not in absent
    ]


def measured(folder: Path, rule: str, batches: int) -> tuple[int, float | None]:
    """How many jobs of a rule left a receipt, and their seconds together."""
    # An earlier run with another number of batches may have left receipts too.
    pattern = f"*-of-{batches}" if rule == "fit_cells" else "*"
    receipts = folder / RECEIPTS
    files = [*receipts.glob(f"{rule}.json"), *receipts.glob(f"{rule}.{pattern}.json")]
    seconds = [one.seconds for file in files if (one := read_receipt(file)) is not None]
    return len(seconds), sum(seconds) if seconds else None


def direct(steps: Iterable[Step]) -> dict[str, list[str]]:
    """What each step reads, without what it also reaches through another step: fewer lines to draw."""
    above: dict[str, set[str]] = {}
    found = {}
    for step in steps:
        far = set[str]().union(*(above[one] for one in step.reads))
        above[step.name] = far | set(step.reads)
        found[step.name] = [one for one in step.reads if one not in far]
    return found


def places(reads: dict[str, list[str]]) -> dict[str, tuple[float, float]]:
    """The centre of each step's box: below the boxes of everything that it reads."""
    depth: dict[str, int] = {}
    for name, above in reads.items():
        depth[name] = 1 + max((depth[one] for one in above), default=-1)
    return {
        name: (
            1 + WIDE / 2 + LANES.get(name, 1) * (WIDE + GAP),
            1 + HIGH / 2 + row * (HIGH + LINE),
        )
        for name, row in depth.items()
    }


def drawing(steps: list[Step]) -> Markup:
    """An inline SVG: boxes from top to bottom, and lines from what is read to what reads it."""
    reads = direct(steps)
    place = places(reads)
    width = max(x for x, _ in place.values()) + WIDE / 2 + 1
    height = max(y for _, y in place.values()) + HIGH / 2 + 1
    lines = [_line(place[above], place[name]) for name in reads for above in reads[name]]
    boxes = [_box(step, *place[step.name]) for step in steps]
    label = "The steps of the workflow, from top to bottom; the table below says the same"
    return Markup(
        f'<svg class="dag" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'role="img" aria-label="{label}">{"".join(lines)}{"".join(boxes)}</svg>'
    )


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    y, v = y + HIGH / 2, v - HIGH / 2
    bend = min(LINE, v - y)
    return f'<path d="M{x:g} {y:g}V{v - bend:g}C{x:g} {v - bend / 2:g} {u:g} {v - bend / 2:g} {u:g} {v:g}"/>'


def _box(step: Step, x: float, y: float) -> str:
    corner = f'x="{x - WIDE / 2:g}" y="{y - HIGH / 2:g}" width="{WIDE}" height="{HIGH}" rx="5"'
    return f'<rect {corner}/><text x="{x:g}" y="{y + 4:g}">{escape(step.name.replace("_", " "))}</text>'


def as_json(steps: list[Step]) -> list[dict[str, Any]]:
    """The rows of the table of steps."""
    return [vars(step) | {"reads": ", ".join(step.reads)} for step in steps]
