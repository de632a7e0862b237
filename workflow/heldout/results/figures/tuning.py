"""The figure of values versus θ: a curve for one hyper-parameter, a heat map for two."""

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot as plt

from heldout.names import canonical
from heldout.results import glossary
from heldout.results.display import significant
from heldout.results.figures.drawing import INK, SOFT, WIDTH, note_figure, percent_axis, short
from heldout.results.grids import describe_grids
from heldout.results.scale import Scale
from heldout.results.tables import Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = {
    "training": "#b8720a",
    "holdout": "#7d55a6",
    "kfold": "#2c6fa6",
    "loo": "#16807f",
    "montecarlo": "#bd4f75",
    "bootstrap_632plus": "#2e7d5b",
}
"""The estimators that are drawn, and their colours."""
PANELS = 24
TICKS = 7


def tuning_figure(
    risks: Table,
    selection: dict[str, Any],
    learners: list[dict[str, Any]],
    scale: Scale,
) -> "Figure":
    """A panel per learner that has more than one θ."""
    selected = {name: entry["theta"] for name, entry in selection["learners"].items()}
    grids = describe_grids(risks.rows, selected, selection["by"], learners)[:PANELS]
    if not grids:
        return note_figure("No learner has more than one θ.")
    across = min(2, len(grids))
    down = math.ceil(len(grids) / across)
    drawn, axes = plt.subplots(
        *(down, across), figsize=(WIDTH, 0.5 + 2.3 * down), squeeze=False, layout="constrained"
    )
    for axis, grid in zip(axes.flat, grids, strict=False):
        rows = risks.where(learner=grid["learner"])
        panel(axis, grid, rows, selection["by"], scale)
    for axis in list(axes.flat)[len(grids) :]:
        axis.set_visible(False)
    drawn.supylabel(scale.axis, fontsize=9)
    legend(drawn, axes)
    return drawn


def legend(drawn: "Figure", axes: Any) -> None:
    """One legend for all panels."""
    found = {
        label: line
        for axis in axes.flat
        for line, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    if found:
        drawn.legend(found.values(), found.keys(), loc="outside upper center", ncols=len(found))


def panel(axis: "Axes", grid: dict[str, Any], rows: list[Row], by: str, scale: Scale) -> None:
    """One learner."""
    axis.set_title(short(grid["learner"]))
    if grid["kind"] == "curve":
        curve_panel(axis, grid, rows, by)
    elif grid["kind"] == "heat":
        heat_panel(axis, grid, [row for row in rows if row["estimator"] == by], scale)
        return
    else:
        ranked_panel(axis, rows, by)
    percent_axis(axis.yaxis, scale.show)
    axis.grid(axis="y")


# --- one hyper-parameter ---------------------------------------------------------------------


def curve_panel(axis: "Axes", grid: dict[str, Any], rows: list[Row], by: str) -> None:
    """Risks along one hyper-parameter, with the interval of the estimate that selects as a band."""
    [moving] = grid["axes"]
    where = positions(moving)

    def place(theta: dict[str, Any]) -> float:
        return where[json.dumps(theta.get(moving["name"]))]

    for name, colour in SERIES.items():
        own = sorted(
            ((place(json.loads(row["theta"])), row) for row in rows if row["estimator"] == name),
            key=lambda pair: pair[0],
        )
        if own:
            draw_series(axis, own, name, colour, band=name == by)
    for theta, style in ((grid["selected"], "--"), (grid["one_se"], ":")):
        if theta is not None:
            axis.axvline(place(theta), color=INK, lw=0.8, ls=style)
    axis.set_xlabel(short(moving["name"]))
    if moving["scale"] == "log":
        axis.set_xscale("log")
        axis.minorticks_off()
    elif moving["scale"] != "linear":
        name_ticks(axis.xaxis, moving["values"])


def draw_series(
    axis: "Axes", own: list[tuple[float, Row]], name: str, colour: str, band: bool
) -> None:
    """One estimator's values."""
    x = [place for place, _ in own]
    axis.plot(
        x, [row["score"] for _, row in own], "o-", color=colour, lw=1.3, ms=3,
        label=glossary.estimator(name).title,
    )  # fmt: skip
    if band and all(row["score_low"] is not None for _, row in own):
        low, high = ([row[key] for _, row in own] for key in ("score_low", "score_high"))
        axis.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)


def positions(moving: dict[str, Any]) -> dict[str, float]:
    """The position of each value on the axis: the value itself for numbers, else its rank."""
    numeric = moving["scale"] in ("linear", "log")
    return {
        json.dumps(value): float(value) if numeric else float(i)
        for i, value in enumerate(moving["values"])
    }


# --- two, and more ---------------------------------------------------------------------------


def heat_panel(axis: "Axes", grid: dict[str, Any], rows: list[Row], scale: Scale) -> None:
    """The value that selects, for each pair of values of θ; the brighter, the better."""
    x, y = grid["axes"]
    columns, lines = ({json.dumps(v): i for i, v in enumerate(one["values"])} for one in (x, y))
    values = np.full((len(lines), len(columns)), np.nan)
    for row in rows:
        theta = json.loads(row["theta"])
        spot = lines[json.dumps(theta.get(y["name"]))], columns[json.dumps(theta.get(x["name"]))]
        values[spot] = math.nan if row["score"] is None else row["score"]
    colours = "viridis" if scale.loss.greater else "viridis_r"
    image = axis.imshow(values, cmap=colours, aspect="auto", origin="lower")
    bar = axis.figure.colorbar(image, ax=axis, pad=0.02)
    percent_axis(bar.ax.yaxis, scale.show)
    for one, line in ((x, axis.xaxis), (y, axis.yaxis)):
        name_ticks(line, one["values"])
        line.set_label_text(short(one["name"]))
    chosen = grid["selected"]
    if chosen is not None:
        spot = columns[json.dumps(chosen.get(x["name"]))], lines[json.dumps(chosen.get(y["name"]))]
        axis.plot(*spot, "s", mfc="none", mec=INK, mew=1.6, ms=8)


def ranked_panel(axis: "Axes", rows: list[Row], by: str) -> None:
    """Grids with more axes: every θ by its rank."""
    order = [row["theta"] for row in rows if row["estimator"] == by]
    risk = {
        canonical(json.loads(row["theta"])): row["risk"] for row in rows if row["estimator"] == by
    }
    order.sort(key=lambda theta: risk[canonical(json.loads(theta))])
    rank = {theta: i + 1 for i, theta in enumerate(order)}
    for name, colour in SERIES.items():
        own = [(rank[row["theta"]], row) for row in rows if row["estimator"] == name]
        if own and order:
            own.sort(key=lambda pair: pair[0])
            draw_series(axis, [(float(i), row) for i, row in own], name, colour, band=name == by)
    axis.set_xlabel("θ, by rank")


def name_ticks(line: Any, values: list[Any]) -> None:
    """Label ticks with values; if there are many, with some of them."""
    step = max(1, math.ceil(len(values) / TICKS))
    shown = list(range(0, len(values), step))
    line.set_ticks(shown, [tick_text(values[i]) for i in shown])
    line.set_tick_params(color=SOFT)


def tick_text(value: Any) -> str:
    """A value of a hyper-parameter, shortened."""
    return short("none" if value is None else significant(value, 3), 12)
