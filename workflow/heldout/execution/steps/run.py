"""How a step runs: ``python -m heldout.execution.steps.run FOLDER LOG [BATCHES]``.

Its spec comes as text on standard input. BATCHES is for steps that read the cells of a task: how
many batches these were fitted in, which is in no spec.
"""

import contextlib
import importlib
import resource
import sys
import time
from pathlib import Path

from heldout.errors import HeldoutError
from heldout.execution.specs.decode import decode
from heldout.execution.specs.text import read_text
from heldout.user_code.search import look_in_study_folder


def run(arguments: list[str], text: str) -> int:
    """Run the step that the text names, and write beside the log what it took; the exit code."""
    folder, log, *batches = arguments
    started = time.perf_counter()
    look_in_study_folder()
    try:
        call_step(Path(folder), text, *map(int, batches))
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
        Path(log).with_suffix(".tsv").write_text("\t".join(columns) + f"\n{values}\n")
    return 0


def call_step(folder: Path, text: str, *batches: int) -> None:
    """Call the step that the text names, with its spec as the class that its `main` asks for."""
    given = read_text(text)
    main = importlib.import_module(f"heldout.execution.steps.{given.step}").main
    main(folder, decode(main.__annotations__["spec"], given.spec, given.step), *batches)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], sys.stdin.read()))
