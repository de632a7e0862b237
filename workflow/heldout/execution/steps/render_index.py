"""The results of all tasks → index.html."""

from pathlib import Path

from heldout.execution.specs.report import RenderIndex
from heldout.files import write_text
from heldout.report.overview import index_page


def main(folder: Path, spec: RenderIndex) -> None:
    """Render and write the page."""
    write_text(folder / "index.html", index_page(folder, spec.losses, spec.audits))
