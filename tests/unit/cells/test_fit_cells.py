"""Which training sets a fitting job announces to its engines."""

import copy
from pathlib import Path
from typing import Any

import pytest
from small_study import CONFIG

from heldout.cells.fit import Fitter
from heldout.execution.specs import build
from heldout.execution.specs.cells import FitCells
from heldout.execution.steps import fit_cells
from heldout.execution.study import Study
from heldout.resampling.split import Resample
from heldout.selection import batch as fitting


def spec_for(batch: int, grid: Any) -> FitCells:
    config: dict[str, Any] = copy.deepcopy(CONFIG)
    config["learners"]["knn"]["grid"]["n_neighbors"] = grid
    config["tasks"]["small"]["select"] = {"rule": "first_local_min"}
    return build.fit_cells(Study(config).task("small"), str(batch), "2")


@pytest.mark.parametrize("grid", [[1, 5], {"from": 1}], ids=["listed", "scanned"])
@pytest.mark.parametrize("batch", [1, 2])
def test_a_job_expects_the_training_sets_that_it_fits(
    project: Path, monkeypatch: pytest.MonkeyPatch, batch: int, grid: Any
) -> None:
    """Its share of a listed grid; all of them where it scans an endless one."""
    expected, fitted = set(), set()

    class Spy(Fitter):
        def __init__(self, *given: Any):
            expected.update(resample.name for resample in given[-1])
            super().__init__(*given)

        def ensure(self, learner: Any, resample: Resample, thetas: Any) -> None:
            fitted.add(resample.name)
            super().ensure(learner, resample, thetas)

    monkeypatch.setattr(fitting, "Fitter", Spy)
    fit_cells.main(project / "results" / "small", spec_for(batch, grid))
    assert expected == fitted
