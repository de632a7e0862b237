"""Which learners cannot be told from the best one.

Standard library only: a report is rendered without a library for computing.
"""

from collections.abc import Mapping


def like_the_best(told_apart: Mapping[tuple[str, str], bool], best: str) -> list[str]:
    """List the learners that cannot be told from the best one.

    Parameters
    ----------
    told_apart
        For all pairs of learners, whether the two can be told apart.
    best
        The learner with the smallest risk.

    Returns
    -------
    list of str
        Their names, without the best one itself.

    Examples
    --------
    >>> pairs = {("knn", "tree"): False, ("knn", "mean"): True, ("tree", "mean"): False}
    >>> like_the_best(pairs, "knn")
    ['tree']
    """
    pairs = [pair for pair, told in told_apart.items() if not told and best in pair]
    return [b if a == best else a for a, b in pairs]
