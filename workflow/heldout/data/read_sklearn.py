"""Data sets of scikit-learn as tables."""

from typing import Any

import pyarrow as pa

from heldout.errors import HeldoutError, did_you_mean


def read_sklearn(name: str) -> pa.Table:
    """Read a data set that scikit-learn brings along.

    Parameters
    ----------
    name
        Its name, such as `iris`.

    Returns
    -------
    pyarrow.Table
        Features by their names, and the column `target`: labels by their names, or numbers unscaled.

    Examples
    --------
    >>> read_sklearn("wine").num_rows
    178
    """
    from sklearn import datasets

    loaders = {
        n.removeprefix("load_"): getattr(datasets, n) for n in dir(datasets) if n[:5] == "load_"
    }
    tables = ["breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine"]
    if name not in tables:
        raise HeldoutError(f"data: unknown data set 'sklearn:{name}'{did_you_mean(name, tables)}")
    loaded: Any = loaders[name](**({"scaled": False} if name == "diabetes" else {}))
    names = [str(n) for n in loaded.feature_names]
    columns = {n: pa.array(loaded.data[:, i]) for i, n in enumerate(names)}
    if loaded.target.ndim == 2:
        columns |= {n: pa.array(loaded.target[:, i]) for i, n in enumerate(loaded.target_names)}
    elif "target_names" in loaded:
        columns["target"] = pa.array([str(loaded.target_names[t]) for t in loaded.target])
    else:
        columns["target"] = pa.array(loaded.target)
    return pa.table(columns)
