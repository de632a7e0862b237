"""Arrays X, y, groups and weights as one table, and new rows of X as a DataFrame."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from heldout.data.arrow_values import table_of, values_of
from heldout.data.kinds import NUMBER
from heldout.data.schema import schema_from_json

if TYPE_CHECKING:
    import pandas as pd

FINITE_OR_MISSING = "allow-nan"


class Names(NamedTuple):
    """The columns besides the features; None for those that there are not."""

    target: str
    groups: str | None
    weights: str | None


@dataclass(frozen=True)
class Arrays:
    """What was given to `fit`, as a table.

    Parameters
    ----------
    frame
        Features, target, groups and weights.
    names
        What the last three are called.
    columns
        The names of the features.
    types
        What is said of columns: those of an array are numbers, whatever they look like.
    target
        The labels or numbers.
    """

    frame: "pd.DataFrame"
    names: Names
    columns: list[str]
    types: dict[str, str]
    target: np.ndarray

    @staticmethod
    def of(estimator: Any, X: Any, y: Any, groups: Any, weights: Any) -> "Arrays":
        """Check the arrays as scikit-learn does, and join them."""
        import pandas as pd

        framed = isinstance(X, pd.DataFrame)
        if framed:
            validate_data(estimator, X, y, skip_check_array=True)
            target = column_or_1d(y, warn=True)
            columns = [str(name) for name in X.columns]
            frame = X.set_axis(columns, axis=1).reset_index(drop=True)
        else:
            X, target = validate_data(
                estimator, X, y, ensure_all_finite=FINITE_OR_MISSING, ensure_min_samples=2
            )
            columns = [f"x{i}" for i in range(X.shape[1])]
            frame = pd.DataFrame(X, columns=columns)
        check_consistent_length(frame, target, groups)
        names = _names(columns, groups, weights)
        frame = frame.assign(**{names.target: _labels(target)})
        if names.groups is not None:
            frame[names.groups] = np.asarray(groups)
        if names.weights is not None:
            frame[names.weights] = _check_sample_weight(weights, frame[columns], dtype=np.float64)
        types = {} if framed else dict.fromkeys(columns, NUMBER)
        return Arrays(frame, names, columns, types, np.asarray(target))


def _names(columns: Sequence[str], groups: Any, weights: Any) -> Names:
    """Names that no feature has."""

    def free(name: str) -> str:
        while name in columns:
            name += "_"
        return name

    return Names(
        free("target"),
        None if groups is None else free("groups"),
        None if weights is None else free("weights"),
    )


def _labels(target: Any) -> Any:
    """Labels that are whole numbers as such, so that they are equal to those of a config."""
    values = np.asarray(target)
    whole = values.dtype.kind == "f" and np.isfinite(values).all() and (values % 1 == 0).all()
    return values.astype(np.int64) if whole and np.abs(values).max(initial=0) < 2**53 else values


def class_order(given: Arrays, schema: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The labels as scikit-learn sorts them, and the place among them of each class of a table.

    Parameters
    ----------
    given
        What was given to `fit`.
    schema
        The JSON form of the table's schema.

    Returns
    -------
    tuple
        Labels, and places by the code of the class.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [0.0, 1.0], "y": ["b", "a"]})
    >>> given = Arrays(frame, Names("y", None, None), ["x"], {}, np.array(["b", "a"]))
    >>> schema = {"columns": [], "target": {"name": "y", "classes": ["b", "a"]}, "missing": []}
    >>> class_order(given, schema)[1].tolist()
    [1, 0]
    """
    labels, places = np.unique(given.target, return_inverse=True)
    name = given.names.target
    values = values_of(table_of(given.frame[[name]]), name)
    codes = schema_from_json(schema).target.encode(values)
    order = np.empty(len(labels), np.int64)
    order[codes] = places
    return labels, order


def frame_of(estimator: Any, X: Any, columns: Sequence[str]) -> "pd.DataFrame":
    """New rows as a DataFrame, after the checks of scikit-learn.

    Parameters
    ----------
    estimator
        The fitted estimator, which knows how many features there are and what they are called.
    X
        An array or a DataFrame.
    columns
        The names of the features.

    Returns
    -------
    pandas.DataFrame
        The same rows.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> fitted = Ridge().fit(np.zeros((3, 2)), np.zeros(3))
    >>> frame_of(fitted, np.zeros((1, 2)), ["x0", "x1"]).columns.tolist()
    ['x0', 'x1']
    """
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return X.set_axis([str(name) for name in X.columns], axis=1)
    rows = validate_data(estimator, X, reset=False, ensure_all_finite=FINITE_OR_MISSING)
    return pd.DataFrame(rows, columns=list(columns))
