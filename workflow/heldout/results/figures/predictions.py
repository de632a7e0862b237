"""The figure of held-out predictions: ROC and calibration, or predicted versus true."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot as plt

from heldout.results.figures.drawing import INK, SOFT, WIDTH, note_figure, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = ("#2c6fa6", "#b8720a", "#16807f", "#bd4f75", "#7d55a6", "#7a7a1e", "#8b6246", "#2e7d5b")


def predictions_figure(held_out: dict[str, Any] | None) -> "Figure":
    """The figure of the selected model's predictions for held-out rows."""
    if held_out is None:
        return note_figure("No estimator of this task holds rows out in a way that can be drawn.")
    if held_out["kind"] == "regression":
        return regression_figure(held_out)
    if not held_out["curves"]:
        return confusion_figure(held_out)
    return curves_figure(held_out)


def regression_figure(held_out: dict[str, Any]) -> "Figure":
    """Predicted versus true values, and the residuals."""
    drawn, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.1), layout="constrained")
    columns = dict(zip(held_out["points"]["columns"], held_out["points"]["values"], strict=True))
    true, predicted = columns["true"], columns["predicted"]
    ends = [min(*true, *predicted), max(*true, *predicted)]
    left.plot(ends, ends, color=SOFT, lw=0.8, ls="--")
    left.plot(true, predicted, "o", color=SERIES[0], ms=2.6, alpha=0.55, mew=0)
    left.set(xlabel="True", ylabel="Predicted", title="Predicted versus true")
    bins = dict(zip(held_out["histogram"]["columns"], held_out["histogram"]["values"], strict=True))
    edges = [*bins["low"], bins["high"][-1]]
    right.stairs(bins["count"], edges, fill=True, color=SERIES[0], alpha=0.75)
    right.axvline(0, color=INK, lw=0.8, ls="--")
    right.set(xlabel="True − predicted", ylabel="Rows", title="Residuals")
    return drawn


def curves_figure(held_out: dict[str, Any]) -> "Figure":
    """ROC curves, and calibration where the model gives probabilities."""
    count = 2 if held_out["calibration"] else 1
    size = (WIDTH if count == 2 else WIDTH / 2, 3.4)
    drawn, axes = plt.subplots(1, count, figsize=size, squeeze=False, layout="constrained")
    names, shown = held_out["classes"], held_out["curves"][: len(SERIES)]
    roc = axes[0, 0]
    square(roc, "False positive rate", "True positive rate", "ROC")
    for colour, curve in zip(SERIES, shown, strict=False):
        mean = "mean AUC" if curve["sets"] > 1 else "AUC"
        label = f"{short(names[curve['class']])}, {mean} {curve['auc']:.3f}"
        for one in curve["each"]:
            roc.plot(one["false"], one["true"], color=colour, lw=0.5, alpha=0.4)
        roc.plot(curve["false"], curve["true"], color=colour, lw=1.4, label=label)
    roc.legend(loc="lower right")
    if count == 2:
        square(axes[0, 1], "Predicted probability", "Observed share", "Calibration")
        if len(names) == 2:
            rarer = names[held_out["calibration"][0]["class"]]
            axes[0, 1].set_title(f"Calibration, {short(rarer)}")
        for colour, one in zip(SERIES, held_out["calibration"], strict=False):
            calibration(axes[0, 1], one["bins"], colour)
    return drawn


def calibration(axis: "Axes", bins: list[dict[str, float]], colour: str) -> None:
    """Bins of one class, with intervals."""
    x = [one["predicted"] for one in bins]
    y = np.array([one["observed"] for one in bins])
    away = [y - [one["low"] for one in bins], [one["high"] for one in bins] - y]
    axis.errorbar(
        x, y, yerr=np.maximum(away, 0), fmt="o-", color=colour, ms=3, lw=1.1, elinewidth=0.8
    )


def square(axis: "Axes", x: str, y: str, title: str) -> None:
    """Both axes from 0 to 1, with the diagonal."""
    axis.plot([0, 1], [0, 1], color=SOFT, lw=0.8, ls="--")
    axis.set(
        xlabel=x, ylabel=y, title=title, aspect="equal", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02)
    )


def confusion_figure(held_out: dict[str, Any]) -> "Figure":
    """The confusion matrix, for a model that gives only labels."""
    counts, names = np.array(held_out["confusion"]), [short(name) for name in held_out["classes"]]
    drawn, axis = plt.subplots(figsize=(WIDTH / 1.6, WIDTH / 2), layout="constrained")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    if len(names) <= 12:
        for (i, j), count in np.ndenumerate(counts):
            axis.text(j, i, str(count), ha="center", va="center", color="white" if shares[i, j] > 0.5 else INK)  # fmt: skip
    axis.set_xticks(range(len(names)), names, rotation=45 if len(names) > 4 else 0)
    axis.set_yticks(range(len(names)), names)
    axis.set(xlabel="Predicted", ylabel="True", title="Held-out rows")
    return drawn
