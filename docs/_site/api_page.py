"""The page of the Python API: what `heldout` offers, found in its `__init__.py` without importing it."""

import ast
from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path(__file__).parents[2] / "workflow" / "heldout"
RETURNED = {
    "heldout.results.study": ("Study", "Task", "Splits"),
    "heldout.results.cell": ("OpenedCell",),
    "heldout.results.plots": ("Plots",),
}
"""Classes that public functions return, by module."""
FIRST = ("open", "run", "evaluate", "NestedCV")
HEAD = """# Python API

What `import heldout` offers. It imports no library until it is used. The [tutorial](tutorial.md) shows it at work.
"""
FILES = """## Single files
These read one file of a run each ([files](files.md)).

::: heldout.cells.model_file.open_model

::: heldout.data.prepared.open_prepared

::: heldout.resampling.split_file.read_split
"""


def api_page() -> str:
    """The page as Markdown, with a directive of mkdocstrings for each object."""
    return "\n".join([HEAD, *_directives(public()), *_returned(), FILES])


def public() -> dict[str, str]:
    """Each public name with its dotted path."""
    names, tables = set(), []
    for node in ast.parse((LIBRARY / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            tables.append(ast.literal_eval(node.value))
    for table in tables:
        names |= set(table.items())
    return {name: _dotted(name, place) for name, place in sorted(names)}


def _dotted(name: str, place: str) -> str:
    module, colon, found = place.partition(":")
    return f"{module}.{found if colon else name}"


def _directives(found: dict[str, str]) -> Iterator[str]:
    for name in sorted(
        found, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name)
    ):
        yield f"::: {found[name]}\n    options: {{heading: heldout.{name}, toc_label: heldout.{name}}}\n"


def _returned() -> Iterator[str]:
    here = {module: names for module, names in RETURNED.items() if _is_there(module)}
    if here:
        yield "## What they return\n"
    for module, names in here.items():
        for name in names:
            yield f"::: {module}.{name}\n    options: {{heading_level: 3}}\n"


def _is_there(module: str) -> bool:
    return (LIBRARY.parent / f"{module.replace('.', '/')}.py").is_file()
