"""Everything about a task → report.html."""

from pathlib import Path
from typing import Any

from heldout.files import write_text
from heldout.report.task import report_page


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Render and write the page."""
    write_text(folder / "report.html", report_page(folder, spec))
