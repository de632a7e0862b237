"""A figure of a benchmark run."""

from pathlib import Path
from typing import Any

OURS, THEIRS = "#1b6ca8", "#b8b8b8"


def draw_plot(found: dict[str, Any], path: Path) -> None:
    """Draw the seconds of both sides by size, and how a run grows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    axes: Any
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    for i, one in enumerate(found["nested"]):
        for side, name, colour in ((-0.2, "scikit-learn", THEIRS), (0.2, "heldout", OURS)):
            bar = axes[0].bar(i + side, one[name], 0.38, color=colour, label=name if i == 0 else "")
            axes[0].bar_label(bar, fmt="%.3g s", fontsize=8)
    labels = [f"{' + '.join(one['workloads'])}\nn = {one['n']}" for one in found["nested"]]
    axes[0].set_xticks(range(len(labels)), labels, fontsize=7)
    axes[0].set_yscale("log")
    axes[0].set_ylabel("seconds, log scale")
    axes[0].set_title("Nested 10-fold CV, cold, two cores", fontsize=10)
    axes[0].legend(frameon=False, fontsize=8)
    names = {"n": "rows n", "theta": "grid |Θ|", "k": "folds K"}
    for axis, seconds in found.get("growth", {}).items():
        first = min(seconds, key=int)
        times = [int(value) / int(first) for value in seconds]
        axes[1].plot(times, list(seconds.values()), marker="o", label=f"{names[axis]} from {first}")
    axes[1].set_xscale("log")
    axes[1].set_xlabel("times as much")
    axes[1].set_ylabel("seconds of a whole run")
    axes[1].set_title("k-NN, n = 2000, |Θ| = 30, K = 10, one of them grown", fontsize=10)
    axes[1].set_ylim(bottom=0)
    axes[1].legend(frameon=False, fontsize=8)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)
    plt.close(figure)
