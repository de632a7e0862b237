"""The examples in docstrings are true, and what other rooms call has one."""

import ast
import doctest
import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from example_table import example_loss_table
from rooms import ROOMS

import heldout

LIBRARY = Path(heldout.__file__).parent
DOCUMENTED = [
    room for room in ROOMS if room not in ("predictions", "faults", "execution", "cli", "__main__")
]
"""Rooms whose public functions have sections and an example; the others offer none to other rooms."""

_FINISHED = "takes the folder of a finished task and its spec"
_FITS = "fits cells, or needs a model that was fitted"
WITHOUT_EXAMPLE = {
    "estimates.loss_table.open_loss_table": _FINISHED,
    "estimates.loss_table.loss_table_of": "takes cells that were fitted",
    "selection.batch.fit_batch": _FITS,
    "selection.sealed_predictions.predict_sealed": _FITS,
    "selection.test.test_rows": _FITS,
    "selection.train.final_pipeline": _FITS,
    "selection.train.final_predictor": _FITS,
    "selection.training.training_of": _FITS,
    "checks.check.run_checks": _FINISHED,
    "results.out_of_fold.out_of_fold": _FINISHED,
    "audit.page.audit_page": _FINISHED,
    "audit.batch.stack": "takes replicates, each of which is made by many fits",
    "results.figures.drawing.draw_figures": _FINISHED,
    "results.over_time.over_time": _FINISHED,
    "results.predictions.diagnostics": _FINISHED,
    "export.write.write_export": _FINISHED,
    "report.overview.index_page": _FINISHED,
    "report.task.report_page": _FINISHED,
}
"""Functions whose example would be longer than it could explain, and why."""


def module_name(path: Path) -> str:
    names = path.relative_to(LIBRARY.parent).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


MODULES = {module_name(path): path.read_text() for path in sorted(LIBRARY.rglob("*.py"))}


@pytest.mark.parametrize("module", [name for name, text in MODULES.items() if ">>> " in text])
def test_examples_are_true(module: str, tmp_path: Path) -> None:
    """Examples may use `folder`, an empty folder, and `loss_table`, the losses of a small study."""
    given = {"folder": tmp_path}
    if "loss_table" in MODULES[module]:
        given["loss_table"] = example_loss_table()
    found = doctest.testmod(importlib.import_module(module), extraglobs=given)
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
    name = f"{function.__module__.removeprefix('heldout.')}.{function.__name__}"
    sections = {
        "Parameters": bool(inspect.signature(function).parameters),
        "Returns": function.__annotations__["return"] not in (None, "None"),
        "Examples": name not in WITHOUT_EXAMPLE,
    }
    wanted = [section for section, needed in sections.items() if needed]
    lacking = [one for one in wanted if f"\n{one}\n{'-' * len(one)}\n" not in text]
    return f"{function.__module__}.{function.__name__} has no {lacking}" if lacking else ""
