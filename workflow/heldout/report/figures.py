"""Figures for a paper, by matplotlib: the estimates, the risk of each θ, and the predictions."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.errors import HeldoutError
from heldout.estimates.spec import LossTableSpec
from heldout.files import read_json, write_atomic
from heldout.measures.losses import loss_for
from heldout.report import answer, glossary
from heldout.report.display import Format, format_for
from heldout.report.predictions import diagnostics
from heldout.results.tables import Row, Table, read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("png", "svg", "pdf")
UNDATED: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""The same results give the same files, bit for bit."""
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
"""Inches: the text of an A4 page."""
LONGEST = 28
FOREIGN = 0x2E80
"""From here on matplotlib's own font has no characters, and would warn."""


def draw_figures(folder: Path, spec: LossTableSpec, batches: int) -> None:
    """Draw and write every figure of a task."""
    matplotlib = load_matplotlib()
    facts, selection = (
        read_json(folder / "data" / "table.json"),
        read_json(folder / "selection.json"),
    )
    loss = loss_for(spec.loss, facts["schema"]["target"]["classes"] is not None)
    estimates, risks = table(folder / "estimates.csv"), table(folder / "risks.csv")
    show = format_for(
        loss.name, [r["risk"] for r in estimates.rows if r["estimator"] != "training"]
    )
    learners = [learner.as_spec() for learner in spec.learners]
    baselines = answer.baselines(learners)
    held_out = diagnostics(folder, spec, batches, selection["learner"], selection["theta"])
    from heldout.report import figure_predictions, figure_tuning

    drawers: dict[str, Callable[[], Figure]] = {
        "estimates": lambda: estimates_figure(estimates, baselines, show, loss.title),
        "tuning": lambda: figure_tuning.tuning_figure(risks, selection, learners, show, loss.title),
        "predictions": lambda: figure_predictions.predictions_figure(held_out),
    }
    with matplotlib.rc_context(STYLE):
        for name, draw in drawers.items():
            save(draw(), folder / "figures", name)


def load_matplotlib() -> Any:
    """Matplotlib without a screen, or a sentence that says how to get it."""
    try:
        import matplotlib
    except ImportError:
        raise HeldoutError(
            "figures: true needs matplotlib, which is not installed; "
            "run: pip install matplotlib (or pip install -e '.[figures]')"
        ) from None
    matplotlib.use("agg")
    return matplotlib


def save(drawn: "Figure", folder: Path, name: str) -> None:
    """Write one figure in every format."""
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        write_atomic(
            folder / f"{name}.{kind}",
            lambda file, kind=kind: drawn.savefig(file, format=kind, metadata=UNDATED[kind]),  # type: ignore[misc]
        )
    plt.close(drawn)


def table(path: Path) -> Table:
    """A csv file, which may be empty."""
    return read_table(path) or Table([], [])


# --- every estimate: dots and intervals ------------------------------------------------------


def estimates_figure(estimates: Table, baselines: list[str], show: Format, loss: str) -> "Figure":
    """A panel for the whole procedure and one for each learner, with recommended intervals.

    Learners that ignore the features are left out: they would squeeze the others into a corner.
    """
    from matplotlib import pyplot as plt

    names = glossary.in_order({row["estimator"] for row in estimates.rows})
    learners = list(dict.fromkeys(row["learner"] for row in estimates.rows))
    first = [name for name in learners if name == answer.ALL]
    real = [name for name in learners if name != answer.ALL and name not in baselines]
    panels = [*first, *(real or learners)][:PANELS]
    across = 2 if len(panels) in (2, 4) else min(3, len(panels))
    down = math.ceil(len(panels) / across)
    drawn, axes = plt.subplots(
        *(down, across), figsize=(WIDTH, 0.75 + down * (0.55 + 0.19 * len(names))),
        sharex=True, sharey=True, squeeze=False, layout="constrained",
    )  # fmt: skip
    for axis, name in zip(axes.flat, panels, strict=False):
        rows = {row["estimator"]: row for row in reversed(estimates.where(learner=name))}
        estimates_panel(axis, rows, names, short(answer.learner_title(name)))
        percent_axis(axis.xaxis, show)
    for i, axis in enumerate(axes.flat):
        axis.set_visible(i < len(panels))
        axis.tick_params(labelbottom=i + across >= len(panels))
    drawn.supxlabel(f"Risk: {loss}", fontsize=9)
    return drawn


def estimates_panel(axis: "Axes", rows: dict[str, Row], names: list[str], title: str) -> None:
    """One learner's estimates, the most optimistic at the top."""
    for i, name in enumerate(names):
        if name in rows and rows[name]["risk"] is not None:
            row, entry = rows[name], glossary.estimator(name)
            colour = COLOURS[entry.role]
            if row["ci_low"] is not None and row["ci_high"] is not None:
                axis.plot([row["ci_low"], row["ci_high"]], [i, i], color=colour, alpha=0.5, lw=2.2)
            axis.plot(
                *(row["risk"], i), "D" if name == "test" else "o", color=colour, ms=4.5,
                mfc="white" if entry.role == "apparent" else colour,
            )  # fmt: skip
    axis.set_yticks(range(len(names)), [glossary.estimator(name).title for name in names])
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.set_title(title)


# --- shared parts ----------------------------------------------------------------------------


def percent_axis(axis: Any, show: Format) -> None:
    """Shares of errors are percentages on an axis as well."""
    if show.percent:
        axis.set_major_formatter(lambda value, _: f"{round(100 * value, 4):g} %")


def short(name: str, most: int = LONGEST) -> str:
    """A name that fits over a panel, in characters that every font has."""
    kept = "".join(c if c.isprintable() and ord(c) < FOREIGN else "□" for c in name)
    cut = kept if len(kept) <= most else kept[: most - 1] + "…"
    return cut.replace("$", r"\$")  # else what is between two of them would be a formula


def note_figure(text: str) -> "Figure":
    """Where there is nothing to draw, a figure that says why."""
    from matplotlib import pyplot as plt

    drawn, axis = plt.subplots(figsize=(WIDTH, 1), layout="constrained")
    axis.set_axis_off()
    axis.text(0.5, 0.5, text, ha="center", va="center", color=SOFT)
    return drawn
