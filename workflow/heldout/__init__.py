"""heldout: how well will this learning procedure do on data it has not seen?"""

from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "evaluate": "heldout.memory.evaluate",
    "NestedCV": "heldout.memory.nested_cv",
    "HeldoutError": "heldout.errors",
}
"""The public names, and the modules that have them: imported when they are asked for."""

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    """A public name; `import heldout` alone imports no library."""
    if name not in _WHERE:
        raise AttributeError(f"module 'heldout' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
