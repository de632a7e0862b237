"""The figure of risk over time: each block between its first and its last time."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from matplotlib import pyplot as plt

from heldout.measures.loss import Loss
from heldout.results import headline
from heldout.results.figures.predictions import SERIES
from heldout.results.figures.drawing import SOFT, WIDTH, note_figure, percent_axis, short
from heldout.results.scale import Scale
from heldout.results.tables import unpack
from heldout.results.tables import ALL

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def time_figure(in_time: dict[str, Any] | None, scale: Scale) -> "Figure":
    """Each learner at its selected θ, and the whole procedure tuned before each block."""
    if in_time is None:
        return note_figure("The rows of this task are in no time order.")
    drawn, axis = plt.subplots(figsize=(WIDTH, 3.3), layout="constrained")
    series: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in unpack(in_time["table"]):
        if row["estimator"] == "rolling" or row["learner"] == ALL:
            series.setdefault((row["learner"], row["estimator"]), []).append(row)
    for i, ((learner, estimator), rows) in enumerate(series.items()):
        tuned, colour = estimator == "nested_rolling", SERIES[i] if i < len(SERIES) else SOFT
        starts, ends, middles = zip(*(_span(row, in_time["dates"]) for row in rows), strict=True)
        values = [_shown(row["risk"], scale.loss) for row in rows]
        axis.hlines(values, starts, ends, color=colour, lw=1.6)
        what = "tuned before each block" if tuned else "selected θ"
        axis.plot(
            *(middles, values), "o-", color=colour, ms=4 if tuned else 3, lw=0.5,
            mfc=colour if tuned else "white",
            label=f"{short(headline.learner_title(learner))}, {what}",
        )  # fmt: skip
    axis.set(xlabel=short(str(in_time["column"])), ylabel=scale.axis)
    percent_axis(axis.yaxis, scale.show)
    axis.grid(axis="y")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    if in_time["dates"]:
        drawn.autofmt_xdate(rotation=0, ha="center")
    return drawn


def _span(row: dict[str, Any], dates: bool) -> tuple[Any, Any, Any]:
    """The start, the end and the middle of a block."""
    values = row["start"], row["end"], (row["start"] + row["end"]) / 2
    first, last, middle = (datetime.fromtimestamp(one, UTC) if dates else one for one in values)
    return first, last, middle


def _shown(risk: float, loss: Loss) -> float:
    """A risk as people read it."""
    return loss.score(risk)
