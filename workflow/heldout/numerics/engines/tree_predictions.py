"""What trees, and forests of them, say about rows."""

from typing import Any

import numpy as np

from heldout.numerics.engines.path import Stretch
from heldout.numerics.pipeline import aligned
from heldout.predictions import Predictions


def leaves(tree: Any, rows: np.ndarray) -> np.ndarray:
    """What stands in the leaves that the rows reach: as the tree itself says it, without its checks."""
    found = tree.tree_.predict(rows)
    return found if hasattr(tree, "classes_") else found[:, 0]


def said(mean: np.ndarray, model: Any, stretch: Stretch) -> Predictions:
    """What a forest, or a tree, says whose leaves have these values or shares of classes."""
    if stretch.classes is None:
        return Predictions(value=mean)
    proba = aligned(mean, model.classes_, len(stretch.classes))
    label = proba.argmax(axis=1).astype(np.min_scalar_type(len(stretch.classes)))
    return Predictions(label=label, proba=proba)
