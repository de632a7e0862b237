"""Results of a task → figures for a paper, as PNG, SVG and PDF."""

from pathlib import Path

from heldout.execution.specs.report import DrawFigures
from heldout.results.figures.drawing import draw_figures


def main(folder: Path, spec: DrawFigures, batches: int) -> None:
    """Draw and write the figures."""
    draw_figures(folder, spec.cells, batches, spec.level)
