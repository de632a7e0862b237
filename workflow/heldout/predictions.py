"""What a fitted model said about some rows."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Predictions:
    """What a model said about some rows; what it cannot say is None."""

    label: np.ndarray | None = None
    proba: np.ndarray | None = None
    decision: np.ndarray | None = None
    value: np.ndarray | None = None

    def take(self, part: slice) -> "Predictions":
        """The predictions of some of the rows."""
        return Predictions(**{k: v[part] for k, v in self.arrays().items()})

    def arrays(self) -> dict[str, np.ndarray]:
        """The parts that are there, by name."""
        return {k: v for k, v in vars(self).items() if v is not None}
