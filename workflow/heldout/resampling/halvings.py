"""Monte Carlo CV inside disjoint halves of the rows: the variance of the conservative z."""

import itertools
from collections.abc import Callable

import numpy as np

from heldout.resampling.rows import Rows
from heldout.resampling.split import Split
from heldout.resampling.units import draw_fraction


def draw_halvings(
    rows: Rows,
    fraction: float,
    stratify: bool,
    halvings: int,
    rounds: int,
    seed: Callable[..., int],
) -> Split:
    """Draw Monte Carlo rounds inside disjoint halves of the rows.

    The held-out sets are as large as those of Monte Carlo CV on all rows.

    Parameters
    ----------
    rows
        The rows to split.
    fraction
        The share of all units that each round holds out; of a half, twice this share.
    stratify
        Whether classes are held out in proportion.
    halvings
        How often the rows are halved.
    rounds
        How many rounds there are in each half.
    seed
        Makes a seed from the name of a draw.

    Returns
    -------
    Split
        `halving, half, round, row, held_out`: a line for each row of a half in each round.

    Examples
    --------
    >>> split = draw_halvings(Rows(np.arange(8)), 0.25, False, halvings=1, rounds=1, seed=len)
    >>> split["half"].tolist()
    [1, 1, 1, 1, 2, 2, 2, 2]
    >>> split["held_out"].reshape(2, 4).sum(axis=1).tolist()
    [2, 2]
    """
    strata = rows.strata(stratify)
    columns: list[np.ndarray] = []
    for halving, half in itertools.product(range(1, halvings + 1), (1, 2)):
        own = draw_fraction(rows.unit, strata, 0.5, seed(f"halving {halving}"))
        if half == 2:
            own = np.setdiff1d(np.arange(rows.n), own)
        own_strata = None if strata is None else strata[own]
        for number in range(1, rounds + 1):
            name = f"halving {halving} half {half} round {number}"
            held = draw_fraction(rows.unit[own], own_strata, min(2 * fraction, 0.9), seed(name))
            flag = np.isin(np.arange(len(own)), held).astype(int)
            place = np.tile([[halving], [half], [number]], (1, len(own)))
            columns.append(np.vstack([place, own, flag]))
    names = ("halving", "half", "round", "row", "held_out")
    return dict(zip(names, np.hstack(columns), strict=True))
