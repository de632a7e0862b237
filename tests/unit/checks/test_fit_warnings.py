"""Warnings of fits reach checks.csv (H016), by learner and θ."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_step, run_task
from tables import write_csv

from heldout.cells.manifest import CellWarnings
from heldout.checks.fits import fits_without_warnings
from heldout.execution.study import Study
from heldout.numerics.fit_warning import FitWarning


@pytest.fixture
def finished(tmp_path: Path) -> Any:
    generator = np.random.default_rng(4)
    features = generator.normal(size=(60, 6)) * [1, 1, 1, 1, 50, 100]
    label = np.where(features[:, 0] + generator.normal(size=60) > 0, "b", "a")
    columns = {f"x{i}": features[:, i].tolist() for i in range(6)} | {"y": label.tolist()}

    def run(iterations: list[int]) -> Run:
        task = {
            "data": write_csv(tmp_path / "table.csv", columns),
            "target": "y",
            "test": 0,
            "kfold": {"k": 4},
            "estimators": ["kfold"],
            "learners": ["plain", "majority"],
        }
        plain = {
            "estimator": "sklearn.linear_model.LogisticRegression",
            "scale": False,
            "grid": {"max_iter": iterations},
        }
        config = {"tasks": {"t": task}, "learners": {"plain": plain}}
        found = run_task(config, tmp_path / str(iterations))
        run_step(Study({**config, "batches": 1}), found.folder, "render_report", "t")
        return found

    return run


def test_fits_that_do_not_converge_are_counted_by_theta(finished: Any) -> None:
    run = finished([2, 3, 2000])
    row = run.check("H016")
    assert (row.status, row.severity) == ("fail", "warning")
    assert row.message.startswith(
        "8 of 16 fits gave warnings. ConvergenceWarning: lbfgs failed to converge"
    )
    assert 'plain {"max_iter":2}: 4 of 4 fits' in row.message
    assert 'plain {"max_iter":3}: 4 of 4 fits' in row.message
    assert "2000" not in row.message
    assert "8 fits did not converge: raise max_iter, scale the features" in row.message
    concerned = run.selection["theta"].get("max_iter") in (2, 3)
    assert ("The selected θ is concerned: 4 of its 4 fits" in row.message) == concerned
    assert ("The selected θ is not concerned" in row.message) != concerned
    assert "8 of 16 fits gave warnings" in (run.folder / "report.html").read_text(encoding="utf-8")


def context(warnings: list[CellWarnings], theta: dict[str, Any]) -> Any:
    fits = Counter((one.learner, one.theta) for one in warnings)
    selection = {"learner": "l", "theta": theta}
    return SimpleNamespace(warnings=warnings, fits=fits, selection=selection)


def test_only_some_of_many_thetas_are_named_the_most_concerned_first() -> None:
    text = FitWarning("ConvergenceWarning", "did not converge: try more. And more.", 1)
    warnings = [CellWarnings("l", f'{{"C":{c}}}', "full", (text,)) for c in [*range(7), 4, 4]]
    message = fits_without_warnings(context(warnings, {"C": 9})).message
    start = "9 of 9 fits gave warnings. ConvergenceWarning: did not converge: try more ("
    assert message.startswith(start + 'l {"C":4}: 3 of 3 fits, l {"C":0}: 1 of 1 fit, ')
    assert "and 2 more θ). The selected θ is not concerned. 9 fits did not converge" in message


@pytest.mark.parametrize(("theta", "concerned"), [({"C": 1}, True), ({"C": 1, "threshold": 0.3}, True), ({"C": 2}, False)])  # fmt: skip
def test_the_selected_theta_is_looked_for(theta: dict[str, Any], concerned: bool) -> None:
    warnings = [CellWarnings("l", '{"C":1}', "full", (FitWarning("UserWarning", "odd", 1),))]
    message = fits_without_warnings(context(warnings, theta)).message
    assert message.endswith("concerned: 1 of its 1 fit" if concerned else "is not concerned")
    assert "converge" not in message


def test_fits_that_converge_pass(finished: Any) -> None:
    row = finished([2000]).check("H016")
    assert (row.status, row.message) == ("pass", "no fit gave a warning")
