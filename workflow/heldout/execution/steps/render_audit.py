"""audit.csv → audit.html."""

from pathlib import Path
from typing import Any

from heldout.audit.page import audit_page
from heldout.files import write_text


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Render and write the page."""
    write_text(folder / "audit.html", audit_page(folder, spec))
