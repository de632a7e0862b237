"""Progress: the lines that a job prints, and the total of many logs."""

import os
import time
from pathlib import Path

import pytest
from inprocess import run_task

from heldout.cells.progress import Progress, duration, read_job, report_progress, task_progress
from heldout.cli import main
from heldout.cli.progress import read_all
from heldout.errors import HeldoutError


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def write_log(folder: Path, part: int, parts: int, text: str, age: float = 0) -> Path:
    path = folder / "logs" / f"fit_cells.{part}-of-{parts}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_a_job_prints_at_most_every_five_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(clock)
    progress.expect(400)
    for _ in range(160):
        clock.now += 1 / 16
        progress.add()
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "progress: 80 of 400 cells, 16 per second, 20 s left",
        "progress: 160 of 400 cells, 16 per second, 15 s left",
    ]


def test_a_short_job_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(Clock())
    progress.expect(10)
    progress.add(10)
    assert capsys.readouterr().out == ""


def test_the_rate_forgets_the_cells_found_in_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(clock)
    progress.expect(2000)
    progress.add(1000)
    for _ in range(100):
        clock.now += 1
        progress.add()
    assert capsys.readouterr().out.splitlines()[-1].endswith("1 per second, 15 min left")


def test_what_a_job_writes_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(clock)
    progress.expect(12345)
    clock.now += 7
    progress.add(3)
    log = write_log(tmp_path, 1, 1, "a warning\n" + capsys.readouterr().out)
    job = read_job(log, time.time())
    assert (job.done, job.total) == (3, 12345)
    assert job.rate == pytest.approx(3 / 7, rel=1e-3)


def test_jobs_are_added_up_and_those_to_come_are_guessed(tmp_path: Path) -> None:
    folder = tmp_path / "penguins"
    write_log(folder, 1, 4, "progress: 9 of 10 cells\ncells: 90 fitted, 10 reused, 0 failed\n", 99)
    write_log(folder, 2, 4, "progress: 20 of 100 cells, 2 per second, 40 s left\n")
    write_log(folder, 3, 4, "")
    write_log(folder, 1, 2, "cells: 7 fitted, 0 reused, 0 failed\n", age=999)
    found = task_progress(folder)
    assert found is not None
    assert (found.done, found.total, found.rate, found.ended) == (120, 400, 2, False)
    assert found.text() == (
        "penguins: 120 of about 400 cells (30%), 2 per second, 2 min left, 1 of 4 jobs ended"
    )


def test_a_killed_job_has_no_rate(tmp_path: Path) -> None:
    log = write_log(tmp_path, 1, 1, "progress: 20 of 100 cells, 2 per second, 40 s left\n", age=600)
    assert read_job(log, time.time()).rate == 0


def test_only_what_is_new_is_reported(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    write_log(old, 1, 1, "cells: 7 fitted, 0 reused, 0 failed\n", age=100)
    write_log(new, 1, 1, "progress: 20 of 100 cells, 2 per second, 40 s left\n")
    lines: list[str] = []
    last: dict[str, str] = {}
    for _ in range(2):
        report_progress([old, new], time.time() - 50, lines.append, last)
    assert lines == ["new: 20 of 100 cells (20%), 2 per second, 40 s left, 0 of 1 jobs ended"]


def test_the_command_prints_a_line_per_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for task in ("a", "b"):
        write_log(tmp_path / task, 1, 1, "cells: 7 fitted, 1 reused, 0 failed\n")
    assert main(["progress", "--follow", "--results", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a: 8 cells, all jobs have ended",
        "b: 8 cells, all jobs have ended",
    ]
    with pytest.raises(HeldoutError, match="no fitting job of 'c'"):
        read_all(tmp_path, "c")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (99, "99 s"), (150, "2 min"), (9000, "2.5 h"), (2e5, "2.3 d")]
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_fitting_job_knows_all_its_cells_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("heldout.cells.progress.EVERY", 0.0)
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "".join(f"{i},{i % 3}\n" for i in range(40)))
    task = {"data": str(table), "target": "y", "loss": "squared", "test": 0, "kfold": {"k": 4}}
    task |= {"estimators": ["training", "kfold"], "learners": ["ridge", "mean"]}
    learners = {"ridge": {"estimator": "ridge", "grid": {"alpha": [1, 10, 100]}}}
    config = {"tasks": {"t": task}, "learners": {**learners, "mean": {"estimator": "mean"}}}
    run_task(config, tmp_path / "t")
    printed = capsys.readouterr().out.splitlines()
    cells = (1 + 4) * (3 + 1)
    lines = [line.split(" cells")[0] for line in printed if line.startswith("progress:")]
    assert lines == [f"progress: {i} of {cells}" for i in range(1, cells + 1)]
    assert f"cells: {cells} fitted, 0 reused, 0 failed" in printed
