"""A step reads only what is as it was written, and leaves a receipt when it has ended, not before."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from heldout.data.request import Request
from heldout.errors import HeldoutError
from heldout.execution.jobs import Job
from heldout.execution.steps.run import run_job
from heldout.receipts import Receipt, file_digest, read_receipt, write_receipt

STEP = "heldout.execution.steps.copy_table"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job that copies a prepared table; the step reads what its module says."""
    monkeypatch.chdir(tmp_path)
    module = ModuleType(STEP)

    def main(folder: Path, spec: Request) -> dict[str, Any]:
        print(f"copying for {spec.task}")
        (folder / "copy.txt").write_text((folder / "made.txt").read_text())
        return {"copied": 1}

    module.main = main  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, STEP, module)
    folder = Path("results/birds")
    folder.mkdir(parents=True)
    (folder / "made.txt").write_text("made")
    Path("table.csv").write_text("x,y\n")
    made = Receipt("make", {}, {}, {"results/birds/made.txt": file_digest(folder / "made.txt")})
    write_receipt(folder / "receipts" / "make.json", made)
    spec = {"task": "birds", "seed": 1, "data": "table.csv", "target": "y"}
    return Job(
        {"step": "copy_table", "code": "c", "spec": spec},
        "results/birds/logs/copy_table.log",
        {"results/birds/made.txt": "results/birds/receipts/make.json", "table.csv": None},
        ["results/birds/copy.txt"],
    )


def test_the_receipt_names_all_that_was_read_and_written(job: Job) -> None:
    run_job(job)
    receipt = read_receipt(job.receipt)
    assert receipt is not None
    assert receipt.request == job.request
    assert receipt.inputs == {path: file_digest(path) for path in job.inputs}
    assert receipt.outputs == {"results/birds/copy.txt": file_digest("results/birds/copy.txt")}
    assert receipt.facts == {"copied": 1}
    assert receipt.seconds >= 0
    assert receipt.peak_mb > 1


def test_the_command_writes_the_log_and_says_where_it_is(job: Job) -> None:
    """In a process of its own: pytest's own capture stands between this one and its outputs."""
    Path("copy_table.py").write_text(
        "from heldout.data.request import Request\n"
        "def main(folder, spec: Request):\n"
        "    print('copying', flush=True)\n"
        "    (folder / 'copy.txt').write_text('made')\n"
    )
    code = (
        "import sys, heldout.execution.steps as steps; steps.__path__.append('.');"
        f"from heldout.execution.steps.run import run; sys.exit(run([{str(job.file)!r}]))"
    )
    job.write(["a reason"])

    def done() -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    first = done()
    assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
    assert Path(job.log).read_text() == "copying\n"
    Path("results/birds/made.txt").write_text("flipped")
    second = done()
    assert "heldout: 'results/birds/made.txt' is damaged" in Path(job.log).read_text()
    said = "heldout: birds copy_table failed; see results/birds/logs/copy_table.log\n"
    assert (second.returncode, second.stdout, second.stderr) == (1, "", said)


def test_a_damaged_input_ends_the_step_before_it_reads(job: Job) -> None:
    run_job(job)
    made = Path("results/birds/made.txt")
    made.write_text("flipped")
    before = made.stat().st_ctime_ns
    with pytest.raises(HeldoutError, match=r"'results/birds/made.txt' is damaged"):
        run_job(job)
    assert Path("results/birds/copy.txt").read_text() == "made"
    assert not job.receipt.exists()
    assert made.stat().st_ctime_ns > before, "else the planner would trust what it remembers"


def test_an_input_without_a_receipt_is_not_read(job: Job) -> None:
    Path("results/birds/receipts/make.json").unlink()
    with pytest.raises(HeldoutError, match="is damaged"):
        run_job(job)


@pytest.mark.parametrize("path", ["results/birds/made.txt", "table.csv"])
def test_a_missing_input_is_named(path: str, job: Job) -> None:
    Path(path).unlink()
    with pytest.raises(HeldoutError, match=f"'{path}' cannot be read"):
        run_job(job)


def test_a_table_that_changes_while_it_is_read_ends_the_step(job: Job) -> None:
    step = sys.modules[STEP]
    main = step.main

    def edited(folder: Path, spec: Request) -> None:
        main(folder, spec)
        Path("table.csv").write_text("other")

    edited.__annotations__ = main.__annotations__
    step.main = edited  # type: ignore[attr-defined]
    with pytest.raises(HeldoutError, match=r"'table.csv' was changed while it was read"):
        run_job(job)
    assert not job.receipt.exists()


def test_a_step_that_does_not_write_an_output_has_failed(job: Job) -> None:
    with pytest.raises(HeldoutError, match=r"birds copy_table has not written 'results/other.txt'"):
        run_job(replace(job, outputs=["results/other.txt"]))
    assert not job.receipt.exists()


def test_an_error_of_the_step_leaves_no_receipt(job: Job) -> None:
    run_job(job)
    wrong = replace(job, request=job.request | {"spec": {}})
    with pytest.raises(HeldoutError, match="the field 'task' is missing"):
        run_job(wrong)
    assert not job.receipt.exists()
