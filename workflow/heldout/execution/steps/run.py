"""How a step runs: ``python -m heldout.execution.steps.run SPECFILE``.

The file holds the step's name and spec, the folder it works in, its log, and for steps that read the
cells of a task how many batches these were fitted in, which is in no spec.
"""

import contextlib
import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path

from heldout.errors import HeldoutError
from heldout.execution.forkserver.lifeline import end_with_client
from heldout.execution.specs.decode import decode
from heldout.execution.specs.text import read_text


def run(arguments: list[str]) -> int:
    """Run the step of a spec file, with a log, and write beside it what it took; the exit code."""
    text = Path(arguments[0]).read_text(encoding="utf-8")
    given = json.loads(text)
    _write_to(given["log"])
    started = time.perf_counter()
    try:
        call_step(Path(given["folder"]), text, *given["batches"])
    except HeldoutError as error:
        print(f"heldout: {error}", file=sys.stderr)
        return 1
    used = resource.getrusage(resource.RUSAGE_SELF)
    columns = {
        "s": time.perf_counter() - started,
        "cpu_time": used.ru_utime + used.ru_stime,
        "max_rss": used.ru_maxrss / 1024,
    }
    values = "\t".join(f"{value:.3f}" for value in columns.values())
    with contextlib.suppress(OSError):
        Path(given["log"]).with_suffix(".tsv").write_text("\t".join(columns) + f"\n{values}\n")
    return 0


def _write_to(log: str) -> None:
    """Let all that this process and its own print go to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    with open(log, "ab") as file:  # noqa: PTH123
        file.truncate(0)
        for output in (1, 2):
            os.dup2(file.fileno(), output)


def call_step(folder: Path, text: str, *batches: int) -> None:
    """Call the step that the text names, with its spec as the class that its `main` asks for."""
    given = read_text(text)
    main = importlib.import_module(f"heldout.execution.steps.{given.step}").main
    main(folder, decode(main.__annotations__["spec"], given.spec, given.step), *batches)


if __name__ == "__main__":
    end_with_client()
    sys.exit(run(sys.argv[1:]))
