"""Predictions of trees, and of forests of them, from the values in their leaves."""

from typing import Any

import numpy as np

from heldout.numerics.engines.path import Path
from heldout.numerics.predict import from_shares
from heldout.predictions import Predictions


def leaf_values(tree: Any, rows: np.ndarray) -> np.ndarray:
    """The values of the leaves that the rows (float32) reach, without scikit-learn's checks of them."""
    values = tree.tree_.predict(rows)
    return values if hasattr(tree, "classes_") else values[:, 0]


def predictions_of(mean: np.ndarray, model: Any, path: Path) -> Predictions:
    """The predictions of a tree or forest from the (mean) values of its leaves."""
    if path.classes is None:
        return Predictions(value=mean)
    return from_shares(mean, model, path.classes)
