"""What the workflow does to Snakemake's process changes no answer, and nothing of others."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snakemake.scheduling import job_scheduler
from snakemake.settings.enums import RerunTrigger
from snakemake.settings.types import DAGSettings

from heldout.execution import host
from heldout.execution.forkserver.client import process_name
from heldout.user_code import search


@pytest.fixture
def timer() -> Iterator[Callable[[Callable[[], None]], threading.Timer]]:
    """Starts timers that would run for a minute, and cancels what is left of them."""
    started: list[threading.Timer] = []

    def start(function: Callable[[], None]) -> threading.Timer:
        started.append(threading.Timer(60, function))
        started[-1].start()
        return started[-1]

    yield start
    for one in started:
        one.cancel()


def of_module(name: str) -> Callable[[], None]:
    """A function as if it had been defined there."""
    scope = {"__name__": name}
    exec("def wake(): pass", scope)
    return scope["wake"]  # type: ignore[return-value]


def test_the_schedulers_timers_are_cancelled(
    timer: Callable[[Callable[[], None]], threading.Timer],
) -> None:
    own = timer(of_module(job_scheduler.__name__))
    host.end_at_once()
    own.join(5)
    assert not own.is_alive()


@pytest.mark.parametrize("module", ["analysis", "snakemake.workflow", "snakemake", "threading"])
def test_other_timers_go_on(
    module: str, timer: Callable[[Callable[[], None]], threading.Timer]
) -> None:
    other = timer(of_module(module))
    host.end_at_once()
    assert not other.finished.is_set()


def test_the_timer_that_snakemake_starts_is_one_of_these(
    monkeypatch: pytest.MonkeyPatch, timer: Callable[[Callable[[], None]], threading.Timer]
) -> None:
    """The scheduler's own method starts it; without it Snakemake would only end a second later."""
    before = set(threading.enumerate())
    job_scheduler.JobScheduler._schedule_reevalutation(
        object.__new__(job_scheduler.JobScheduler),
        60,  # type: ignore[arg-type]
    )
    [left] = set(threading.enumerate()) - before
    host.end_at_once()
    left.join(5)
    assert not left.is_alive()


def test_in_a_job_python_is_this_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join(["/nowhere", "/usr/bin"]))
    monkeypatch.setenv("HELDOUT_SNAKEMAKE", "")
    host.set_up_shells(remote=False)
    assert os.environ["HELDOUT_SNAKEMAKE"] == process_name(os.getpid())
    assert os.environ["PATH"].endswith("/nowhere:/usr/bin")
    assert shutil.which("python") == str(Path(sys.executable).with_name("python"))


def test_a_job_of_a_cluster_ends_with_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """It inherits what the main process has told its own jobs."""
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("HELDOUT_SNAKEMAKE", process_name(os.getpid()))
    host.set_up_shells(remote=True)
    assert "HELDOUT_SNAKEMAKE" not in os.environ


def test_the_collector_leaves_alone_what_was_there_before() -> None:
    code = """if True:
        import gc
        from heldout.execution import host
        before = len(gc.get_objects())
        host.set_up([], remote=False)
        print(gc.isenabled(), gc.get_freeze_count() > 0.9 * before > len(gc.get_objects()))
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_no_learner_is_looked_for_beside_a_snakefile_unless_steps_would_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        monkeypatch.syspath_prepend(tmp_path / name)
    monkeypatch.setattr(search, "_left_out", set())
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "other"))
    host.leave_out_snakefiles([str(tmp_path / "one/Snakefile"), str(tmp_path / "other/Snakefile")])
    assert str(tmp_path / "one") not in search.search_path()
    assert str(tmp_path / "other") in search.search_path()


def test_jobs_elsewhere_do_not_have_the_working_folder_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    host.protect_remote_jobs()
    code = "import sys; print(sys.flags.safe_path)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    ("changed", "alone"),
    [
        ({}, True),
        ({"forceall": True}, False),
        ({"forcetargets": True}, False),
        ({"forcerun": {"draw_splits"}}, False),
        ({"force_incomplete": True}, False),
        ({"rerun_triggers": RerunTrigger.all()}, False),
        ({"rerun_triggers": frozenset({RerunTrigger.MTIME, RerunTrigger.CODE})}, False),
    ],
)
def test_times_are_hidden_only_if_snakemake_has_no_reasons_of_its_own(
    changed: dict[str, Any], alone: bool
) -> None:
    by_profile = DAGSettings(rerun_triggers=frozenset({RerunTrigger.MTIME}))
    assert host.leaves_times_alone(replace(by_profile, **changed)) is alone
