"""A small table of numbers for tests of engines."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from fitting import numbers


def table(classification: bool, n: int = 90, p: int = 4) -> Any:
    """Looks like a prepared table of numbers."""
    generator = np.random.default_rng(5)
    features = generator.normal(size=(n, p))
    score = features[:, 0] - features[:, 1] ** 2 + generator.normal(scale=0.5, size=n)
    target: Any = np.digitize(score, [-1.5, 0.0]) if classification else score
    classes = ["low", "mid", "high"] if classification else None
    return SimpleNamespace(features=features, target=target, columns=numbers(p, classes))
