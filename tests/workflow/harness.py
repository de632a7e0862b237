"""A small study in a folder of its own, run by Snakemake as a user would run it."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heldout.cells.pack import PackedCell
from heldout.cells.packs import PACKS, Packs

REPO = Path(__file__).parents[2]
TASK = "birds"
CONFIG = "study.yaml"
RISKS, UNSEALED, ESTIMATES, METRICS = (
    f"results/{TASK}/{name}.csv" for name in ("risks", "estimates/unsealed", "estimates", "metrics")
)
MODEL = f"results/{TASK}/final/model.joblib"
SELECTION = f"results/{TASK}/selection.json"
"""Targets that need less than everything."""
SETS = ("dev", "full", "k3.r1.f01", "k3.r1.f02", "k3.r1.f03")
"""The held-out sets of the config below."""
THETAS = 6
ALL_CELLS = THETAS * len(SETS)
TIMEOUT = 180

Snapshot = dict[str, bytes]
"""The files below a folder: relative path → content."""


def table_lines(rows: int = 75) -> list[str]:
    """A csv table: numbers with holes, a category, and three text labels that depend on them."""
    draw = random.Random(7)
    lines = ["bill,mass,island,species"]
    for i in range(rows):
        kind = i % 3
        bill = f"{draw.gauss(kind, 1):.3f}"
        mass = "" if draw.random() < 0.1 else f"{draw.gauss(-kind, 1):.3f}"
        species = ("adelie", "chinstrap", "gentoo")[kind]
        lines.append(f"{bill},{mass},{draw.choice('abc')},{species}")
    return lines


def small_config() -> dict[str, Any]:
    """Three cheap learners with six θ in all, three folds, a sealed fifth."""
    return {
        "seed": 5,
        "tasks": {
            TASK: {
                "data": "birds.csv",
                "target": "species",
                "loss": "zero_one",
                "test": 0.2,
                "estimators": ["training", "holdout", "kfold", "test"],
                "kfold": {"k": 3},
                "learners": ["knn", "tree", "majority"],
            }
        },
        "learners": {
            "knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 5, 9]}},
            "tree": {"estimator": "tree", "grid": {"max_depth": [1, 3]}},
        },
    }


@dataclass(frozen=True)
class Run:
    """What a Snakemake command said, and which jobs it ran (or, in a dry run, would run)."""

    code: int
    text: str

    @property
    def outputs(self) -> dict[str, list[str]]:
        """The outputs of the jobs of each rule."""
        found: dict[str, list[str]] = {}
        for rule, files in re.findall(
            r"^(?:local)?rule (\w+):\n(?: .*\n)*?    output: (.*)$", self.text, re.M
        ):
            found.setdefault(rule, []).extend(files.split(", "))
        return found

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The inputs of the jobs of each rule."""
        found: dict[str, list[str]] = {}
        for rule, files in re.findall(r"^(?:local)?rule (\w+):\n    input: (.*)$", self.text, re.M):
            found.setdefault(rule, []).extend(files.split(", "))
        return found

    @property
    def jobs(self) -> Counter[str]:
        """How many jobs of each rule."""
        return Counter(re.findall(r"^(?:local)?rule (\w+):$", self.text, re.M))


@dataclass
class Project:
    """A folder with a table and a config."""

    folder: Path
    config: dict[str, Any] = field(default_factory=small_config)
    lines: list[str] = field(default_factory=table_lines)
    python_path: list[Path] = field(default_factory=lambda: [REPO / "workflow"])
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def task(self) -> dict[str, Any]:
        """The task's block of the config."""
        return self.config["tasks"][TASK]

    @property
    def results(self) -> Path:
        """The task's folder of results."""
        return self.folder / "results" / TASK

    def copy_to(self, folder: Path) -> "Project":
        """The same project elsewhere, times of change included."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Project(folder, json.loads(json.dumps(self.config)), [*self.lines])

    def put_first(self, folder: Path) -> None:
        """Let Python look for modules in this folder first."""
        self.python_path.insert(0, folder)

    # --- running -----------------------------------------------------------------------------

    def start(self, *options: str, cores: int = 2) -> subprocess.Popen[str]:
        """Write what changed and start Snakemake, as the head of a process group of its own."""
        snakefile = str(REPO / "Snakefile")
        where = ["--snakefile", snakefile, "--directory", str(self.folder)]
        return self._start(
            "snakemake", *where, "--configfile", CONFIG, "--cores", str(cores), *options
        )

    def run(self, *options: str, cores: int = 2) -> Run:
        """Run Snakemake to its end."""
        return _finish(self.start(*options, cores=cores))

    def check(self, *options: str) -> Run:
        """Run `heldout check`."""
        return _finish(self._start("heldout", "check", "--config", CONFIG, *options))

    def show(self) -> Run:
        """Run `heldout show`."""
        return _finish(self._start("heldout", "show"))

    def snakemake(self, *options: str) -> Run:
        """Run Snakemake with the default config of the folder."""
        where = ["--snakefile", str(REPO / "Snakefile"), "--directory", str(self.folder)]
        return _finish(self._start("snakemake", *where, *options))

    def succeed(self, *options: str, cores: int = 2) -> Run:
        """Run Snakemake, which must not fail."""
        run = self.run(*options, cores=cores)
        assert run.code == 0, run.text
        return run

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[str]:
        self.write_inputs()
        return subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],  # as the command `snakemake` does
            cwd=self.folder,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def shell(self, command: str) -> "subprocess.CompletedProcess[str]":
        """Run a command as a user would who pastes it into a shell of the same environment."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self._environment() | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )

    def write_inputs(self) -> None:
        """Write the config and the table, if they changed."""
        _write_if_changed(self.folder / CONFIG, json.dumps(self.config))
        _write_if_changed(self.folder / "birds.csv", "\n".join(self.lines) + "\n")

    def _environment(self) -> dict[str, str]:
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        python_path = os.pathsep.join(map(str, self.python_path))
        return inherited | {"PYTHONPATH": python_path} | self.environment

    # --- looking -----------------------------------------------------------------------------

    def manifest(self, name: str) -> dict[str, Any]:
        """A manifest by its path from the project's folder."""
        return json.loads((self.folder / name).read_text())

    def fitted(self, run: Run) -> int:
        """How many cells the fitting jobs of a run say they fitted."""
        return sum(self.manifest(name)["fitted"] for name in run.outputs.get("fit_cells", []))

    def reused(self, run: Run) -> int:
        """How many cells the fitting jobs of a run say they found in the store."""
        return sum(self.manifest(name)["reused"] for name in run.outputs.get("fit_cells", []))

    def cells(self) -> dict[str, Any]:
        """Every cell of the store as learner/θ/set, with the time or the place at which it was written."""
        store = self.results / "cells"
        files = {
            str(path.relative_to(store).with_suffix("")): path.stat().st_mtime_ns
            for path in store.glob("*/*/*.safetensors")
        }
        packed = {cell.name: (cell.pack.name, cell.at) for cell in whole_cells(store / PACKS)}
        return {**files, **packed}

    def snapshot(self, *names: str) -> Snapshot:
        """The bytes of some files and folders of the results."""
        return {
            str(path.relative_to(self.results)): path.read_bytes()
            for name in names
            for path in _files(self.results / name)
        }


def whole_cells(packs: Path) -> list[PackedCell]:
    """The cells in packs that are there as a whole."""
    return [cell for cell in Packs(packs).cells() if cell.predictions() is not None]


def _finish(process: subprocess.Popen[str]) -> Run:
    try:
        text, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return Run(process.returncode, text)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(inner for inner in path.rglob("*") if inner.is_file())
    return [path] if path.is_file() else []


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
