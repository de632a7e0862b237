"""Figures for a paper: all of them, in every format, the same bytes each time."""

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser.report_case import Case
from inprocess import run_task

from heldout.errors import HeldoutError
from heldout.execution.specs import build
from heldout.execution.study import Study
from heldout.predictions import Predictions
from heldout.results.figures import drawing
from heldout.results.predictions import HeldOut, classification, regression

NAMES = {
    f"{name}.{kind}"
    for name in ("estimates", "tuning", "predictions", "over_time")
    for kind in drawing.KINDS
}
STARTS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}
ODD = ["a$b$c", "<b>&", "🐧🐧", "x" * 200, "line\nbreak"]


def drawn(case: Case, root: Path, held_out: Any) -> dict[str, bytes]:
    folder = case.write(root)
    drawing.write_figures(folder, case.spec().cells, held_out)
    return {path.name: path.read_bytes() for path in (folder / "figures").iterdir()}


def labels(names: list[str], proba: bool) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    target = rng.integers(0, len(names), 90)
    shares = rng.dirichlet(np.ones(len(names)), 90) if proba else None
    label = rng.integers(0, len(names), 90)
    held = HeldOut(np.arange(90), target, Predictions(label, shares), (label != target) * 1.0)
    return classification(held, names)


def values() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    target = rng.normal(size=90)
    value = target + rng.normal(size=90)
    held = HeldOut(np.arange(90), target, Predictions(value=value), (target - value) ** 2)
    return regression(held)


@pytest.mark.parametrize(
    "held_out", [labels(ODD, True), labels(["no", "yes"], True), labels(ODD, False), values(), None]
)
def test_every_figure_is_written_in_every_format(held_out: Any, tmp_path: Path) -> None:
    found = drawn(Case(), tmp_path, held_out)
    assert set(found) == NAMES
    assert all(data.startswith(STARTS[Path(name).suffix]) for name, data in found.items())


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = (drawn(Case(), tmp_path / name, values()) for name in "ab")
    assert first == second


def test_odd_names_and_every_kind_of_grid_can_be_drawn(tmp_path: Path) -> None:
    grid = {f"{i}{name}": [{name: 1}, {name: 2}, {name: None}] for i, name in enumerate(ODD)}
    grid["heat"] = [{"a": a, "b": b} for a in (1, 2, 3) for b in ("x$", "y")]
    grid["many"] = [{"a": a, "b": b, "c": c} for a in (1, 2) for b in (1, 2) for c in (1, 2)]
    grid["log"] = [{"C": 10.0**i} for i in range(-3, 4)]
    assert set(drawn(Case(grids=grid), tmp_path, None)) == NAMES


def test_a_task_without_grids_says_so(tmp_path: Path) -> None:
    assert set(drawn(Case(grids={"mean": [{}]}), tmp_path, None)) == NAMES


def test_without_matplotlib_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(HeldoutError, match=r"figures: true needs matplotlib.*pip install"):
        drawing.load_matplotlib()


def test_figures_are_drawn_only_if_asked_for(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [f"{x:.3f},{int(x + rng.normal() > 0)}" for x in rng.normal(size=60)]
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "\n".join(rows) + "\n")
    task = {"data": str(table), "target": "y", "loss": "zero_one", "kfold": {"k": 4}, "learners": ["tree"]}  # fmt: skip
    learners = {"tree": {"estimator": "tree", "grid": {"max_depth": [1, 2]}}}
    config = {"tasks": {"t": task}, "learners": learners}
    assert Study(config).figures == []
    study = Study({**config, "figures": True})
    assert study.figures == ["t"]
    run = run_task(config, tmp_path / "t")
    drawing.draw_figures(run.folder, build.draw_figures(study.task("t")).cells, 1, level=0.95)
    assert {path.name for path in (run.folder / "figures").iterdir()} == NAMES
