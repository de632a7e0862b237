"""How a step runs: it compares what it reads with the receipts of those who wrote it, calls the
library, and leaves a receipt of its own. What it prints goes to its log.
"""

import contextlib
import importlib
import os
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from heldout.decode import decode
from heldout.errors import HeldoutError
from heldout.execution.forkserver.lifeline import end_with_client
from heldout.execution.jobs import Job, read_job
from heldout.execution.resources import peak_megabytes
from heldout.receipts import Receipt, file_digest, read_receipt, write_receipt
from heldout.user_code.search import look_in_study_folder


def run(arguments: list[str]) -> int:
    """Run the step of the job whose file is the argument; the exit code."""
    job = read_job(Path(arguments[0]))
    with _output_to(Path(job.log)):
        try:
            run_job(job)
            return 0
        except HeldoutError as error:
            print(f"heldout: {error}", file=sys.stderr)
        except Exception:
            traceback.print_exc()
    print(f"heldout: {job.title} failed; see {job.log}", file=sys.stderr)
    return 1


def run_job(job: Job) -> None:
    """Run a step, from verified inputs to its receipt."""
    started = time.perf_counter()
    job.receipt.unlink(missing_ok=True)
    inputs = {path: _verified(path, maker) for path, maker in job.inputs.items()}
    look_in_study_folder()
    facts = call_step(job) or {}
    _check_unchanged(job, inputs)
    outputs = {path: _written(path, job) for path in job.outputs}
    used = resource.getrusage(resource.RUSAGE_SELF)
    write_receipt(
        job.receipt,
        Receipt(
            job.name,
            job.request,
            inputs,
            outputs,
            facts,
            seconds=round(time.perf_counter() - started, 3),
            cpu_seconds=round(used.ru_utime + used.ru_stime, 3),
            peak_mb=peak_megabytes(used.ru_maxrss),
        ),
    )


def call_step(job: Job) -> Any:
    """Call the step of a job, with its spec as the class that its `main` asks for."""
    main = importlib.import_module(f"heldout.execution.steps.{job.step}").main
    spec = decode(main.__annotations__["spec"], job.request["spec"], job.step)
    batches = () if job.batches is None else (job.batches,)
    return main(job.folder, spec, *batches)


def _verified(path: str, receipt_file: str | None) -> str:
    """The digest of an input; an error if it is not what the step that wrote it left."""
    try:
        found = file_digest(path)
    except OSError as error:
        raise HeldoutError(f"'{path}' cannot be read ({error.strerror}); run again") from None
    if receipt_file is None:
        return found
    receipt = read_receipt(Path(receipt_file))
    if receipt is None or receipt.outputs.get(path) != found:
        Path(path).touch()  # else the next run would trust the digest that it remembers
        raise HeldoutError(
            f"'{path}' is damaged: it is not as '{receipt_file}' says it was written. Run the same "
            "command again: it is made anew"
        )
    return found


def _check_unchanged(job: Job, inputs: dict[str, str]) -> None:
    """A table that is edited while it is read may have been read half old, half new."""
    for path, receipt_file in job.inputs.items():
        if receipt_file is None and file_digest(path) != inputs[path]:
            raise HeldoutError(f"'{path}' was changed while it was read; run again")


def _written(path: str, job: Job) -> str:
    if not Path(path).is_file():
        raise HeldoutError(f"{job.title} has not written '{path}'")
    return file_digest(path)


@contextlib.contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Let standard output and error of this process, and of its children, go to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    _flush()
    kept = os.dup(1), os.dup(2)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    for place in (1, 2):
        os.dup2(file, place)
    os.close(file)
    try:
        yield
    finally:
        _flush()
        for place, output in enumerate(kept, start=1):
            os.dup2(output, place)
            os.close(output)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


if __name__ == "__main__":
    end_with_client()
    sys.exit(run(sys.argv[1:]))
