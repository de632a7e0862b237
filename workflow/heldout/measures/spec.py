"""A loss as the config names it.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class LossSpec:
    """What the loss depends on.

    name: a loss of the registries, or the import path of the user's own function; empty for the default.
    settings: what the config says besides: costs, a quantile, or facts about the user's function.
    source: what identifies the user's code; empty for losses of the registry.
    positive: the class that scores of two classes are about; None for the rarer one.
    """

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    source: str = ""
    positive: str | None = None
