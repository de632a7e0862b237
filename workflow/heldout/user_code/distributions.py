"""The installed distributions that modules come from, and their versions.

Looking a distribution up by its module's name takes a fraction of a millisecond. Where the names differ the lists of
files of all distributions are searched as texts, which takes some hundredths of a second; `packages_distributions` of
the standard library, which takes them apart, takes two tenths.
"""

import functools
import json
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

from heldout.user_code.search import Module

CONDA = "conda"
"""The installer that names its own build folder as the place where a distribution comes from."""


def providers(module: Module) -> list[str]:
    """The distributions that a module was installed with.

    Parameters
    ----------
    module
        An installed module.

    Returns
    -------
    list of str
        Usually one name; none for a file that was copied to where packages are installed.

    Examples
    --------
    >>> from heldout.user_code.search import modules_along
    >>> [providers(modules_along(name)[-1]) for name in ("pyarrow", "yaml")]
    [['pyarrow'], ['pyyaml']]
    """
    top = module.name.partition(".")[0]
    if _named_alike(top):
        return [normal(top)]
    names = sorted(name for name in set(map(normal, holders(top))) if _distribution(name))
    return names if len(names) < 2 else [n for n in names if _holds(n, module.file)] or names


def normal(name: str) -> str:
    """The name of a distribution as the index writes it: in small letters, with hyphens."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _named_alike(top: str) -> bool:
    """Whether the distribution of the module's own name says that the module belongs to it."""
    found = _distribution(top)
    if found is None:
        return False
    if top in (found.read_text("top_level.txt") or "").split():
        return True
    files = "\n" + (found.read_text("RECORD") or "")
    return f"\n{top}/__init__.py," in files or f"\n{top}.py," in files


@functools.cache
def holders(top: str) -> list[str]:
    """All distributions that hold modules of a top-level name.

    Parameters
    ----------
    top
        The name of a module or package, without dots.

    Returns
    -------
    list of str
        Their names as they write them.

    Examples
    --------
    >>> holders("yaml"), holders("no_such_module")
    (['PyYAML'], [])
    """
    return sorted({found.name for found in distributions() if _has(found, top)})


def _has(found: Distribution, top: str) -> bool:
    """Whether a distribution lists a module: by name, or else among its files."""
    if names := (found.read_text("top_level.txt") or "").split():
        return top in names
    files = found.read_text("RECORD")
    if files is None:
        files = "".join(f"{file},\n" for file in found.files or [])
    if f"\n{top}" not in f"\n{files}":
        return False
    module = rf"^{re.escape(top)}(/.*|\.[^/]*)?\.(py|so|pyd),"
    return re.search(module, files, re.MULTILINE) is not None


def _holds(name: str, file: Path | None) -> bool:
    """Whether a file belongs to a distribution."""
    found = _distribution(name)
    files = found.files or [] if found else []
    return file is not None and any(Path(str(each.locate())) == file for each in files)


def _distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def version_text(name: str) -> str:
    """The name and the version of a distribution; where it was built from a commit or a file, which.

    Parameters
    ----------
    name
        Of a distribution.

    Returns
    -------
    str
        For instance ``lightgbm 4.6.0``, or ``lightgbm absent``.

    Examples
    --------
    >>> version_text("no-such-distribution")
    'no-such-distribution absent'
    """
    found = _distribution(name)
    if found is None:
        return f"{name} absent"
    origin = _origin(found)
    built_from = origin.get("vcs_info", {}).get("commit_id") or origin.get("archive_info", {}).get(
        "hash"
    )
    return " ".join(filter(None, [name, found.version, built_from]))


def installed_from_folder(name: str) -> bool:
    """Whether ``pip install FOLDER`` put it there: its code may change and its version stay."""
    found = _distribution(name)
    if found is None or (found.read_text("INSTALLER") or "").strip() == CONDA:
        return False
    return "dir_info" in _origin(found)


def _origin(found: Distribution) -> dict[str, dict[str, str]]:
    """What ``direct_url.json`` says: it is there if the distribution does not come from an index."""
    try:
        said = json.loads(found.read_text("direct_url.json") or "{}")
    except ValueError:
        return {}
    return {key: value for key, value in said.items() if isinstance(value, dict)}


def requirements(name: str) -> list[str]:
    """What a distribution itself requires here: extras, and what is for other platforms, left out.

    Parameters
    ----------
    name
        Of an installed distribution.

    Returns
    -------
    list of str
        The names of distributions.

    Examples
    --------
    >>> "numpy" in requirements("pandas"), "pytest" in requirements("pandas")
    (True, False)
    """
    from packaging.requirements import InvalidRequirement, Requirement

    found: set[str] = set()
    of = _distribution(name)
    for text in (of.requires if of else None) or []:
        try:
            required = Requirement(text)
        except InvalidRequirement:
            continue
        if required.marker is None or required.marker.evaluate({"extra": ""}):
            found.add(normal(required.name))
    return sorted(found)
