"""Which θ cannot be told from the best one, in sentences."""

from typing import Any

from heldout.results.display import listed, theta_text


def sentences(selection: dict[str, Any]) -> list[str]:
    """One for all learners together, and one for each learner with several θ.

    Empty where the selection says nothing about a confidence set.
    """
    found = [
        _of_learner(name, entry)
        for name, entry in selection["learners"].items()
        if entry.get("kept") is not None and entry.get("thetas", 0) > 1
    ]
    whole = selection.get("confidence_set")
    return [*([_of_all(whole)] if whole and len(selection["learners"]) > 1 else []), *found]


def _of_all(found: dict[str, Any]) -> str:
    start = f"Of all learners together, {_cannot(found['size'], found['of'])}"
    names = found.get("learners") or []
    return f"{start}: {listed(names)}." if names else f"{start}."


def _of_learner(name: str, entry: dict[str, Any]) -> str:
    kept, simplest = entry["kept"], entry.get("simplest")
    start = f"Of {name}, {_cannot(kept, entry['thetas'])}"
    if kept == 1 or not simplest:
        return f"{start}."
    return f"{start}; the simplest of them is {theta_text(simplest)}."


def _cannot(kept: int, of: int) -> str:
    if kept == 1:
        return f"the best of {of} θ can be told from all others"
    return f"{kept} of {of} θ cannot be told from the best"
