"""Frames between steps: which steps can give their columns names, and telling them to."""

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline


def name_columns(step: Any) -> bool:
    """Let a step, or the steps inside it, give DataFrames where it can.

    A step that gives sparse matrices, or does not know the names of its columns, is left as it is, and
    so is a ColumnTransformer around it.

    Parameters
    ----------
    step
        An unfitted step, Pipeline or ColumnTransformer.

    Returns
    -------
    bool
        Whether it gives DataFrames.

    Examples
    --------
    >>> from sklearn.preprocessing import OneHotEncoder, StandardScaler
    >>> name_columns(StandardScaler()), name_columns(OneHotEncoder())
    (True, False)
    """
    if isinstance(step, str):
        return True
    if isinstance(step, Pipeline):
        named = [
            name_columns(inner) for _, inner in step.steps
        ]  # each of them, whatever the others
        return all(named)
    if isinstance(step, ColumnTransformer):
        named = [name_columns(inner) for _, inner, _ in step.transformers]
        if not all(named):
            return False
    elif _is_sparse(step):
        return False
    if hasattr(step, "fit_resample"):
        return True
    if not hasattr(step, "set_output"):
        return False
    step.set_output(transform="pandas")
    return True


def _is_sparse(step: Any) -> bool:
    """Whether a step may give a sparse matrix."""
    params = step.get_params(deep=False) if hasattr(step, "get_params") else {}
    if params.get("sparse_output") is True or params.get("sparse") is True:
        return True
    return params.get("encode") == "onehot" or type(step).__module__.startswith(
        "sklearn.feature_extraction"
    )
