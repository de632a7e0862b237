"""Canonical names: JSON, digests, seeds and folder names that never depend on order or machine.

Standard library only: the workflow imports this while it is parsed.
"""

import hashlib
import json
import re
from functools import cache
from typing import Any

Theta = dict[str, Any]
"""One assignment of values to a learner's hyper-parameters."""

_SAFE = re.compile(r"[^A-Za-z0-9._=,+-]+")
_WORD = re.compile(r"(?!(?:true|false|null|NaN|Infinity)$)[A-Za-z_][A-Za-z0-9_.+-]*")


_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: Any) -> str:
    """Write a value as JSON with sorted keys and no spaces: equal values give equal text.

    Parameters
    ----------
    value
        Anything that JSON can hold.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> canonical({"b": [1, 2], "a": None})
    '{"a":null,"b":[1,2]}'
    """
    return _encoder.encode(value)


def digest(*values: str | bytes | memoryview) -> str:
    """Digest texts and bytes; where one ends and the next begins counts.

    Parameters
    ----------
    *values
        The texts and bytes; a view of memory must be one of bytes.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    hashed = hashlib.blake2b(digest_size=16)
    for value in values:
        data = value.encode() if isinstance(value, str) else value
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.hexdigest()


def seed_for(root: int, *names: str) -> int:
    """Derive a seed from names, so that it depends on neither the order nor the number of jobs.

    Parameters
    ----------
    root
        The root seed of the study.
    *names
        What the seed is for: a task, a learner, a held-out set.

    Returns
    -------
    int
        A seed of 31 bits.

    Examples
    --------
    >>> seed_for(19, "penguins", "kfold", "0")
    1603038962
    >>> seed_for(19, "penguins", "kfold", "1") == seed_for(19, "penguins", "kfold", "0")
    False
    """
    return int(digest(str(root), *names)[:8], 16) & 0x7FFFFFFF


def theta_name(theta: Theta) -> str:
    """Name the folder of a θ.

    Parameters
    ----------
    theta
        The values of the hyper-parameters.

    Returns
    -------
    str
        A name that is safe in every file system; a long one, or one with other characters, ends
        in a digest.

    Examples
    --------
    >>> theta_name({"kernel": "rbf", "C": 0.1})
    'C=0.1,kernel=rbf'
    >>> theta_name({})
    'default'
    """
    if not theta:
        return "default"
    plain = ",".join(f"{_name(key)}={_name(theta[key])}" for key in sorted(theta))
    safe = _SAFE.sub("_", plain)
    if safe == plain and len(safe) <= 100:
        return safe
    return f"{safe[:60]}~{digest(canonical(theta))[:10]}"


@cache
def theta_folder(theta: str) -> str:
    """The folder of a θ.

    Parameters
    ----------
    theta
        θ as canonical JSON.

    Returns
    -------
    str
        The name of its folder.

    Examples
    --------
    >>> theta_folder('{"n_neighbors":5}')
    'n_neighbors=5'
    """
    return theta_name(json.loads(theta))


def _name(value: Any) -> str:
    """A plain word as it is; quotes around a text that could be read as another value, or as two."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else canonical(value)
