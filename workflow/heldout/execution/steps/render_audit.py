"""audit.csv → audit.html."""

from pathlib import Path

from heldout.audit.page import audit_page
from heldout.execution.specs.audit import RenderAudit
from heldout.files import write_text


def main(folder: Path, spec: RenderAudit) -> None:
    """Render and write the page."""
    write_text(folder / "audit.html", audit_page(folder, spec.page))
