"""What registries have in common: functions named by dotted paths, and words that may not be missing.

A registry declares; it imports nothing that computes. So parsing a config, or rendering a page,
knows all names and words without numpy. `provenance` follows these paths like imports.

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
        The function; the same one, without a second import, when asked for again.

    Examples
    --------
    >>> resolve("heldout.names:canonical")({"b": 1, "a": 2})
    '{"a":2,"b":1}'
    """
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def refuse_empty(entry: Any, *fields: str) -> None:
    """Refuse an entry that leaves one of these texts empty."""
    for field in fields:
        if not getattr(entry, field).strip():
            raise ValueError(f"an entry has no {field}: {entry}")
