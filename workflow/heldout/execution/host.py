"""What the workflow does to the Snakemake process that it runs in."""

import gc
import os
import sys
import threading
import warnings
from contextlib import suppress

from heldout.execution.forkserver import client

SCHEDULER = "snakemake.schedul"
"""`snakemake.scheduler` or `snakemake.scheduling.…`, by version."""


def set_up() -> None:
    """All that is done before the workflow is read."""
    spare_the_collector()
    set_up_shells()
    ignore_forgotten_sizes()


def spare_the_collector() -> None:
    """Keep the garbage collector from going through all that Snakemake has imported.

    It would do so several times, at the end too: 0.15 of the 0.8 seconds of a run without jobs.
    """
    gc.freeze()


def set_up_shells() -> None:
    """Tell every job which interpreter and which script run a step, and with whom it ends.

    Environment variables, because a path in the rule's command would be compared with that of
    earlier runs, and `shell.prefix` belongs to a workflow that uses this one as a module. A job of a
    cluster inherits them, but its own Snakemake, which starts the step there, sets them anew.
    """
    os.environ["HELDOUT_PYTHON"] = sys.executable
    os.environ["HELDOUT_STEP"] = client.__file__
    os.environ.pop(client.SNAKEMAKE, None)
    with suppress(OSError):  # another system than Linux: a step ends by itself
        os.environ[client.SNAKEMAKE] = client.process_name(os.getpid())


def ignore_forgotten_sizes() -> None:
    """Silence `snakemake --report`, which asks for the size of every input and forgets to await it."""
    warnings.filterwarnings("ignore", "coroutine 'InputFiles", RuntimeWarning)


def end_at_once() -> None:
    """Cancel the timers that Snakemake's scheduler leaves, for which its process would wait a second.

    Other timers belong to somebody else and stay.
    """
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and _is_the_schedulers(thread):
            thread.cancel()


def _is_the_schedulers(timer: threading.Timer) -> bool:
    """Whether a timer calls a function of Snakemake's scheduler.

    (The functions of a Snakefile may be in a module called `snakemake.workflow`.)
    """
    module = getattr(timer.function, "__module__", None) or ""
    return module.startswith(SCHEDULER)
