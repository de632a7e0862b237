"""Everything about a task → report.html."""

from pathlib import Path

from heldout.execution.specs.report import RenderReport
from heldout.files import write_text
from heldout.report.task import report_page


def main(folder: Path, spec: RenderReport, batches: int) -> None:
    """Render and write the page."""
    write_text(folder / "report.html", report_page(folder, spec.page, batches))
