"""Results of a task → figures for a paper, as PNG, SVG and PDF."""

from pathlib import Path
from typing import Any

from heldout.report.figures import draw_figures


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Draw and write the figures."""
    draw_figures(folder, spec)
