"""Digests of source code that ignore comments, docstrings and layout.

Snakemake does not see changes in an imported library. So each rule carries, in its spec, the
digest of the module it runs and of every heldout module that this one imports, directly or not.
A changed statement changes the digest; a changed comment or docstring does not.

Standard library only: the workflow imports this while it is parsed.
"""

import ast
import functools
import importlib.util
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from heldout.names import canonical, digest

PACKAGE = "heldout"
ROOT = Path(__file__).parent
NUMERIC_LIBRARIES = ("numpy", "scipy", "scikit-learn")
"""The libraries whose version can change a fitted number."""


def code_digest(module: str) -> str:
    """Digest of `module` and of all heldout modules it imports, transitively."""
    return digest(*(f"{name}:{_source_digest(name)}" for name in sorted(_closure(module))))


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


def _closure(module: str) -> set[str]:
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


def _path(module: str) -> Path | None:
    parts = module.split(".")[1:]
    for path in (ROOT.joinpath(*parts, "__init__.py"), ROOT.joinpath(*parts).with_suffix(".py")):
        if path.is_file():
            return path
    return None


@functools.cache
def _tree(module: str) -> ast.Module:
    path = _path(module)
    if path is None:
        raise ModuleNotFoundError(module)
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def _imports(module: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    ours = {name for name in names if name.split(".")[0] == PACKAGE and name != PACKAGE}
    return tuple(sorted(name for name in ours if _path(name) is not None))


@functools.cache
def _source_digest(module: str) -> str:
    return _tree_digest(_tree(module))


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
