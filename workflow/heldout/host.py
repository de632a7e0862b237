"""What the workflow does to the Snakemake process that it runs in."""

import os
import sys
import threading
import warnings
from pathlib import Path


def put_interpreter_first() -> None:
    """Let `python` mean this interpreter in every shell that Snakemake starts.

    (Snakemake's `shell.prefix` would take away that of a workflow which uses this one as a module.)
    """
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def ignore_forgotten_sizes() -> None:
    """Silence `snakemake --report`, which asks for the size of every input and forgets to wait for it."""
    warnings.filterwarnings("ignore", "coroutine 'InputFiles", RuntimeWarning)


def cancel_timers() -> None:
    """Let the process end at once: Snakemake's scheduler leaves timers that it would wait a second for."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
