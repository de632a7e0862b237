"""The examples in docstrings are true, and what other rooms call has one."""

import ast
import doctest
import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import heldout

LIBRARY = Path(heldout.__file__).parent
DOCUMENTED = (
    "errors",
    "names",
    "files",
    "provenance",
    "registries",
    "resampling",
    "data",
    "learners",
    "numerics",
    "cells",
)
"""Rooms whose public functions have sections and an example."""


def module_name(path: Path) -> str:
    names = path.relative_to(LIBRARY.parent).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


MODULES = {module_name(path): path.read_text() for path in sorted(LIBRARY.rglob("*.py"))}


@pytest.mark.parametrize("module", [name for name, text in MODULES.items() if ">>> " in text])
def test_examples_are_true(module: str, tmp_path: Path) -> None:
    """Examples may use `folder`, an empty folder."""
    found = doctest.testmod(importlib.import_module(module), extraglobs={"folder": tmp_path})
    assert found.attempted
    assert not found.failed, f"{found.failed} examples of {module} are wrong: see the output"


def called_from_other_rooms(room: str) -> Iterator[tuple[str, str]]:
    """(module, name) of everything that a module outside the room imports from the room."""
    inside = (f"heldout.{room}", f"heldout.{room}.")
    for module, text in MODULES.items():
        if module == inside[0] or module.startswith(inside[1]):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(inside[1]):
                yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("room", DOCUMENTED)
def test_what_other_rooms_call_has_parameters_and_an_example(room: str) -> None:
    functions = [
        getattr(importlib.import_module(module), name)
        for module, name in sorted(set(called_from_other_rooms(room)))
        if f"\ndef {name}(" in MODULES.get(module, "")
    ]
    assert functions
    lacking = [message for function in functions if (message := lacking_sections(function))]
    assert not lacking, "\n".join(lacking)


def lacking_sections(function: Callable) -> str:
    text = inspect.getdoc(function) or ""
    returns = function.__annotations__["return"] not in (None, "None")
    parameters = inspect.signature(function).parameters
    wanted = ["Examples", *(["Returns"] if returns else [])]
    wanted += ["Parameters"] if parameters else []
    lacking = [one for one in wanted if f"\n{one}\n{'-' * len(one)}\n" not in text]
    return f"{function.__module__}.{function.__name__} has no {lacking}" if lacking else ""
