"""Digests of source code that ignore comments, docstrings and layout.

Snakemake does not see changes in an imported library. So each rule carries, in its spec, the
digest of the module it runs and of every heldout module that this one imports, directly or not.
A changed statement changes the digest; a changed comment or docstring does not.

Standard library only: the workflow imports this while it is parsed.
"""

import ast
import contextlib
import functools
import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from heldout.names import canonical, digest

PACKAGE = "heldout"
ROOT = Path(__file__).parent
DOTTED_PATH = re.compile(rf"({PACKAGE}(?:\.\w+)+):\w+")
"""How registries name functions: ``heldout.estimates.fixed:training``."""
NUMERIC_LIBRARIES = ("numpy", "scipy", "scikit-learn")
"""The libraries whose version can change a fitted number."""


@functools.cache
def code_digest(*modules: str) -> str:
    """Digest of the modules and of all heldout modules that they import, transitively."""
    found = digest(*(f"{name}:{_facts(name).digest}" for name in sorted(import_closure(*modules))))
    _remember()
    return found


@functools.cache
def library_versions() -> str:
    """Canonical JSON of the versions of the numeric libraries."""
    return canonical({name: _version(name) for name in NUMERIC_LIBRARIES})


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


@functools.cache
def estimator_source(import_path: str) -> str:
    """What stands for the code of an estimator that is not scikit-learn's own.

    Of an installed package its version; of the user's own module the digest of its source, so that
    a change there fits its cells anew.
    """
    top = import_path.replace(":", ".").split(".")[0]
    spec = None if top == "sklearn" else importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        return ""
    if "site-packages" in Path(spec.origin).parts:
        return f"{top} {_version(top)}"
    places = spec.submodule_search_locations
    files = sorted(Path(places[0]).rglob("*.py")) if places else [Path(spec.origin)]
    return digest(*(_tree_digest(ast.parse(file.read_text(encoding="utf-8"))) for file in files))


def import_closure(*modules: str) -> set[str]:
    """The modules and all heldout modules that they import, transitively."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [one for one in _facts(name).imports if _path(one)]
    return found


@functools.cache
def _path(module: str) -> Path | None:
    parts = module.split(".")[1:]
    for path in (ROOT.joinpath(*parts, "__init__.py"), ROOT.joinpath(*parts).with_suffix(".py")):
        if path.is_file():
            return path
    return None


class _Facts(NamedTuple):
    """What is known of a module while its file has the same times and size."""

    stamp: list[int]
    imports: list[str]
    digest: str


@functools.cache
def _facts(module: str) -> _Facts:
    path = _path(module)
    if path is None:
        raise ModuleNotFoundError(module)
    file = path.stat()
    stamp = [file.st_mtime_ns, file.st_ctime_ns, file.st_size]
    known = _memory().get(module)
    if known is not None and known.stamp == stamp:
        return known
    tree = ast.parse(path.read_text(encoding="utf-8"))
    _news[module] = _Facts(stamp, _imports(tree), _tree_digest(tree))
    return _news[module]


_news: dict[str, _Facts] = {}
"""What the memory does not know yet."""


def _memory_file() -> Path:
    """Beside the compiled bytecode, and for the same reason: not to read the code every time."""
    way = digest(Path(__file__).read_bytes())[:8]  # of making digests
    return ROOT / "__pycache__" / f"digests.{sys.implementation.cache_tag}.{way}.json"


@functools.cache
def _memory() -> dict[str, _Facts]:
    try:
        found = json.loads(_memory_file().read_text(encoding="utf-8"))
        return {module: _Facts(*facts) for module, facts in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _remember() -> None:
    """Add the news to the memory, if it can be written."""
    if not _news or sys.dont_write_bytecode:
        return
    _memory().update(_news)
    _news.clear()
    file = _memory_file()
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    with contextlib.suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(_memory()), encoding="utf-8")
        temporary.replace(file)


def _imports(tree: ast.Module) -> list[str]:
    """Everything of this package that a module names in an import or by a dotted path."""
    names: list[str] = []
    for node in _run_nodes(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names += [found[1] for found in [DOTTED_PATH.fullmatch(node.value)] if found]
    return sorted({name for name in names if name.startswith(f"{PACKAGE}.")})


def _run_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of ``if TYPE_CHECKING:``, which never run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _run_nodes(node)


def _tree_digest(tree: ast.Module) -> str:
    words: list[str] = []
    _spell(tree, words)
    return digest("\n".join(words))


def _spell(node: ast.AST, words: list[str]) -> None:
    """Append the node's type and fields, in order, leaving out docstrings (quicker than ast.dump)."""
    words.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            words.append(name)
            _spell(value, words)
        elif isinstance(value, list):
            words.append(f"{name}[")
            for item in value:
                if not isinstance(item, ast.AST):
                    words.append(repr(item))
                elif not _is_text(item):
                    _spell(item, words)
            words.append("]")
        elif value is not None:
            words.append(f"{name}={value!r}")


def _is_text(node: ast.AST) -> bool:
    """A docstring, or a string that documents the name above it."""
    return (
        type(node) is ast.Expr
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
