"""A stored cell is good for every loss that its predictions are enough for."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inprocess import run_step

from heldout.execution.study import Study


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(2).normal(size=60)
    rows = [f"{one:.4f},{'yes' if i % 3 else 'no'}" for i, one in enumerate(x)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    return tmp_path / "results" / "t"


def fitted(folder: Path, **keys: Any) -> int:
    """How many cells a fitting job of the task has to fit, where no models are kept."""
    task = {"data": "t.csv", "target": "y", "test": 0, "estimators": ["kfold"], "learners": ["knn"]}
    study = Study({"models": "none", "tasks": {"t": task | keys}})
    run_step(study, folder, "prepare_data", "t")
    run_step(study, folder, "draw_splits", "t", split="kfold")
    run_step(study, folder, "fit_cells", "t", batch=1, batches=1)
    return json.loads((folder / "cells" / "manifests" / "1-of-1.json").read_text())["fitted"]


@pytest.mark.parametrize(
    "other", [{"loss": "roc_auc"}, {"loss": "brier"}, {"loss": "f1", "threshold": "tune"}]
)
def test_another_loss_fits_nothing(other: dict[str, Any], table: Path) -> None:
    assert fitted(table, loss="zero_one") > 0
    assert fitted(table, **other) == 0
