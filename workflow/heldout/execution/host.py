"""What the workflow does to the Snakemake process that it runs in."""

import gc
import os
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from heldout.errors import HeldoutError
from heldout.execution.forkserver import client
from heldout.execution.planner import Situation
from heldout.user_code import search

SCHEDULER = "snakemake.schedul"
"""`snakemake.scheduler` or `snakemake.scheduling.…`, by version."""


def set_up(snakefiles: Iterable[str], remote: bool) -> None:
    """All that is done before the workflow is read.

    `snakefiles` are those that are read so far; `remote` says that this is a job of a cluster.
    """
    leave_out_snakefiles(snakefiles)
    spare_the_collector()
    set_up_shells(remote)
    ignore_forgotten_sizes()


def leave_out_snakefiles(snakefiles: Iterable[str]) -> None:
    """Look for no learner beside a Snakefile: steps have its folder on their path only if it is there."""
    for_all = [Path(place) for place in os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    folders = {Path(file).parent for file in snakefiles}
    search.leave_out(folder for folder in folders if folder not in for_all)


def protect_remote_jobs() -> None:
    """Keep the working folder from coming first on the path of jobs on other machines.

    Snakemake starts them by ``python -m``, and a `random.py` there would shadow Python's.
    """
    os.environ["PYTHONSAFEPATH"] = "1"


def spare_the_collector() -> None:
    """Keep the garbage collector from going through all that Snakemake has imported.

    It would do so several times, at the end too: 0.15 of the 0.8 seconds of a run without jobs.
    """
    gc.freeze()


def set_up_shells(remote: bool) -> None:
    """Let `python` mean this interpreter in every job, and tell local ones with whom they end.

    A job of a cluster is ended by its scheduler, which also counts its memory: the step is to be a
    plain child there, and to watch nobody. It inherits the environment, so nothing may be left in it.
    """
    folder = os.path.dirname(sys.executable)  # noqa: PTH120
    os.environ["PATH"] = os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])
    os.environ.pop(client.SNAKEMAKE, None)
    with suppress(OSError):  # another system than Linux: a step ends by itself
        if not remote:
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


def in_containers(workflow: Any) -> bool:
    """Whether steps run in containers, with their own libraries: no process of ours may take them over."""
    return any(one.name == "APPTAINER" for one in workflow.deployment_settings.deployment_method)


def refuse_prefix(modifier: Any) -> None:
    """Refuse a module with `prefix`: receipts and the ledger name files as they are without it."""
    if modifier.path_modifier.replace_prefix("results/index.html", None) != "results/index.html":
        raise HeldoutError(
            "module heldout: `prefix` and `replace_prefix` are not supported, because heldout's own records "
            "name its files below 'results'; remove it, or run heldout in a folder of its own by --directory"
        )


def check_installed() -> None:
    """Refuse to start jobs in an environment in which they would not find heldout."""
    folder = str(Path(__file__).parents[2])
    if folder in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        return
    try:
        version("heldout")
    except PackageNotFoundError:
        raise HeldoutError(
            f"heldout is not installed in the environment of {sys.executable}; run: pip install -e . in the "
            "folder of its checkout"
        ) from None


@contextmanager
def plain_errors() -> Iterator[None]:
    """Let Snakemake show the message of an error, and nothing of the code that raised it."""
    from snakemake.exceptions import WorkflowError

    try:
        yield
    except HeldoutError as error:
        raise WorkflowError(str(error)) from None


def situation(workflow: Any, is_main: bool) -> Situation:
    """How Snakemake was started; `is_main` was found out while the workflow was parsed."""
    return Situation(
        decides=not workflow.remote_exec,
        hides_times=is_main and leaves_times_alone(workflow.dag_settings),
        dry=workflow.dryrun,
    )


def leaves_times_alone(settings: Any) -> bool:
    """Whether Snakemake runs a job only if one of its inputs is newer than its outputs, or if they
    are missing. Then the planner can speak through times (`planner`).

    Not so if the user forces jobs, or if it has reasons of its own: other triggers than times, or
    marks of incomplete files. The profiles switch these off. If it runs a job for such a reason, it
    does not look at the jobs behind it, unless it may compare the times between them.
    """
    forces = settings.forcetargets or settings.forceall or settings.forcerun
    return not (forces or settings.force_incomplete) and {
        trigger.name for trigger in settings.rerun_triggers
    } == {"MTIME"}
