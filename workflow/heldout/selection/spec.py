"""What the scan of an endless grid and the sealed test depend on.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ScanSpec:
    """When the scan of an endless grid may stop."""

    by: str
    """The estimator that θ is selected by."""
    nested: list[str]
    """The estimators that repeat the selection inside every outer fold."""
    patience: int
    maximum: int


@dataclass(frozen=True)
class SealedTestSpec:
    """How the predictions for the sealed rows are judged, besides the loss."""

    task: str
    seed: int
    level: float
