"""From a centre and its standard error to both ends of an interval, by the range of the values."""

import numpy as np

Ends = tuple[float, float]
"""Lower and upper end."""


def proportion(share: float, count: float, z: float) -> Ends:
    """The score interval of a share in [0, 1] among `count` independent examples.

    (p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n); Wilson 1927. Its width is never zero.

    Parameters
    ----------
    share
        p̂.
    count
        n, which need not be a whole number.
    z
        The quantile.

    Returns
    -------
    tuple
        Both ends, in [0, 1]; `share` lies between them.

    Examples
    --------
    >>> [round(end, 4) for end in proportion(0.1, 50, 1.96)]
    [0.0435, 0.2136]
    """
    scale = 1 + z**2 / count
    centre = (share + z**2 / (2 * count)) / scale
    half = z / scale * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return max(0.0, min(share, float(centre - half))), min(1.0, max(share, float(centre + half)))


def skewed(centre: float, half: float) -> Ends:
    """[max(0, C − h), C + h + h²/(2C)]: means of losses ≥ 0 without an upper bound are skewed.

    Parameters
    ----------
    centre
        C, a positive mean.
    half
        h, the half width of the symmetric interval.

    Returns
    -------
    tuple
        Both ends.

    Examples
    --------
    >>> skewed(2.0, 1.0)
    (1.0, 3.25)
    """
    return max(0.0, centre - half), centre + half + half**2 / (2 * centre)
