"""Pages for the browser, and a browser for the pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.devtools import Tab, chromium
from browser.report_case import Case
from browser.report_pages import Write

from heldout.report import task


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes the page of a case, with held-out predictions if some are given."""

    def page(case: Case, predictions: dict[str, Any] | None = None) -> Path:
        held_out = predictions and {"how": "", "n": 200, **predictions}
        monkeypatch.setattr(task, "diagnostics", lambda *_: held_out)
        folder = case.write(tmp_path)
        path = folder / "report.html"
        path.write_text(task.report_page(folder, case.spec(), batches=1), encoding="utf-8")
        return path

    return page


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """One browser for all tests that drive it by remote control."""
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found
