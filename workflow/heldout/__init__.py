"""heldout: how well will this learning procedure do on data it has not seen?

``heldout.run("config.yaml")`` runs a study, ``heldout.open("results")`` opens its results, ``heldout.evaluate(frame, "y", learners)`` makes them in
memory, and ``heldout.NestedCV`` is an estimator that does so when it is fitted. What is named here is imported when it is
first used, so that ``import heldout`` costs nothing.
"""

import importlib

TYPE_CHECKING = False  # as in typing, whose import takes as long as Python itself
if TYPE_CHECKING:
    from typing import Any

    from heldout.errors import HeldoutError
    from heldout.execution.launch import run
    from heldout.memory.evaluate import evaluate
    from heldout.memory.evaluation import Evaluation
    from heldout.memory.nested_cv import NestedCV
    from heldout.results.study import open_study as open

__version__ = "0.2.0"

_PUBLIC = {
    "open": "heldout.results.study:open_study",
    "evaluate": "heldout.memory.evaluate:evaluate",
    "Evaluation": "heldout.memory.evaluation:Evaluation",
    "HeldoutError": "heldout.errors:HeldoutError",
    "NestedCV": "heldout.memory.nested_cv:NestedCV",
    "run": "heldout.execution.launch:run",
}
"""What each public name is; a further one is a line here, an import above and a name in `__all__`."""

__all__ = ["Evaluation", "HeldoutError", "NestedCV", "evaluate", "open", "run"]


def __getattr__(name: str) -> "Any":
    """Import what is asked for."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'heldout' has no attribute '{name}'")
    module, _, found = _PUBLIC[name].partition(":")
    globals()[name] = getattr(importlib.import_module(module), found)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
