"""Random histories of a study: edits, damage, restored copies, kills and scrambled clocks.

After each run every table must be that of a clean run of the same config, table and code; or the run
must have said what is wrong, and what it named must mend it. A few rounds in CI; longer with
``HELDOUT_HISTORY_SECONDS=3600 pytest tests/workflow/test_random_histories.py``, from another seed
with ``HELDOUT_HISTORY_SEED``.
"""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from harness import Project, Run, Snapshot

SECONDS = float(os.environ.get("HELDOUT_HISTORY_SECONDS", "0"))
"""For each of the two histories; 0 for `ROUNDS`."""
ROUNDS = 6
SEED = int(os.environ.get("HELDOUT_HISTORY_SEED", "0"))
TABLES = (
    *("risks.csv", "estimates.csv", "folds.csv", "comparisons.csv", "checks.csv", "selection.json"),
    *("splits", "data/table.json", "data/X.npy", "data/y.npy", "data/rows.npy"),
)
MINE = "from helper import DEPTH\nfrom sklearn.tree import DecisionTreeClassifier\n\n\ndef make():\n    return DecisionTreeClassifier(max_depth=DEPTH)\n"


def study(folder: Path) -> Project:
    """A small study with a learner of the user's own, which imports a module of the user's own."""
    folder.mkdir(parents=True)
    project = Project(folder)
    project.task["estimators"] = ["training", "holdout", "kfold", "min_cv"]
    project.task["learners"] = ["knn", "tree", "mine"]
    project.config["learners"]["mine"] = {"estimator": "mine.make"}
    (folder / "mine.py").write_text(MINE)
    (folder / "helper.py").write_text("DEPTH = 2\n")
    return project


@dataclass
class History:
    """A study, what was done to it, and copies of its results to restore."""

    project: Project
    draw: random.Random
    clean: Callable[[Project], Snapshot]
    done: list[str] = field(default_factory=list)
    copies: list[Path] = field(default_factory=list)

    @property
    def results(self) -> Path:
        return self.project.folder / "results"

    def files(self, below: Path | None = None) -> list[Path]:
        """All files of the results, in an order that depends on names only."""
        found = (below or self.results).rglob("*")
        return sorted(path for path in found if path.is_file() and path.suffix != ".log")

    # --- what a person or a machine may do ------------------------------------------------------

    def edit_config(self) -> str:
        task, learners = self.project.task, self.project.config["learners"]
        grid = learners["knn"]["grid"]
        key, value = self.draw.choice(
            [
                ("level", self.draw.choice([0.8, 0.9, 0.95])),
                ("kfold", {"k": self.draw.choice([2, 3, 4])}),
                ("loss", self.draw.choice(["zero_one", "brier"])),
                ("learners", self.draw.sample(["knn", "tree", "mine"], 2)),
                ("grid", sorted(self.draw.sample([1, 3, 5, 7, 9], 3))),
                ("seed", self.draw.choice([5, 6])),
                ("holdout", {"fraction": self.draw.choice([0.2, 0.3])}),
                ("select", {"rule": self.draw.choice(["min", "one_se"])}),
                ("cells", self.draw.choice(["files", "packed", "packed"])),
            ]
        )
        if key in ("level", "seed", "cells"):
            self.project.config[key] = value
        elif key == "grid":
            grid["n_neighbors"] = value
        else:
            task[key] = value
        return f"{key} = {value}"

    def edit_table(self) -> str:
        number = self.draw.choice([0, 0, 1, 2, 3])
        base = Project(self.project.folder).lines
        self.project.lines = [*base, *(f"{i}.5,0.5,a,adelie" for i in range(number))]
        self.project.write_inputs()
        old = self.draw.random() < 0.5
        if old:
            os.utime(self.project.folder / "birds.csv", (10**9, 10**9))
        return f"table with {number} more rows{' and an old time' if old else ''}"

    def edit_module(self) -> str:
        depth = self.draw.choice([1, 2, 3])
        (self.project.folder / "helper.py").write_text(f"DEPTH = {depth}\n")
        return f"helper.py: DEPTH = {depth}"

    def touch(self) -> str:
        some = [path for path in self.files() if self.draw.random() < 0.5]
        for path in some:
            when = time.time() - self.draw.uniform(-1e5, 1e6)
            os.utime(path, (when, when))
        return f"other times for {len(some)} files"

    def flip(self) -> str:
        path = self.draw.choice(self.files())
        data, times = bytearray(path.read_bytes()), path.stat()
        if not data:
            return "an empty file stays"
        data[self.draw.randrange(len(data))] ^= 1 << self.draw.randrange(8)
        path.write_bytes(data)
        if self.draw.random() < 0.5:
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return f"a bit of {path.relative_to(self.results)}"

    def cut(self) -> str:
        path = self.draw.choice(self.files())
        path.write_bytes(path.read_bytes()[: self.draw.choice([0, 10])])
        return f"{path.relative_to(self.results)} cut short"

    def delete(self) -> str:
        path = self.draw.choice(self.files())
        path.unlink()
        return f"{path.relative_to(self.results)} deleted"

    def swap(self) -> str:
        """One file in the place of another of its kind."""
        path = self.draw.choice(self.files())
        other = self.draw.choice([one for one in self.files() if one.suffix == path.suffix])
        content = other.read_bytes()
        path.write_bytes(content)
        return f"{other.relative_to(self.results)} over {path.relative_to(self.results)}"

    def forget(self) -> str:
        name = self.draw.choice([".snakemake", ".snakemake/heldout", "results/birds/receipts"])
        shutil.rmtree(self.project.folder / name, ignore_errors=True)
        return f"{name} deleted"

    def copy(self) -> str:
        place = self.project.folder.parent / f"copy{len(self.copies)}"
        shutil.copytree(self.results, place, dirs_exist_ok=True)
        self.copies.append(place)
        return f"copy {len(self.copies) - 1} kept"

    def restore(self) -> str:
        if not self.copies:
            return self.copy()
        number = self.draw.randrange(len(self.copies))
        over = self.draw.random() < 0.5
        if not over:
            shutil.rmtree(self.results)
        keep_times = self.draw.random() < 0.5
        shutil.copytree(
            self.copies[number],
            self.results,
            dirs_exist_ok=True,
            copy_function=shutil.copy2 if keep_times else shutil.copyfile,
        )
        return f"copy {number} restored{' over what is there' if over else ''}"

    def kill(self) -> str:
        """Snakemake ends without a word; what its steps do then is their affair."""
        process = self.project.start(cores=self.draw.choice([1, 2]))
        wait = self.draw.uniform(0.5, 3)
        try:
            process.communicate(timeout=wait)
        except Exception:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        self.project.run("--unlock")
        return f"killed after {wait:.2f} s"

    def dry_run(self) -> str:
        self.project.run("--dry-run")
        return "dry run"

    # --- and what must hold ---------------------------------------------------------------------

    def disturb(self) -> None:
        actions = [
            *(self.edit_config, self.edit_config, self.edit_table, self.edit_module, self.touch),
            *(self.flip, self.flip, self.cut, self.delete, self.swap, self.forget),
            *(self.copy, self.restore, self.kill, self.dry_run),
        ]
        for action in self.draw.choices(actions, k=self.draw.choice([1, 1, 2, 3])):
            if self.results.is_dir():
                self.done.append(action())

    def settle(self) -> None:
        """Run until the tables are made, doing what messages say; then compare."""
        run = self.project.run(cores=self.draw.choice([1, 2]))
        if run.code != 0:
            self.done.append(f"the run said: {said(run)}")
            self.done.append(self.project.check("--repair").text)
            run = self.project.run()
        assert run.code == 0, f"{self.story}\n{run.text}"
        self.compare("after a run")

    def compare(self, when: str) -> None:
        found, wanted = self.project.snapshot(*TABLES), self.clean(self.project)
        different = [name for name in wanted if found.get(name) != wanted[name]]
        lines = [
            f"{name}: {one} instead of {other}"
            for name in different
            for one, other in zip(_lines(found.get(name)), _lines(wanted[name]), strict=False)
            if one != other
        ]
        shown = "\n".join(lines[:20])
        assert not different, f"{when} {different} differ from a clean run\n{shown}\n{self.story}"

    def heal(self) -> None:
        """In the end nothing is damaged that `heldout check --repair` and a run do not mend."""
        self.project.check("--repair")
        assert self.project.run().code == 0, self.story
        checked = self.project.check()
        assert checked.code == 0, f"{self.story}\n{checked.text}"
        self.compare("in the end")

    @property
    def story(self) -> str:
        config = json.dumps(self.project.config)
        return "\n".join(["what was done:", *self.done, f"config: {config}"])


def _lines(content: bytes | None) -> list[str]:
    return (content or b"nothing").decode(errors="replace").splitlines()


def said(run: Run) -> str:
    """The message of a run that failed: never silence, never a bare traceback."""
    lines = [line for line in run.text.splitlines() if "heldout: " in line]
    assert lines, run.text
    return lines[-1]


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_no_history_gives_other_numbers_without_a_word(seed: int, tmp_path: Path) -> None:
    clean_runs: dict[str, Snapshot] = {}

    def clean(project: Project) -> Snapshot:
        """The tables of a clean run of the same config, table and module."""
        helper = (project.folder / "helper.py").read_text()
        key = json.dumps([project.config, project.lines, helper], sort_keys=True)
        if key not in clean_runs:
            other = study(tmp_path / f"clean{len(clean_runs)}")
            other.config, other.lines = json.loads(json.dumps(project.config)), [*project.lines]
            (other.folder / "helper.py").write_text(helper)
            other.succeed()
            clean_runs[key] = other.snapshot(*TABLES)
            shutil.rmtree(other.folder)
        return clean_runs[key]

    until = time.monotonic() + SECONDS
    history = History(study(tmp_path / "study"), random.Random(seed), clean)
    history.settle()
    rounds = 0
    while time.monotonic() < until or rounds < ROUNDS:
        history.disturb()
        history.settle()
        rounds += 1
    history.heal()
    _note(seed, rounds, history.done)


def _note(seed: int, rounds: int, done: list[Any]) -> None:
    print(f"seed {seed}: {rounds} rounds, {len(done)} disturbances")
