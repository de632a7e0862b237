"""Where the modules of learners are looked for: by digests, and by the steps that import them.

One order for both: Python's path, then the study's folder, which is the working folder. It comes
last, so a user's ``random.py`` or ``numpy.py`` shadows nothing.
"""

import os
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import NamedTuple

INSTALLED = {"site-packages", "dist-packages"}
"""The names of folders that packages are installed in."""


class Module(NamedTuple):
    """A module that was found, and not imported."""

    name: str
    """With dots."""
    file: Path | None
    """None for a package without ``__init__.py``."""
    folders: list[str]
    """Where a package's modules are; empty for a plain module."""

    @property
    def installed(self) -> bool:
        """Whether it lies where packages are installed."""
        places = self.folders if self.file is None else [self.file]
        return any(INSTALLED & set(Path(place).parts) for place in places)


_left_out: set[str] = set()
"""Folders that are on the path of this process only."""


def leave_out(folders: Iterable[Path]) -> None:
    """Do not look in these folders: Snakemake puts those of Snakefiles on its path, and only there.

    Parameters
    ----------
    folders
        Folders that no step has on its path.
    """
    _left_out.update(os.path.realpath(folder) for folder in folders)


def search_path() -> list[str]:
    """Where modules are looked for, in this order.

    Returns
    -------
    list of str
        Python's path and, last, the study's folder.

    Examples
    --------
    >>> search_path()[-1] == str(Path.cwd())
    True
    """
    here = str(Path.cwd())
    elsewhere = {os.path.realpath(here), *_left_out}
    return [*(place for place in sys.path if os.path.realpath(place) not in elsewhere), here]


def look_in_study_folder() -> None:
    """Let this process import modules in that order: for steps, and for commands that need learners.

    Before it is called, no module of the study can be imported, not even by a library that only
    tries whether another one is there.

    Examples
    --------
    >>> path = [*sys.path]
    >>> look_in_study_folder()
    >>> sys.path == search_path()
    True
    >>> sys.path[:] = path
    """
    sys.path[:] = search_path()


def modules_along(name: str) -> list[Module]:
    """The packages and the module on the way of a dotted name, as far as there are any.

    Parameters
    ----------
    name
        A module, or something in a module: `package.module.Name`.

    Returns
    -------
    list of Module
        The outermost package first. None of them is imported, as `importlib.util.find_spec` would.

    Examples
    --------
    >>> [module.name for module in modules_along("sklearn.svm.SVC")]
    ['sklearn', 'sklearn.svm']
    >>> modules_along("no_such_module.Name")
    []
    """
    found: list[Module] = []
    for part in name.split("."):
        spec = _find(part, found[-1].folders if found else None)
        if spec is None:
            break
        whole = f"{found[-1].name}.{part}" if found else part
        found.append(Module(whole, _file(spec), list(spec.submodule_search_locations or [])))
    return found


def overlooked(name: str) -> Path | None:
    """The file of the study's folder that is not found because another module has its name.

    Parameters
    ----------
    name
        Of a module.

    Returns
    -------
    Path or None
        For instance the user's ``calendar.py``: Python has a module of this name.

    Examples
    --------
    >>> overlooked("calendar") is None
    True
    """
    top = name.partition(".")[0]
    file, found = Path.cwd() / f"{top}.py", modules_along(top)
    return file if file.is_file() and (not found or found[0].file != file) else None


def _find(part: str, folders: list[str] | None) -> ModuleSpec | None:
    """A module in these folders; without any, as an import would, but along the path above."""
    if folders is not None:
        return PathFinder.find_spec(part, folders)
    for finder in sys.meta_path:  # editable installs may have finders of their own
        if finder is PathFinder:
            spec = PathFinder.find_spec(part, search_path())
        else:
            spec = finder.find_spec(part, None) if hasattr(finder, "find_spec") else None
        if spec is not None:
            return spec
    return None


def _file(spec: ModuleSpec) -> Path | None:
    """The file of a module; of one inside a zip file, that file."""
    archive = getattr(spec.loader, "archive", None)
    if archive is not None:
        return Path(archive)
    return Path(spec.origin) if spec.origin and spec.has_location else None
