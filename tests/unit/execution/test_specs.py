"""Specs: what a step is given is what was built, and nothing else makes it run again."""

import ast
import importlib
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from heldout.decode import decode
from heldout.errors import HeldoutError
from heldout.execution import steps
from heldout.execution.jobs import Job
from heldout.execution.specs import build
from heldout.execution.specs.cells import FitCells
from heldout.execution.steps.run import run_job
from heldout.execution.study import Study
from heldout.names import canonical

REPO = Path(__file__).parents[3]
STEPS = sorted(
    path.stem
    for path in Path(steps.__file__).parent.glob("*.py")
    if path.stem not in ("__init__", "run")
)
WILDCARDS: dict[str, dict[str, str]] = {
    "draw_splits": {"split": "kfold"},
    "fit_cells": {"batch": "1", "batches": "2"},
    "audit_batch": {"m": "50", "batch": "0002"},
}


def config(grid: Any = (1, 5), **keys: Any) -> dict[str, Any]:
    task = {
        "data": "oracle:gaussian_linear",
        "target": "y",
        "metrics": ["r2"],
        "select": {"rule": "first_local_min"},
        "learners": ["ridge", "knn"],
        "audit": {"replicates": 4, "m": [50], "batch": 2},
    }
    knn = {"estimator": "knn", "grid": {"n_neighbors": grid if isinstance(grid, dict) else [*grid]}}
    return {"tasks": {"t": task | keys}, "learners": {"knn": knn}}


def request_of(step: str, study: Study) -> dict[str, Any]:
    task = "" if step == "render_index" else "t"
    return study.request(step, task, **WILDCARDS.get(step, {}))


@pytest.mark.parametrize("step", STEPS)
def test_a_step_gets_the_spec_that_was_built(step: str) -> None:
    study = Study(config())
    given = request_of(step, study)
    main = importlib.import_module(f"heldout.execution.steps.{step}").main
    made = decode(main.__annotations__["spec"], given["spec"], step)
    task = [study.task("t")] if step == "render_index" else study.task("t")
    built = getattr(build, step)(task, **WILDCARDS.get(step, {}))
    assert type(made) is type(built)
    assert canonical(asdict(made)) == canonical(asdict(built))
    assert given["step"] == step


@pytest.mark.parametrize("step", STEPS)
def test_a_spec_cannot_be_changed(step: str) -> None:
    main = importlib.import_module(f"heldout.execution.steps.{step}").main
    assert main.__annotations__["spec"].__dataclass_params__.frozen


def test_the_scan_of_an_endless_grid_is_read_back() -> None:
    task = Study(config(grid={"from": 1}, audit=None)).task("t")
    spec = build.fit_cells(task, "1", "2")
    assert spec.scan is not None
    assert decode(FitCells, asdict(spec), "fit_cells") == spec


@pytest.mark.parametrize(
    "split", ["holdout", "kfold", "loo", "montecarlo", "halvings", "bootstrap"]
)
def test_the_settings_of_every_split_are_read_back(split: str) -> None:
    spec = build.draw_splits(Study(config()).task("t"), split)
    main = importlib.import_module("heldout.execution.steps.draw_splits").main
    assert decode(main.__annotations__["spec"], asdict(spec), "draw_splits") == spec


@pytest.mark.parametrize("step", [step for step in STEPS if step != "fit_cells"])
def test_the_number_of_batches_is_in_no_spec_but_that_of_a_fitting_job(step: str) -> None:
    few, many = Study(config() | {"batches": 1}), Study(config() | {"batches": 7}, cores=8)
    assert few.batches("t") != many.batches("t")
    assert request_of(step, few) == request_of(step, many)


def test_a_misspelt_field_fails_the_step_and_is_named(tmp_path: Path) -> None:
    request = request_of("select_model", Study(config()))
    request["spec"]["maximun"] = request["spec"].pop("maximum")
    job = Job(request, str(tmp_path / "logs" / "select_model.log"), {}, [])
    with pytest.raises(HeldoutError, match="select_model: unknown field 'maximun'; did you mean"):
        run_job(job)


def test_a_grid_may_be_longer_than_a_command() -> None:
    given = config(list(range(10**9, 10**9 + 14_000)))
    assert len(canonical(Study(given).request("estimate_risks", "t"))) > 150_000


def test_the_demo_is_planned_without_numpy() -> None:
    demo = yaml.safe_load((REPO / "config" / "config.yaml").read_text())
    code = f"""if True:
        import sys
        from heldout.execution.study import Study
        study = Study({demo!r})
        study.request("fit_cells", "penguins", batch="1", batches="1")
        study.request("render_report", "penguins")
        print({{"numpy", "pandas", "sklearn", "pyarrow"}} & set(sys.modules))
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("step", STEPS)
def test_a_step_imports_no_module_that_makes_specs(step: str) -> None:
    """Else one more key of the config would change the digest of its code, and run it again."""
    made = {"heldout.execution.specs.build", "heldout.execution.tasks", "heldout.config.models"}
    seen, waiting = set[str](), [f"heldout.execution.steps.{step}"]
    while waiting:
        name = waiting.pop()
        path = REPO.joinpath("workflow", *name.split(".")).with_suffix(".py")
        if name not in seen and path.is_file():
            seen.add(name)
            waiting += imported(path)
    assert not seen & made


def imported(path: Path) -> list[str]:
    nodes = [
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
    ]
    names = [(node.module or "", alias.name) for node in nodes for alias in node.names]
    return [name for module, last in names for name in (module, f"{module}.{last}")]
