"""The page of an audit in a real browser."""

from pathlib import Path

import pytest
from audit_run import run_audit
from browser.axe import violations
from browser.chromium import needs_browser
from browser.devtools import Tab
from browser.report_case import csv_rows

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    task = {
        "data": "oracle:gaussian_linear",
        "target": "y",
        "loss": "squared",
        "test": 0,
        "estimators": ["training", "kfold", "min_cv", "nested_cv"],
        "kfold": {"k": 4},
        "learners": ["ridge"],
        "audit": {"replicates": 6, "m": [24, 40], "batch": 6},
    }
    ridge = {"estimator": "ridge", "grid": {"alpha": [0.1, 10]}}
    run_audit({"tasks": {"t": task}, "learners": {"ridge": ridge}}, folder, steps=["render_audit"])
    return folder / "audit.html"


@pytest.mark.parametrize("width", [390, 1300])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    tab: Tab, page: Path, width: int, dark: bool
) -> None:
    tab.open(page, width, dark)
    assert tab.complaints() == []
    assert tab.requests() == [page.as_uri()]
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert violations(tab) == []


def test_every_estimate_has_its_marks(tab: Tab, page: Path) -> None:
    rows = csv_rows(page.parent / "audit.csv")
    tab.open(page)
    for chart in ("#bias-chart", "#coverage-chart"):
        shown = tab.run(f"document.querySelectorAll('{chart} g[aria-label=dot] circle').length")
        assert shown >= len({(row["m"], row["estimator"]) for row in rows if row["interval"]})
    listed = tab.run("document.querySelectorAll('#all-numbers tbody tr').length")
    assert 0 < listed <= len(rows)
