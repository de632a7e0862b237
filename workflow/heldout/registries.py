"""What registries have in common: functions named by dotted paths, and texts that may not be empty.

A registry imports nothing that computes. So a config can be parsed, and a page rendered, with all
names and texts and without numpy. `provenance` follows dotted paths like imports.

Standard library only: the workflow imports this while it is parsed.
"""

import functools
import importlib
from typing import Any


@functools.cache
def resolve(path: str) -> Any:
    """Import the function that a dotted path names.

    Parameters
    ----------
    path
        A module, a colon and a name in it.

    Returns
    -------
    callable
        The function. A second call with the same path imports nothing.

    Examples
    --------
    >>> resolve("heldout.names:canonical")({"b": 1, "a": 2})
    '{"a":2,"b":1}'
    """
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def refuse_empty(entry: Any, *fields: str) -> None:
    """Raise an error for a registry entry that leaves one of these texts empty.

    Parameters
    ----------
    entry
        An entry of a registry: an object with attributes.
    fields
        Names of attributes that must hold a text.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> refuse_empty(SimpleNamespace(title="Ridge", formula=""), "title", "formula")
    Traceback (most recent call last):
        ...
    ValueError: an entry has no formula: namespace(title='Ridge', formula='')
    """
    for field in fields:
        if not getattr(entry, field).strip():
            raise ValueError(f"an entry has no {field}: {entry}")
