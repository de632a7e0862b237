"""The lines of a run: few where nobody watches, drawn anew in a terminal, and none for what did not run."""

import io
from pathlib import Path

import pytest

from heldout.execution import run_lines
from heldout.execution.run_lines import Lines

BEGUN = "rule fit_cells:\n    jobid: 3\n    wildcards: task={}, batch=1\n"
ENDED = "rule render_report:\n    jobid: 9\n    wildcards: task={}\nFinished jobid: 9 (Rule: render_report)\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log of the only fitting job of a task."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results" / "iris" / "logs"
    folder.mkdir(parents=True)
    return folder / "fit_cells.1-of-1.log"


def test_a_terminal_draws_a_line_again(log: Path) -> None:
    stream = Terminal()
    lines = Lines(stream, clock=lambda: 0.0)
    lines.begin(["iris"])
    for done in (30, 60):
        log.write_text(f"progress: {done} of 90 cells, 10 per second, … left\n")
        lines.show(BEGUN.format("iris"))
    assert stream.getvalue() == (
        "iris   30 of 90 cells   6 s left\n\x1b[1F\x1b[Jiris   60 of 90 cells   3 s left\n"
    )


def test_elsewhere_lines_come_ever_more_rarely(log: Path) -> None:
    now, stream = [0.0], io.StringIO()
    lines = Lines(stream, clock=lambda: now[0])
    lines.begin(["iris"])
    log.write_text("progress: 30 of 90 cells, 0.01 per second, … left\n")
    for now[0] in range(0, 3600, 1):
        lines.show(BEGUN.format("iris"))
    assert 4 <= len(stream.getvalue().splitlines()) <= 7


def test_what_is_done_is_said_once(log: Path) -> None:
    stream = io.StringIO()
    lines = Lines(stream, clock=lambda: 0.0)
    lines.begin(["iris", "penguins"])
    log.write_text("cells: 80 fitted, 10 reused, 0 failed\n")
    for _ in range(3):
        lines.show(ENDED.format("iris"))
    lines.end(ENDED.format("iris"), failed=False)
    assert stream.getvalue() == "iris       90 of 90 cells\npenguins   nothing to do\n\n"


def test_logs_of_an_earlier_run_are_not_shown(log: Path) -> None:
    stream = io.StringIO()
    log.write_text("cells: 80 fitted, 10 reused, 0 failed\n")
    lines = Lines(stream, clock=lambda: log.stat().st_mtime + 1)
    lines.begin(["iris"])
    lines.end(ENDED.format("iris"), failed=False)
    assert stream.getvalue() == "iris   no cell to fit\n\n"


def test_after_a_failure_only_tasks_with_cells_are_named(log: Path) -> None:
    stream = io.StringIO()
    lines = Lines(stream, clock=lambda: 0.0)
    lines.begin(["iris", "penguins"])
    log.write_text("progress: 30 of 90 cells, 1 per second, … left\n")
    lines.end(BEGUN.format("iris") + BEGUN.format("penguins"), failed=True)
    assert "iris" in stream.getvalue()
    assert "penguins" not in stream.getvalue()


def test_a_task_whose_first_cell_failed_is_not_said_to_need_none(log: Path) -> None:
    stream = io.StringIO()
    lines = Lines(stream, clock=lambda: 0.0)
    lines.begin(["iris"])
    log.write_text("heldout: learners.tree.estimator: no 'NoTree' in sklearn.tree\n")
    lines.end(BEGUN.format("iris"), failed=True)
    assert stream.getvalue() == "\n"


def test_a_long_line_does_not_fill_two_of_a_narrow_terminal(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lines.shutil, "get_terminal_size", lambda: (10, 5))
    stream = Terminal()
    lines = Lines(stream, clock=lambda: 0.0)
    lines.begin(["iris"])
    log.write_text("progress: 30 of 90 cells, 10 per second, … left\n")
    lines.show(BEGUN.format("iris"))
    assert stream.getvalue() == "iris   30\n"
