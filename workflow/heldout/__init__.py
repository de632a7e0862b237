"""heldout: how well will this learning procedure do on data it has not seen?"""

from typing import Any

__version__ = "0.2.0"

_API = {"run": "heldout.execution.launch"}
"""Where the functions of the Python API are: `import heldout` by itself imports none of them."""


def __getattr__(name: str) -> Any:
    if name not in _API:
        raise AttributeError(f"module 'heldout' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_API[name]), name)
