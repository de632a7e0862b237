"""An evaluation in memory has the numbers of the workflow, to the last bit."""

from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import pytest
import yaml
from inprocess import run_step, run_task
from threadpoolctl import threadpool_limits

from heldout.checks.check import CheckRow
from heldout.estimates.comparisons import Comparison
from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.metrics import MetricRow
from heldout.estimates.rows import EstimateRow, FoldRow, RiskRow, read_rows
from heldout.execution.study import Study
from heldout.memory.evaluate import evaluate
from heldout.memory.evaluation import Evaluation
from heldout.resampling.split_file import read_split
from heldout.results.frames import read_frame

REPO = Path(__file__).parents[3]
DEMO = yaml.safe_load((REPO / "config" / "config.yaml").read_text())
OF_CALL = ("data", "target", "learners", "test")
KINDS = {
    "risks": RiskRow,
    "estimates": EstimateRow,
    "folds": FoldRow,
    "comparisons": Comparison,
    "confidence_set": ConfidenceRow,
    "metrics": MetricRow,
    "checks": CheckRow,
}


def both(
    task: str, block: dict[str, Any], learners: dict[str, Any], folder: Path, **options: Any
) -> tuple[Evaluation, Path]:
    """The same task in memory and as the workflow runs it: on one thread."""
    block = {**block, "test": 0}
    if not block["data"].startswith("sklearn:"):
        block["data"] = str(REPO / block["data"])
    used = {name: learners[name] for name in block["learners"]}
    keys = {key: value for key, value in block.items() if key not in OF_CALL}
    found = evaluate(
        block["data"], block["target"], used, name=task, seed=19, level=0.95, **keys, **options
    )
    config = {"seed": 19, "level": 0.95, "tasks": {task: block}, "learners": used}
    with threadpool_limits(1):
        run = run_task(config, folder)
        run_step(Study(config), run.folder, "compute_metrics", task)
    return found, run.folder


def assert_same(found: Evaluation, folder: Path) -> None:
    tables = found._found
    for name, kind in KINDS.items():
        assert getattr(tables, name) == read_rows(folder / f"{name}.csv", kind), name
        assert len(getattr(found, name)) == len(getattr(tables, name))
    assert found.selection == yaml.safe_load((folder / "selection.json").read_text())
    for name in KINDS:
        pd.testing.assert_frame_equal(getattr(found, name), read_frame(folder / f"{name}.csv"))
    assert found.splits
    for name, split in found.splits.items():
        stored = read_split(folder / "splits" / f"{name}.csv")
        assert {k: v.tolist() for k, v in split.items()} == {
            k: v.tolist() for k, v in stored.items()
        }
    model = joblib.load(folder / "final" / "model.joblib")
    assert model.schema == found.model.schema
    rows = found.loss_table.table.frame
    assert found.model.predict(rows).tolist() == model.predict(rows).tolist()


@pytest.mark.parametrize("task", ["penguins", "diabetes"])
def test_the_demo(task: str, tmp_path: Path) -> None:
    """All of it but leave-one-out, which takes nine tenths of the time and has a smaller test below."""
    block = DEMO["tasks"][task]
    block = {**block, "estimators": [one for one in block["estimators"] if one != "loo"]}
    assert_same(*both(task, block, DEMO["learners"], tmp_path))


WIDER = {
    "one_by_one": {
        "data": "sklearn:diabetes",
        "target": "target",
        "estimators": ["loo", "kfold", "nested_cv"],
        "kfold": {"k": 3},
        "learners": ["lines", "trees"],
    },
    "one": {
        "data": "data/penguins.csv",
        "target": "species",
        "drop": ["year"],
        "kfold": {"k": 3, "repeats": 2},
        "select": {"rule": "confidence_set"},
        "metrics": ["f1_macro"],
        "learners": ["chain", "calibrated"],
    },
    "thresholds": {
        "data": "sklearn:breast_cancer",
        "target": "target",
        "loss": "f1",
        "threshold": [0.3, 0.5],
        "kfold": {"k": 3},
        "learners": ["logistic"],
    },
    "endless": {
        "data": "sklearn:diabetes",
        "target": "target",
        "kfold": {"k": 3},
        "select": {"rule": "first_local_min", "patience": 2},
        "learners": ["neighbours"],
    },
    "weighted": {
        "data": "sklearn:diabetes",
        "target": "target",
        "weights": "bmi",
        "kfold": {"k": 3},
        "estimators": ["kfold", "montecarlo", "bootstrap", "nested_cv"],
        "montecarlo": {"rounds": 3},
        "bootstrap": {"bags": 5},
        "learners": ["forest"],
    },
    "in_order": {
        "data": "sklearn:diabetes",
        "target": "target",
        "time": "age",
        "rolling": {"blocks": 4, "window": 2},
        "learners": ["lines"],
    },
}
OTHERS = {
    "chain": {"steps": ["prepare", {"step": "forest", "params": {"n_estimators": 5}}]},
    "calibrated": {"estimator": "tree", "calibrate": "sigmoid", "grid": {"max_depth": [1, 2]}},
    "logistic": {"estimator": "logistic", "grid": {"C": [0.1, 1.0]}},
    "neighbours": {"estimator": "knn", "grid": {"n_neighbors": {"from": 1}}},
    "forest": {"estimator": "forest", "grid": {"n_estimators": [3, 6]}},
    "trees": {"estimator": "tree", "grid": {"max_depth": [1, 3]}},
    "lines": {"estimator": "ridge", "grid": {"alpha": [0.1, 1.0]}},
}


@pytest.mark.parametrize("task", WIDER)
def test_other_tasks(task: str, tmp_path: Path) -> None:
    """Leave-one-out, repeats, Pipelines, calibration, thresholds, endless grids, weights, and time order."""
    assert_same(*both(task, WIDER[task], OTHERS, tmp_path))


def test_results_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    assert_same(*both("thresholds", WIDER["thresholds"], OTHERS, tmp_path, cores=2))
