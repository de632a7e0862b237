"""What a module imports, read in its syntax tree: everywhere in it, inside functions too."""

import ast
from collections.abc import Iterator

BY_NAME = {"import_module", "__import__"}
"""Functions that import the module that their first argument names."""


def imported_names(tree: ast.AST, module: str, is_package: bool) -> set[str]:
    """The modules that a module imports; of `from a import b` both `a` and `a.b`.

    Parameters
    ----------
    tree
        The module's syntax tree.
    module
        Its name, which relative imports start from.
    is_package
        Whether it is the ``__init__.py`` of a package.

    Returns
    -------
    set of str
        Names with dots, of which some are not modules.

    Examples
    --------
    >>> tree = ast.parse("import numpy.linalg\\ndef f():\\n    from ..near import g")
    >>> sorted(imported_names(tree, "package.deep.here", is_package=False))
    ['numpy.linalg', 'package.near', 'package.near.g']
    """
    package = module if is_package else module.rpartition(".")[0]
    return {name for node in ast.walk(tree) for name in _names(node, package)}


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute("." * node.level + (node.module or ""), package)
        if base:
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))
    elif isinstance(node, ast.Call) and node.args and _called(node.func) in BY_NAME:
        name = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        if isinstance(name, str):
            yield from filter(None, [_absolute(name, package)])


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _absolute(name: str, package: str) -> str:
    """The name without leading dots; empty if it leads out of all packages."""
    level = len(name) - len(name.lstrip("."))
    if level == 0:
        return name
    parts = package.split(".")
    if not package or level > len(parts):
        return ""
    return ".".join([*parts[: len(parts) - level + 1], *filter(None, [name[level:]])])
