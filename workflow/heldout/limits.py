"""How much a config may ask for: all limits, with their reasons, and the error that names both numbers.

What is asked for is counted before anything is expanded, so a range to 10⁹ is refused at once. The
limits lie far above what a study of days needs, and below what would fill memory or disk.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from heldout.errors import HeldoutError

CONFIG_BYTES = 10_000_000
"""Of a config file: YAML is read at about a megabyte a second."""
CONFIG_VALUES = 200_000
"""Keys and values of a config, with everything that aliases stand for: each is looked at and copied."""
CONFIG_DEPTH = 50
"""Of mappings and lists inside each other; the deepest key of a config is at 8."""
WHOLE_NUMBER = 10**300
"""Beyond it whole numbers are no floating-point numbers any more, and soon cannot be written."""
THETAS = 100_000
"""Of a learner: they are listed in memory several times, and each has a cell per held-out set."""
SETS = 100_000
"""Held-out sets of a task: every row of the table stands in a split file for many of them."""
PACKED_ABOVE = 2_500
"""Cells of a task that are stored many to a file: a file each would be slow to copy and to delete."""
CELLS = 1_000_000
"""Of a task: what the store was built for; each is a file or two, and a few milliseconds at least."""
JOBS = 10_000
"""Of a study: Snakemake takes minutes to plan and to finish so many, and much longer for more."""
REPLICATES = 1_000_000
"""Of an audit, at each size."""
ROWS = 1_000_000
"""That are drawn from an oracle for a table, a replicate or a true risk: they are held in memory."""
NUMBERS = 100_000_000
"""Rows times features of such a table: almost a gigabyte."""


def refuse_above(limit: int, asked: int, where: str, what: str) -> None:
    """Refuse a number that is above a limit.

    Parameters
    ----------
    limit
        One of the limits above.
    asked
        How many are asked for.
    where
        The key of the config.
    what
        What is counted, in the plural.

    Raises
    ------
    HeldoutError
        With both numbers.

    Examples
    --------
    >>> refuse_above(THETAS, 10**9, "learners.knn.grid", "values of θ")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: learners.knn.grid: asks for 1000000000 values of θ; the limit is 100000
    """
    if asked > limit:
        raise HeldoutError(f"{where}: asks for {written(asked)} {what}; the limit is {limit}")


def written(number: int) -> str:
    """A whole number in digits, or roughly if it has very many: Python does not write more than 4300.

    Parameters
    ----------
    number
        Any whole number.

    Returns
    -------
    str
        Its digits, or a power of ten.

    Examples
    --------
    >>> written(1000), written(2**200)
    ('1000', 'about 10^60')
    """
    digits = int(number.bit_length() * 0.30103)
    return str(number) if digits < 25 else f"about {'-' * (number < 0)}10^{digits}"


class TooMuchError(Exception):
    """A structure that is too deep, too large, or contains itself; the text says which."""


def values_in(part: Any) -> Iterable[Any]:
    """What a mapping or a list is made of."""
    if isinstance(part, Mapping):
        return part.values()
    return part if isinstance(part, list | tuple) else ()


def check_size(root: Any, children: Callable[[Any], Iterable[Any]] = values_in) -> None:
    """Refuse a structure that would be too large or too deep if every alias were written out.

    Each part is visited once, however often it occurs: ten aliases of ten aliases, ten levels deep,
    are counted in a hundred steps.

    Parameters
    ----------
    root
        The structure.
    children
        The parts that a part is made of.

    Raises
    ------
    TooMuchError
        With both numbers.

    Examples
    --------
    >>> laughs = ["ha"]
    >>> for _ in range(9):
    ...     laughs = [laughs] * 10
    >>> check_size(laughs)
    Traceback (most recent call last):
    heldout.limits.TooMuchError: holds 2111111111 values with all aliases written out; the limit is 200000
    """
    known: dict[int, tuple[int, int] | None] = {}

    def measure(part: Any, depth: int) -> tuple[int, int]:
        """The number of values in a part, and how deep it is."""
        if id(part) not in known:
            if depth > CONFIG_DEPTH:
                raise TooMuchError(TOO_DEEP)
            known[id(part)] = None
            inner = [measure(child, depth + 1) for child in children(part)]
            size, height = 1 + sum(s for s, _ in inner), 1 + max((h for _, h in inner), default=0)
            known[id(part)] = size, height
        found = known[id(part)]
        if found is None:
            raise TooMuchError("contains itself: an alias stands inside what it is an alias of")
        if depth + found[1] - 1 > CONFIG_DEPTH:
            raise TooMuchError(TOO_DEEP)
        return found

    size, _ = measure(root, 1)
    if size > CONFIG_VALUES:
        raise TooMuchError(
            f"holds {written(size)} values with all aliases written out; the limit is {CONFIG_VALUES}"
        )


TOO_DEEP = (
    f"has mappings or lists more than {CONFIG_DEPTH} deep inside each other, which is the limit"
)
