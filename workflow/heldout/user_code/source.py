"""What identifies the code of a learner: digests of the user's own modules, versions of the others.

The user's own are those that are not installed: in the study's folder, elsewhere on Python's path,
or an editable install. All that they import is followed in their syntax trees.
"""

import ast
import importlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from heldout.errors import HeldoutError
from heldout.names import digest
from heldout.provenance import NUMERIC_LIBRARIES, PACKAGE, code_digest, tree_digest
from heldout.user_code.distributions import (
    installed_from_folder,
    normal,
    providers,
    requirements,
    version_text,
)
from heldout.user_code.imports import imported_names
from heldout.user_code.search import Module, modules_along

LIBRARY = "sklearn"
KNOWN = {"numpy", "scipy", LIBRARY, PACKAGE, *sys.stdlib_module_names}
"""Modules whose versions, or digests, are in the key of every cell."""
CODE = (".py", ".so", ".pyd")
"""The endings of a package's files that count; those of another kind cannot be followed."""


def estimator_source(import_path: str, where: str) -> str:
    """What identifies the code of an estimator that is not scikit-learn's own.

    Parameters
    ----------
    import_path
        The import path of the estimator's class or factory.
    where
        The key of the config that an error message names.

    Returns
    -------
    str
        Empty for scikit-learn, whose version is in `library_versions`. For an installed package its
        version, and those of what it requires. For the user's own module a digest of its source
        and of all that it imports, and the versions of the installed packages among these.

    Raises
    ------
    HeldoutError
        If there is no such module.

    Examples
    --------
    >>> estimator_source("sklearn.svm.SVC", "learners.svm.estimator")
    ''
    >>> estimator_source("pyarrow.Table", "learners.mine.estimator").split()[0]
    'pyarrow'
    >>> estimator_source("my_modul.Mine", "learners.mine.estimator")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heldout.errors.HeldoutError: learners.mine.estimator: no module 'my_modul' on Python's path or in ...
    """
    name = import_path.replace(":", ".").rpartition(".")[0]
    top = name.partition(".")[0]
    if top == LIBRARY:
        return ""
    if top in sys.stdlib_module_names:
        return f"python {sys.version_info.major}.{sys.version_info.minor}"
    if top == PACKAGE:
        return _own_digest(name)
    importlib.invalidate_caches()
    found = modules_along(name)
    if not found or found[-1].name != name:
        raise HeldoutError(_not_found(name, [module.name for module in found], where))
    return _source(found[-1])


def _own_digest(name: str) -> str:
    """Of a module of heldout; one that is not there is reported when it is imported."""
    try:
        return code_digest(name)
    except ModuleNotFoundError:
        return ""


def _not_found(name: str, found: list[str], where: str) -> str:
    if found:
        return f"{where}: no module '{name}' in '{found[-1]}'"
    return (
        f"{where}: no module '{name}' on Python's path or in {Path.cwd()}; the modules of a study are "
        "looked for in the folder that it runs in"
    )


def _source(module: Module) -> str:
    """The text for a module that is not one of those that are known anyway."""
    names = _versioned(module)
    if names is None:
        own = _Closure()
        own.follow(module.name)
        return ", ".join([own.digest, *own.versions])
    needed = {required for name in names for required in requirements(name)}
    libraries = set(NUMERIC_LIBRARIES)
    return ", ".join(map(version_text, [*names, *sorted(needed - libraries - set(names))]))


def _versioned(module: Module) -> list[str] | None:
    """The distributions whose versions identify a module; None if its source must be read."""
    names = providers(module) if module.installed else []
    return None if not names or any(map(installed_from_folder, names)) else names


class _Closure:
    """The user's own modules that a module imports, however far away, and what else they import."""

    def __init__(self) -> None:
        self._seen: set[Path] = set()
        self._digests: dict[str, str] = {}
        self._versions: set[str] = set()

    @property
    def digest(self) -> str:
        """Of all sources, by the names of their modules: it is the same in another folder."""
        return digest(*(f"{name}:{self._digests[name]}" for name in sorted(self._digests)))

    @property
    def versions(self) -> list[str]:
        """The versions of the installed packages that are imported; some may be absent."""
        return sorted(self._versions)

    def follow(self, *names: str) -> None:
        """Read these modules, and all that they import."""
        waiting, seen = list(names), set[str]()
        while waiting:
            name = waiting.pop()
            if name not in seen and name.partition(".")[0] not in KNOWN:
                seen.add(name)
                waiting += self._read_along(name)

    def _read_along(self, name: str) -> list[str]:
        """Read what lies on the way of a name; the names that are imported there."""
        along = modules_along(name)
        if not along:
            self._versions.add(f"{normal(name.partition('.')[0])} absent")
            return []
        if along[-1].file is not None:
            versioned = _versioned(along[-1])
            if versioned is not None:
                self._versions.update(map(version_text, versioned))
                return []
        new = [module for module in along if module.file not in self._seen]
        files = [pair for module in new for pair in _files(module)]
        return [found for file, module in files for found in self._read(file, module)]

    def _read(self, file: Path, module: str) -> set[str]:
        """Digest a file; the names that it imports."""
        if file in self._seen:
            return set()
        self._seen.add(file)
        module_file, data = f"{module}{file.suffix}", _bytes(file)
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse(data)
            self._digests[module_file] = tree_digest(tree)
        except (SyntaxError, ValueError, RecursionError):  # no Python, or none that can be read
            self._digests[module_file] = digest(data)
            return set()
        return imported_names(tree, module, file.stem == "__init__")


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise HeldoutError(
            f"cannot read '{file}', which a learner imports: {error.strerror}"
        ) from None


def _files(module: Module) -> Iterator[tuple[Path, str]]:
    """The files of a module and their modules' names: of a package all, for it may import any."""
    if module.file is None:
        return
    yield module.file, module.name
    if module.file.name == "__init__.py":
        folder = module.file.parent
        for file in sorted(path for path in folder.rglob("*") if path.suffix in CODE):
            inner = file.relative_to(folder).with_suffix("").parts
            names = inner[:-1] if inner[-1] == "__init__" else inner
            if names:
                yield file, ".".join([module.name, *names])
