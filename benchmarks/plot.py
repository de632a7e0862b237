"""Figures of a benchmark run."""

from pathlib import Path
from typing import Any

OURS, THEIRS = "#1b6ca8", "#b8b8b8"


def draw_plot(four: list[dict[str, Any]], growth: dict[str, dict[str, float]], path: Path) -> None:
    """Draw the seconds of both sides of the four workloads by size, and how a run grows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    axes: Any
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    for i, one in enumerate(four):
        for side, name, colour in ((-0.2, "scikit-learn", THEIRS), (0.2, "heldout", OURS)):
            bar = axes[0].bar(i + side, one[name], 0.38, color=colour, label=name if i == 0 else "")
            axes[0].bar_label(bar, fmt="%.3g s", fontsize=8)
    labels = [f"{' + '.join(one['workloads'])}\nn = {one['n']}" for one in four]
    axes[0].set_xticks(range(len(labels)), labels, fontsize=7)
    axes[0].set_yscale("log")
    axes[0].set_ylabel("seconds, log scale")
    axes[0].set_title("Nested 10-fold CV, cold, two cores", fontsize=10)
    axes[0].legend(frameon=False, fontsize=8)
    names = {"n": "rows n", "theta": "grid |Θ|", "k": "folds K"}
    for axis, seconds in growth.items():
        first = min(seconds, key=int)
        times = [int(value) / int(first) for value in seconds]
        axes[1].plot(times, list(seconds.values()), marker="o", label=f"{names[axis]} from {first}")
    axes[1].set_xscale("log")
    axes[1].set_xlabel("times as much")
    axes[1].set_ylabel("seconds of a whole run")
    axes[1].set_title("k-NN, n = 2000, |Θ| = 30, K = 10, one of them grown", fontsize=10)
    axes[1].set_ylim(bottom=0)
    if growth:
        axes[1].legend(frameon=False, fontsize=8)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)
    plt.close(figure)


def draw_goals(found: dict[str, dict[str, Any]], path: Path) -> None:
    """Draw heldout's seconds over those of each peer, and the goals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rows = [
        (f"{name} / {peer}", said["ratio"], one["at most"].get(peer))
        for name, one in found.items()
        for peer, said in one["peers"].items()
    ]
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.3 * len(rows)), layout="constrained")
    for i, (_, ratio, goal) in enumerate(rows):
        bar = axes.barh(i, ratio, 0.6, color=OURS)
        axes.bar_label(bar, fmt=" %.2g", fontsize=8)
        if goal is not None:
            axes.plot([goal, goal], [i - 0.4, i + 0.4], color="black")
    axes.axvline(1, color=THEIRS, zorder=0)
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("heldout's seconds over the peer's, log scale; black: the goal")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)
    plt.close(figure)
