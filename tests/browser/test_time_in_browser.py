"""Risk over time in a real browser: every block of every learner, and the choices before them."""

from pathlib import Path

import numpy as np
import pytest
from browser.chromium import drive, needs_browser
from inprocess import Run, run_step, run_task

from heldout.execution.study import Study

pytestmark = needs_browser

TIME = """
const dots = () => document.querySelectorAll("#over-time g[aria-label=dot] circle").length;
const texts = (place) => [...document.querySelectorAll(place)].map((node) => node.textContent);
const all = { dots: dots(), key: texts("#over-time .key li"), axis: texts("#over-time g[aria-label='x-axis label']") };
const select = document.querySelector("#over-time select");
select.value = "ridge";
select.dispatchEvent(new Event("change"));
document.querySelector("#over-time details").open = true;
await new Promise((done) => setTimeout(done, 50));
return {
  all,
  one: dots(),
  rows: [...document.querySelectorAll("#over-time tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
  folds: document.querySelectorAll("#all-folds g[aria-label=dot] circle").length,
  predictions: document.querySelectorAll("#held-out svg[role=img]").length,
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
};
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """120 days, eight blocks, a ridge regression and its baseline."""
    folder, draw = tmp_path_factory.mktemp("time"), np.random.default_rng(2)
    days = np.datetime64("2024-01-01") + np.arange(120)
    x = draw.normal(size=120)
    lines = [
        f"{day},{a:.4f},{a + b:.4f}"
        for day, a, b in zip(days, x, draw.normal(size=120), strict=True)
    ]
    (folder / "table.csv").write_text("\n".join(["day,x,y", *lines]) + "\n")
    task = {
        "data": str(folder / "table.csv"), "target": "y", "time": "day", "rolling": {"blocks": 8},
        "learners": ["mean", "ridge"],
    }  # fmt: skip
    ridge = {"estimator": "ridge", "grid": {"alpha": [1, 100]}}
    config = {"tasks": {"t": task}, "learners": {"ridge": ridge}}
    run = run_task(config, folder / "run")
    run_step(Study(config), run.folder, "render_report", "t")
    return run


@pytest.mark.parametrize("width", [1300, 380])
def test_every_block_is_drawn(finished: Run, tmp_path: Path, width: int) -> None:
    found = drive(finished.folder / "report.html", tmp_path / "profile", TIME, width)
    tested, chosen = 7, 6
    assert found["all"]["dots"] == 2 * tested + chosen
    assert found["all"]["axis"] == ["day"]
    assert found["all"]["key"] == [
        "mean, selected θ", "ridge, selected θ", "all learners together, tuned before each block",
    ]  # fmt: skip
    assert found["one"] == tested + chosen
    assert found["rows"][0][:3] == ["2", "2024-01-13", "2024-01-24"]
    assert len(found["rows"]) == tested + chosen
    assert (found["folds"], found["predictions"]) == (chosen, 3)
    assert found["wide"] <= 0
