"""What only Linux has is only for speed: without it a study gives the same, and ends as well."""

from pathlib import Path

from harness import MODEL, RISKS, SELECTION, Project

from heldout.execution.forkserver.client import ADDRESS

POORER = '''
"""As on another system: no /proc, no descriptors of processes or memory, no prctl, no affinity, no fork of our own."""

import builtins, ctypes, os, sys

for name in ("pidfd_open", "memfd_create", "sched_getaffinity"):
    if hasattr(os, name):
        delattr(os, name)

OF_THREADPOOLCTL = ["/proc/self/maps"]  # which reads it because Python says that this is Linux
original = builtins.open


def open_without_proc(file, *more, **options):
    if str(file).startswith("/proc/") and str(file) not in OF_THREADPOOLCTL:
        raise FileNotFoundError(2, "No such file or directory", file)
    return original(file, *more, **options)


def no_prctl(*_):
    raise OSError("no prctl")


builtins.open = open_without_proc
ctypes.CDLL.prctl = property(no_prctl)
if "heldout.execution.step" in sys.orig_argv:
    del os.fork
'''


def test_a_study_without_what_only_linux_has(cold: Project, tmp_path: Path) -> None:
    poorer = tmp_path / "poorer"
    poorer.mkdir()
    (poorer / "sitecustomize.py").write_text(POORER)
    folder = tmp_path / "study"
    folder.mkdir()
    project = Project(folder, environment={ADDRESS: ""})
    project.put_first(poorer)
    assert project.shell("python -c 'import os; os.pidfd_open'").returncode == 1
    run = project.succeed()
    assert run.jobs == Project(cold.folder).run("--forceall", "--dry-run").jobs
    assert (folder / RISKS).read_bytes() == (cold.folder / RISKS).read_bytes()
    assert (folder / SELECTION).read_bytes() == (cold.folder / SELECTION).read_bytes()
    assert (folder / MODEL).is_file()
    assert project.check().code == 0
