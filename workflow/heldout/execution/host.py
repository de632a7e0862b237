"""What the workflow does to the Snakemake process that it runs in."""

import gc
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

from heldout.execution.forkserver import client


def set_up(persistence: Any) -> None:
    """All that is done before the workflow is read; `persistence` is Snakemake's module."""
    settle()
    set_up_shells()
    spare_pandas(persistence)
    ignore_forgotten_sizes()


def set_up_shells() -> None:
    """Let `python` mean this interpreter in every shell that Snakemake starts, and name the script of a step.

    (Snakemake's `shell.prefix` would take away that of a workflow which uses this one as a module.)
    """
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["HELDOUT_STEP"] = client.__file__


def spare_pandas(persistence: Any) -> None:
    """Keep Snakemake from importing pandas, a third of a second, to ask if a parameter is a table of it.

    It cannot be one as long as nobody has imported pandas. (Another version of Snakemake that looks
    different is left alone.)
    """
    base = getattr(persistence, "PersistenceBase", None)
    thorough = getattr(base, "_serialize_param_pandas", None)
    plain = getattr(base, "_serialize_param_builtin", None)
    if base and thorough and plain:
        base._serialize_param_pandas = lambda self, value: (
            thorough if "pandas" in sys.modules else plain
        )(self, value)


def settle() -> None:
    """Let Python not look for garbage in what is there by now: it would do so even when it ends."""
    gc.freeze()


def ignore_forgotten_sizes() -> None:
    """Silence `snakemake --report`, which asks for the size of every input and forgets to wait for it."""
    warnings.filterwarnings("ignore", "coroutine 'InputFiles", RuntimeWarning)


def end_at_once() -> None:
    """Let the process end at once: Snakemake's scheduler leaves timers that it would wait a second for."""
    settle()
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
