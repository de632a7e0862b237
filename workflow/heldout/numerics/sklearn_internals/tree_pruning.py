"""A fitted tree with other parameters, and pruned for another ccp_alpha."""

import copy
from typing import Any

import numpy as np

from heldout.numerics.sklearn_internals.selfcheck import once, small_table


def with_parameters_of(model: Any, grown: Any) -> Any:
    """A copy of a fitted tree with the parameters of another model."""
    copied = copy.copy(grown)
    copied.__dict__.update(model.get_params(deep=False))
    return copied


def pruned(model: Any, grown: Any) -> Any:
    """The tree that `model.fit` would give, from a tree that was grown without pruning."""
    copied = with_parameters_of(model, grown)
    copied._prune_tree()
    return copied


@once
def is_exact(kind: type) -> bool:
    """Whether a pruned tree is the one that scikit-learn grows and prunes."""
    features, score = small_table(60)
    target = (score > 0).astype(int) if hasattr(kind, "predict_proba") else score
    model = kind(ccp_alpha=0.02, random_state=0)
    grown = kind(random_state=0).fit(features, target)
    ours = pruned(model, grown).tree_.__getstate__()
    own = model.fit(features, target).tree_.__getstate__()
    return all(np.array_equal(own[part], ours[part]) for part in own)
