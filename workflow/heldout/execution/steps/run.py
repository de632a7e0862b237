"""How a step runs: ``python -m heldout.execution.steps.run FOLDER LOG``, the spec as JSON on standard input."""

import sys


def run(arguments: list[str], spec: str) -> int:
    """Run the step that the spec names, and write beside the log what it took; the exit code."""
    import contextlib
    import importlib
    import json
    import resource
    import time
    from pathlib import Path

    from heldout.errors import HeldoutError

    folder, log = map(Path, arguments)
    given = json.loads(spec)
    started = time.perf_counter()
    try:
        importlib.import_module(f"heldout.execution.steps.{given['step']}").main(folder, given)
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
        log.with_suffix(".tsv").write_text("\t".join(columns) + f"\n{values}\n")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], sys.stdin.read()))
