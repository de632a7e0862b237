"""Figures for papers, drawn with matplotlib: estimates, values by θ, and predictions."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.data.prepared import open_prepared
from heldout.errors import HeldoutError
from heldout.estimates.spec import LossTableSpec
from heldout.files import write_atomic
from heldout.measures.registry import loss_for
from heldout.results import glossary, headline
from heldout.results.display import Format
from heldout.results.over_time import over_time
from heldout.results.predictions import diagnostics
from heldout.results.scale import Scale, scale_of
from heldout.results.scores import scored
from heldout.results.tables import Row, Table
from heldout.results.tables import ALL
from heldout.results.task import TaskResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("png", "svg", "pdf")
UNDATED: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""Metadata without dates, so that the same results give the same files."""
COLOURS = {
    "apparent": "#b8720a",
    "chosen": "#2c6fa6",
    "corrected": "#7d55a6",
    "honest": "#2e7d5b",
    "other": "#747b81",
}
INK, SOFT, LINE = "#23282c", "#586067", "#dfdcd3"
STYLE = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.hashsalt": "heldout",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "savefig.bbox": "tight",
}
PANELS = 12
WIDTH = 6.8
"""Inches: the text width of an A4 page."""
LONGEST = 28
FOREIGN = 0x2E80
"""The first code point that matplotlib's font lacks: it would warn about each."""


def draw_figures(
    folder: Path, spec: LossTableSpec, batches: int, level: float, into: Path | None = None
) -> list[Path]:
    """Draw the figures of a task.

    Parameters
    ----------
    folder
        `results/TASK`.
    spec
        Which cells are read, and the loss.
    batches
        The number of batches that the cells were fitted in.
    level
        The confidence level.
    into
        Where to write them; `results/TASK/figures` by default.

    Returns
    -------
    list of pathlib.Path
        The files.
    """
    load_matplotlib()  # an error that says how to install it comes before the work
    selection = TaskResults(folder).selection
    held_out = diagnostics(folder, spec, batches, selection["learner"], selection["theta"], level)
    in_time = over_time(folder, spec, batches, selection, TaskResults(folder).table("folds"))
    return write_figures(folder, spec, held_out, in_time, into)


def write_figures(
    folder: Path,
    spec: LossTableSpec,
    held_out: Any,
    in_time: dict[str, Any] | None = None,
    into: Path | None = None,
) -> list[Path]:
    """Draw the figures from the tables of a task, `diagnostics` of its predictions, and its blocks of time."""
    matplotlib = load_matplotlib()
    results = TaskResults(folder)
    selection, estimates, risks = results.selection, results.estimates, results.table("risks")
    table = open_prepared(folder / "data")
    loss = loss_for(spec.loss, table.classes, table.class_counts)
    scale = scale_of(loss, estimates)
    learners = [learner.as_spec() for learner in spec.learners]
    baselines = headline.baselines(learners)
    from heldout.results.figures import over_time as blocks
    from heldout.results.figures import predictions, tuning

    drawers: dict[str, Callable[[], Figure]] = {
        "estimates": lambda: estimates_figure(estimates, baselines, scale),
        "tuning": lambda: tuning.tuning_figure(
            scored(risks, loss), selection, learners, scale
        ),
        "predictions": lambda: predictions.predictions_figure(held_out),
        "over_time": lambda: blocks.time_figure(in_time, scale),
    }
    if into is not None and in_time is None:  # the workflow declares every figure; nobody else needs a note
        del drawers["over_time"]
    with matplotlib.rc_context(STYLE):
        return [
            path
            for name, draw in drawers.items()
            for path in save(draw(), into or folder / "figures", name)
        ]


def load_matplotlib() -> Any:
    """Import matplotlib without a display; if it is not installed, the error says how to."""
    matplotlib = find_matplotlib("figures: true needs")
    matplotlib.use("agg")
    return matplotlib


def find_matplotlib(needs: str) -> Any:
    """Import matplotlib with the display that it finds; if it is not installed, the error says how to."""
    try:
        import matplotlib
    except ImportError:
        raise HeldoutError(
            f"{needs} matplotlib, which is not installed; "
            "run: pip install matplotlib (or pip install -e '.[figures]')"
        ) from None
    return matplotlib


def save(drawn: "Figure", folder: Path, name: str) -> list[Path]:
    """Write one figure in every format."""
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        write_atomic(
            folder / f"{name}.{kind}",
            lambda file, kind=kind: drawn.savefig(file, format=kind, metadata=UNDATED[kind]),  # type: ignore[misc]
        )
    plt.close(drawn)
    return [folder / f"{name}.{kind}" for kind in KINDS]


# --- every estimate: dots and intervals ------------------------------------------------------


def estimates_figure(estimates: Table, baselines: list[str], scale: Scale) -> "Figure":
    """A panel for the whole procedure and one for each learner, with recommended intervals.

    Baselines are left out: they are so far off that the others could not be distinguished.
    """
    from matplotlib import pyplot as plt

    names = glossary.in_order({row["estimator"] for row in estimates.rows})
    recommended = estimates.recommended()
    learners = list(dict.fromkeys(learner for learner, _ in recommended))
    first = [name for name in learners if name == ALL]
    real = [name for name in learners if name != ALL and name not in baselines]
    panels = [*first, *(real or learners)][:PANELS]
    across = 2 if len(panels) in (2, 4) else min(3, len(panels))
    down = math.ceil(len(panels) / across)
    drawn, axes = plt.subplots(
        *(down, across), figsize=(WIDTH, 0.75 + down * (0.55 + 0.19 * len(names))),
        sharex=True, sharey=True, squeeze=False, layout="constrained",
    )  # fmt: skip
    for axis, name in zip(axes.flat, panels, strict=False):
        rows = {kind: row for (who, kind), row in recommended.items() if who == name}
        estimates_panel(axis, rows, names, short(headline.learner_title(name)))
        percent_axis(axis.xaxis, scale.show)
    for i, axis in enumerate(axes.flat):
        axis.set_visible(i < len(panels))
        axis.tick_params(labelbottom=i + across >= len(panels))
    drawn.supxlabel(scale.axis, fontsize=9)
    return drawn


def estimates_panel(axis: "Axes", rows: dict[str, Row], names: list[str], title: str) -> None:
    """One learner's estimates, the most optimistic at the top."""
    for i, name in enumerate(names):
        if name in rows and rows[name]["score"] is not None:
            row, entry = rows[name], glossary.estimator(name)
            colour = COLOURS[entry.role]
            ends = [row["score_low"], row["score_high"]]
            if None not in ends:
                axis.plot(ends, [i, i], color=colour, alpha=0.5, lw=2.2)
            axis.plot(
                *(row["score"], i), "D" if name == "test" else "o", color=colour, ms=4.5,
                mfc="white" if entry.role == "apparent" else colour,
            )  # fmt: skip
    axis.set_yticks(range(len(names)), [glossary.estimator(name).title for name in names])
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.set_title(title)


# --- shared by all figures -------------------------------------------------------------------


def percent_axis(axis: Any, show: Format) -> None:
    """Show percentages on an axis, if values are percentages."""
    if show.percent:
        axis.set_major_formatter(lambda value, _: f"{round(100 * value, 4):g} %")


def short(name: str, most: int = LONGEST) -> str:
    """A name, cut to fit over a panel, in characters that the font has."""
    kept = "".join(c if c.isprintable() and ord(c) < FOREIGN else "□" for c in name)
    cut = kept if len(kept) <= most else kept[: most - 1] + "…"
    return cut.replace("$", r"\$")  # text between two dollar signs would be set as a formula


def note_figure(text: str) -> "Figure":
    """A figure with a text, where there is nothing to draw."""
    from matplotlib import pyplot as plt

    drawn, axis = plt.subplots(figsize=(WIDTH, 1), layout="constrained")
    axis.set_axis_off()
    axis.text(0.5, 0.5, text, ha="center", va="center", color=SOFT)
    return drawn
