"""Canonical names: JSON, digests, seeds and folder names that never depend on order or machine.

Standard library only: the workflow imports this while it is parsed.
"""

import hashlib
import json
import re
from typing import Any

Theta = dict[str, Any]
"""One assignment of values to a learner's hyper-parameters."""

_SAFE = re.compile(r"[^A-Za-z0-9._=,+-]+")
_WORD = re.compile(r"(?!(?:true|false|null|NaN|Infinity)$)[A-Za-z_][A-Za-z0-9_.+-]*")


_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return _encoder.encode(value)


def digest(*parts: str | bytes) -> str:
    """A short digest of the parts, which may not run into one another."""
    hashed = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.hexdigest()


def seed_for(root: int, *names: str) -> int:
    """A 31-bit seed derived from names: the same whatever the order or the number of jobs."""
    return int(digest(str(root), *names)[:8], 16) & 0x7FFFFFFF


def theta_name(theta: Theta) -> str:
    """``{"depth": 5}`` → ``depth=5``, fit for a folder name; long or odd ones end in a digest."""
    if not theta:
        return "default"
    plain = ",".join(f"{_name(key)}={_name(theta[key])}" for key in sorted(theta))
    safe = _SAFE.sub("_", plain)
    if safe == plain and len(safe) <= 100:
        return safe
    return f"{safe[:60]}~{digest(canonical(theta))[:10]}"


def _name(value: Any) -> str:
    """A plain word as it is; a text that reads like another value, or like two, in quotes."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else canonical(value)
