"""Digests of source code that ignore comments, docstrings and layout.

Snakemake does not see changes in an imported library. So each rule carries, in its spec, the
digest of the module it runs and of every heldout module that this one imports, directly or not.
A changed statement changes the digest; a changed comment or docstring does not.

Standard library only: the workflow imports this while it is parsed.
"""

import ast
import contextlib
import functools
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
    """Digest of the modules and of all heldout modules that they import, transitively.

    Parameters
    ----------
    modules
        Names of modules of this package.

    Returns
    -------
    str
        32 hexadecimal digits; others if a statement of one of these modules is changed.

    Examples
    --------
    >>> len(code_digest("heldout.names"))
    32
    >>> code_digest("heldout.names") == code_digest("heldout.registries")
    False
    """
    names = sorted(import_closure(*modules))
    combined = digest(*(f"{name}:{_facts(name).digest}" for name in names))
    _save_facts()
    return combined


@functools.cache
def library_versions() -> str:
    """The versions of the numeric libraries, which are part of the key of every cell.

    Returns
    -------
    str
        Canonical JSON: version by library.

    Examples
    --------
    >>> sorted(json.loads(library_versions()))
    ['numpy', 'scikit-learn', 'scipy']
    """
    return canonical({name: _version(name) for name in NUMERIC_LIBRARIES})


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def import_closure(*modules: str) -> set[str]:
    """The modules and all heldout modules that they import, transitively.

    Parameters
    ----------
    modules
        Names of modules of this package.

    Returns
    -------
    set of str
        Names of modules, the given ones among them.

    Examples
    --------
    >>> sorted(import_closure("heldout.provenance"))
    ['heldout.names', 'heldout.provenance']
    """
    closure: set[str] = set()
    queue = list(modules)
    while queue:
        name = queue.pop()
        if name not in closure:
            closure.add(name)
            queue += [imported for imported in _facts(name).imports if _path(imported)]
    return closure


@functools.cache
def _path(module: str) -> Path | None:
    parts = module.split(".")[1:]
    for path in (ROOT.joinpath(*parts, "__init__.py"), ROOT.joinpath(*parts).with_suffix(".py")):
        if path.is_file():
            return path
    return None


class _Facts(NamedTuple):
    """What was read from a module's file; valid while the file has the same times and size."""

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
    saved = _saved_facts().get(module)
    if saved is not None and saved.stamp == stamp:
        return saved
    tree = ast.parse(path.read_text(encoding="utf-8"))
    _unsaved[module] = _Facts(stamp, _imports(tree), tree_digest(tree))
    return _unsaved[module]


_unsaved: dict[str, _Facts] = {}
"""Facts that are not in the cache file yet."""


def _cache_file() -> Path:
    """Beside the compiled bytecode, so that modules that have not changed are not parsed again.

    Its name has the digest of this module: another way to make digests uses another file.
    """
    own_digest = digest(Path(__file__).read_bytes())[:8]
    return ROOT / "__pycache__" / f"digests.{sys.implementation.cache_tag}.{own_digest}.json"


@functools.cache
def _saved_facts() -> dict[str, _Facts]:
    try:
        by_module = json.loads(_cache_file().read_text(encoding="utf-8"))
        return {module: _Facts(*facts) for module, facts in by_module.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _save_facts() -> None:
    """Add new facts to the cache file, if it can be written."""
    if not _unsaved or sys.dont_write_bytecode:
        return
    _saved_facts().update(_unsaved)
    _unsaved.clear()
    file = _cache_file()
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    with contextlib.suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(_saved_facts()), encoding="utf-8")
        temporary.replace(file)


def _imports(tree: ast.Module) -> list[str]:
    """The names of this package that a module imports or names by a dotted path."""
    names: list[str] = []
    for node in _executed_nodes(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names += [match[1] for match in [DOTTED_PATH.fullmatch(node.value)] if match]
    return sorted({name for name in names if name.startswith(f"{PACKAGE}.")})


def _executed_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under ``if TYPE_CHECKING:``, which never run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _executed_nodes(node)


def tree_digest(tree: ast.Module) -> str:
    """Digest of a syntax tree without docstrings.

    Parameters
    ----------
    tree
        A module's syntax tree.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> tree_digest(ast.parse("x = 1  # one")) == tree_digest(ast.parse("x = 1"))
    True
    """
    tokens: list[str] = []
    _append_tokens(tree, tokens)
    return digest("\n".join(tokens))


def _append_tokens(node: ast.AST, tokens: list[str]) -> None:
    """Append the node's type and fields, in order, without docstrings (quicker than ast.dump)."""
    tokens.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            tokens.append(name)
            _append_tokens(value, tokens)
        elif isinstance(value, list):
            tokens.append(f"{name}[")
            for item in value:
                if not isinstance(item, ast.AST):
                    tokens.append(repr(item))
                elif not _is_docstring(item):
                    _append_tokens(item, tokens)
            tokens.append("]")
        elif value is not None:
            tokens.append(f"{name}={value!r}")


def _is_docstring(node: ast.AST) -> bool:
    """A docstring, or a string that documents the name above it."""
    return (
        type(node) is ast.Expr
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
