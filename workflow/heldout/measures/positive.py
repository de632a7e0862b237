"""The class that precision, recall, AUC and thresholds are about."""

from collections.abc import Sequence
from typing import Any

from heldout.errors import HeldoutError, did_you_mean


def positive_class(
    named: str | None, classes: Sequence[Any] | None, counts: Sequence[int] | None
) -> int | None:
    """Find the positive class.

    Parameters
    ----------
    named
        The class that the config names, if it names one.
    classes
        The labels; None if targets are numbers.
    counts
        The number of unsealed rows of each class.

    Returns
    -------
    int or None
        The position of the class that the config names; of two classes, else, the rarer one (of equally
        frequent ones the last); None where there are no two classes.

    Raises
    ------
    HeldoutError
        If there is no such class.

    Examples
    --------
    >>> positive_class(None, ["ill", "well"], [20, 80]), positive_class("well", ["ill", "well"], None)
    (0, 1)
    """
    if named is not None:
        return _found(named, classes)
    if classes is None or len(classes) != 2:
        return None
    return 0 if counts is not None and counts[0] < counts[1] else 1


def _found(named: str, classes: Sequence[Any] | None) -> int:
    if classes is None:
        raise HeldoutError(f"positive: the target is a number, and has no class '{named}'")
    names = [str(label) for label in classes]
    for name in (named, *YAML.get(named, ())):
        if name in names:
            return names.index(name)
    raise HeldoutError(f"positive: the target has no class '{named}'{did_you_mean(named, names)}")


YAML = {"yes": ("True", "true"), "no": ("False", "false")}
"""YAML reads `true` and `yes` alike: the labels of the table that may be meant."""
