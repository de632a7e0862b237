"""Tables whose rows are drawn from an oracle."""

from typing import Any

import pyarrow as pa


def draw_table(source: str, params: dict[str, Any], seed: int) -> pa.Table:
    """Draw rows from an oracle.

    Parameters
    ----------
    source
        `oracle:NAME`.
    params
        All parameters of the oracle, and `rows`: how many to draw.
    seed
        The seed of the draw.

    Returns
    -------
    pyarrow.Table
        The features x1, x2, …, the target y and, where rows come in groups, the column `group`.

    Examples
    --------
    >>> table = draw_table("oracle:noise", {"features": 2, "share": 0.5, "rows": 3}, seed=1)
    >>> table.num_rows, table.column_names
    (3, ['x1', 'x2', 'y'])
    """
    import numpy as np

    from heldout.data.oracle_catalogue import GROUPS, PREFIX, TARGET
    from heldout.data.oracles import feature_names, oracle_of

    oracle = oracle_of(source.removeprefix(PREFIX), params)
    rows, target = oracle.draw(params["rows"], np.random.default_rng(seed))
    columns = {
        name: pa.array(_spelled(rows[:, i], oracle.levels[i]))
        for i, name in enumerate(feature_names(oracle))
    }
    if oracle.grouped:
        columns[GROUPS] = pa.array(oracle.units(len(rows)))
    values = _spelled(target, oracle.classes or [])
    return pa.table({**columns, TARGET: pa.array(values)})


def _spelled(values: Any, levels: list[str]) -> Any:
    """The texts of codes; numbers as they are."""
    return [levels[int(code)] for code in values] if levels else values
