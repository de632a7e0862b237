"""Values beyond which a hyper-parameter cannot go, or means nothing else.

A selected θ there is on no edge that could be extended. Standard library only.
"""

from typing import Any

LOW, HIGH = "low", "high"

LOWEST: dict[str, float] = {
    "alpha": 0,
    "ccp_alpha": 0,
    "degree": 1,
    "depth": 1,
    "epsilon": 0,
    "gamma": 0,
    "iterations": 1,
    "k": 1,
    "l1_ratio": 0,
    "l2_leaf_reg": 0,
    "l2_regularization": 0,
    "lambda_l1": 0,
    "lambda_l2": 0,
    "max_depth": 1,
    "max_features": 1,
    "max_iter": 1,
    "max_leaf_nodes": 2,
    "min_child_samples": 1,
    "min_child_weight": 0,
    "min_data_in_leaf": 1,
    "min_impurity_decrease": 0,
    "min_samples_leaf": 1,
    "min_samples_split": 2,
    "min_split_gain": 0,
    "min_weight_fraction_leaf": 0,
    "n_components": 1,
    "n_estimators": 1,
    "n_knots": 2,
    "n_neighbors": 1,
    "num_leaves": 2,
    "p": 1,
    "reg_alpha": 0,
    "reg_lambda": 0,
    "reg_param": 0,
    "shrinkage": 0,
    "var_smoothing": 0,
}
"""The smallest value of a hyper-parameter that makes sense."""

HIGHEST: dict[str, float] = {
    "bagging_fraction": 1,
    "colsample_bylevel": 1,
    "colsample_bynode": 1,
    "colsample_bytree": 1,
    "feature_fraction": 1,
    "l1_ratio": 1,
    "reg_param": 1,
    "shrinkage": 1,
    "subsample": 1,
}
"""The largest one."""

SHARES = ("max_features", "max_samples", "min_samples_leaf", "min_samples_split")
"""A whole number is a count here, and a decimal fraction a share: 1.0 is all there is."""


def at_natural_bound(name: str, value: float, end: str) -> bool:
    """Say whether no value beyond this one makes sense.

    Parameters
    ----------
    name
        The hyper-parameter; of a step, `step__param`.
    value
        Its value.
    end
        `low` or `high`: which way a grid would be extended.

    Returns
    -------
    bool
        False also for parameters of which nothing is known.

    Examples
    --------
    >>> at_natural_bound("n_neighbors", 1, "low"), at_natural_bound("n_neighbors", 3, "low")
    (True, False)
    >>> at_natural_bound("poly__degree", 1, "low"), at_natural_bound("max_features", 1.0, "high")
    (True, True)
    """
    own = name.rpartition("__")[2]
    if own in SHARES and isinstance(value, float):
        return value >= 1 if end == HIGH else False
    bounds: dict[str, Any] = LOWEST if end == LOW else HIGHEST
    if own not in bounds:
        return False
    return bool(value <= bounds[own] if end == LOW else value >= bounds[own])
