"""Why a step is due, in words that fit a line: the difference of two requests.

Digests that derive from what is also in the request are left out, so that a reason names what a
person has changed. Standard library only: the workflow imports this while it is parsed.
"""

import json
from collections.abc import Iterator
from typing import Any

WIDTH = 40
"""Characters of a value that are shown."""
DERIVED = frozenset({"config", "sharing"})
"""Fields that are digests of other parts of the config or of the code."""
CODE = {
    "code": "heldout's code of this step",
    "assets": "heldout's templates",
}
WRAPPERS = frozenset({"spec", "page", "test", "cells", "config", "settings", "rule"})
"""Fields of specs that hold what the config says."""
NAMES = ("name", "learner")
"""Fields by which the entries of a list are told apart."""


def differences(before: Any, now: Any) -> list[str]:
    """What changed between two requests.

    Parameters
    ----------
    before, now
        Requests as JSON values.

    Returns
    -------
    list of str
        A line for each change; never empty where the requests differ.

    Examples
    --------
    >>> differences({"spec": {"level": 0.95, "k": 5}}, {"spec": {"level": 0.9, "k": 5}})
    ['level 0.95 → 0.9']
    >>> differences({"code": "a1"}, {"code": "b2"})
    ["heldout's code of this step changed"]
    >>> differences({"learners": [{"name": "a"}]}, {"learners": [{"name": "a"}, {"name": "b"}]})
    ['learners: b added']
    """
    if before == now:
        return []
    return list(dict.fromkeys(_lines([], before, now))) or ["something else of the task changed"]


def _lines(path: list[str], before: Any, now: Any) -> Iterator[str]:
    if before == now:
        return
    key = path[-1] if path else ""
    if key in DERIVED and isinstance(now, str):
        return
    if key in CODE:
        yield f"{CODE[key]} changed"
    elif key == "numeric_code":
        yield f"heldout's numeric code changed ({_changed_names(before, now)})"
    elif key == "source":
        yield f"the code or version of {'.'.join(path[-2:-1])}'s estimator changed"
    elif key == "ledger":
        yield f"the ledger of openings: {_shown(', '.join(now) or 'whole again')}"
    elif key == "versions":
        yield from _lines([], _parsed(before), _parsed(now))
    elif isinstance(before, dict) and isinstance(now, dict):
        for name in sorted({*before, *now}):
            yield from _lines([*path, name], before.get(name), now.get(name))
    elif isinstance(before, list) and isinstance(now, list):
        yield from _of_lists(path, before, now)
    else:
        yield f"{_place(path)} {_shown(before)} → {_shown(now)}"


def _of_lists(path: list[str], before: list[Any], now: list[Any]) -> Iterator[str]:
    old, new = _by_name(before), _by_name(now)
    added, removed = [one for one in new if one not in old], [one for one in old if one not in new]
    for word, names in (("added", added), ("removed", removed)):
        if names:
            yield f"{_place(path)}: {_shortened(', '.join(names))} {word}"
    for name in new:
        if name in old:
            yield from _lines([*path, name], old[name], new[name])
    if not added and not removed and list(old) != list(new):
        yield f"{_place(path)}: another order"


def _by_name(values: list[Any]) -> dict[str, Any]:
    """The entries of a list by what a reader would call them."""
    return {_entry_name(value): value for value in values}


def _entry_name(value: Any) -> str:
    if isinstance(value, dict):
        for field in NAMES:
            if isinstance(value.get(field), str):
                return str(value[field])
    return _text(value)


def _place(path: list[str]) -> str:
    """The names that a user knows, without those of heldout's own classes around them."""
    inner = max((i + 1 for i, name in enumerate(path[:-1]) if name in WRAPPERS), default=0)
    return ".".join(path[inner:])


def _changed_names(before: Any, now: Any) -> str:
    old, new = before or {}, now or {}
    names = sorted({*old, *new})
    return _shortened(", ".join(name for name in names if old.get(name) != new.get(name)))


def _parsed(versions: Any) -> Any:
    return json.loads(versions) if isinstance(versions, str) else versions


def _shown(value: Any) -> str:
    return _shortened(_text(value))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shortened(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
