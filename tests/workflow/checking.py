"""What tests of `heldout check` have in common."""

from pathlib import Path

import pytest
from harness import CONFIG, TASK, Project

from heldout.cli import main
from heldout.execution.study import Study
from heldout.execution.upkeep.inspect import Inspection
from heldout.faults import Fault

ROOT = Path("results")
FOLDER = ROOT / TASK
CELL = FOLDER / "cells/knn/n_neighbors=5/k3.r1.f02.safetensors"
RUN_COMMAND = f"heldout run --config {CONFIG}"
REPAIR_COMMAND = f"heldout check --repair --config {CONFIG}"
TABLES = (
    "risks.csv",
    "estimates.csv",
    "selection.json",
    "folds.csv",
    "comparisons.csv",
    "checks.csv",
)


def check(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    """The exit code and what was printed."""
    code = main(["check", "--config", CONFIG, *options])
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def inspected(project: Project) -> list[Fault]:
    """What is found in the results, without a look at the table."""
    found = Inspection(Study(project.config), ROOT).findings()
    return [fault for one in found for fault in one.faults]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def delete(path: Path) -> None:
    path.unlink()


def add_theta(project: Project) -> None:
    project.config["learners"]["knn"]["grid"]["n_neighbors"].append(3)


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All files of a folder with their times of change."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }
