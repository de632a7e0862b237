"""Imports run one way: a room imports only rooms before it. What is parsed with the Snakefile stays light."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from rooms import ROOMS

import heldout

LIBRARY = Path(heldout.__file__).parent

REPO = LIBRARY.parent.parent
SNAKEFILES = (
    REPO / "Snakefile",
    REPO / "workflow" / "Snakefile",
    *REPO.glob("workflow/rules/*.smk"),
)
LIGHT = {*sys.stdlib_module_names, "pydantic", "pydantic_core", "heldout"}
"""Packages that may be imported while the Snakefile is parsed."""


class Import(NamedTuple):
    """A module that another one names in an import."""

    name: str
    line: int
    late: bool
    """Whether it is imported inside a function only, when that is called, or for types only."""


def module_name(path: Path) -> str:
    names = path.relative_to(LIBRARY.parent).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


MODULES = {module_name(path): path for path in sorted(LIBRARY.rglob("*.py"))}


def imports_of(module: str) -> Iterator[Import]:
    """Every import of a module, wherever in it; of `from package import module`, the module."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    late = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or for_types(node)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        for name in names_in(node, module):
            yield Import(name, node.lineno, id(node) in late)  # type: ignore[attr-defined]


def for_types(node: ast.AST) -> bool:
    """Whether a block is read by type checkers only."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def names_in(node: ast.AST, module: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{module} has a relative import in line {node.lineno}"
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield whole if whole in MODULES else str(node.module)


def room_of(module: str) -> str | None:
    """The room of a module; None for the package itself, which holds nothing but the version."""
    names = module.split(".")
    return names[1] if len(names) > 1 else None


def test_every_module_is_in_a_room() -> None:
    rooms = {room_of(module) for module in MODULES} - {None}
    assert rooms == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_before_it(room: str) -> None:
    allowed = {None, room, *ROOMS[: ROOMS.index(room)]}
    wrong = [
        f"  {module}:{one.line} imports {one.name}"
        for module in MODULES
        if room_of(module) == room
        for one in imports_of(module)
        if one.name.startswith("heldout") and room_of(one.name) not in allowed
    ]
    assert not wrong, f"{room} stands before what it imports:\n" + "\n".join(wrong)


def test_the_package_itself_imports_no_room() -> None:
    names = [one.name for one in imports_of("heldout") if not one.late]
    assert not [name for name in names if name.startswith("heldout.")]


def imported_by_snakefiles() -> Iterator[str]:
    """The modules of the library that are named in the Snakefiles, which are not plain Python."""
    pattern = re.compile(r"^\s*(?:from|import)\s+(heldout[\w.]*)(?:\s+import\s+(\w+))?", re.M)
    for path in SNAKEFILES:
        for module, name in pattern.findall(path.read_text(encoding="utf-8")):
            yield f"{module}.{name}" if f"{module}.{name}" in MODULES else module


def imported_early() -> dict[str, str]:
    """The modules of the library that are imported then, each with one that imports it."""
    found = dict.fromkeys(with_packages(imported_by_snakefiles()), "the Snakefile")
    waiting = list(found)
    while waiting:
        importer = waiting.pop()
        for name in with_packages(one.name for one in imports_of(importer) if not one.late):
            if name in MODULES and name not in found:
                found[name] = importer
                waiting.append(name)
    return found


def with_packages(names: Iterable[str]) -> Iterator[str]:
    """A module is imported after the packages that it lies in."""
    for name in names:
        split = name.split(".")
        yield from (".".join(split[: i + 1]) for i in range(len(split)))


def test_parsing_the_snakefile_imports_light_modules_only() -> None:
    early = imported_early()
    wrong = [
        f"  {module}:{one.line} imports {one.name} ({module} is imported by {importer})"
        for module, importer in early.items()
        for one in imports_of(module)
        if not one.late and one.name.split(".")[0] not in LIGHT
    ]
    assert "heldout.execution.study" in early
    assert not wrong, "imported while the Snakefile is parsed:\n" + "\n".join(wrong)
