"""The `steps:` of a learner: from what the config says to one canonical form.

An item of the list is a short name or an import path, a mapping ``{step: …, name: …, params: {…}}``,
or ``{columns: {numbers: …, "age, income": …}, rest: drop}``. The canonical form of a step is
``{"name", "path", "params"}``; of columns, ``{"name", "columns": [{"name", "of", "steps"}], "rest"}``;
of the model, which is the last item, ``{"name"}``.

Standard library only: the workflow imports this while it is parsed.
"""

from typing import Any, NamedTuple

from heldout.errors import HeldoutError, did_you_mean
from heldout.learners.catalogue import Entry
from heldout.learners.lookup import entry_for, short_names
from heldout.learners.nested import params_with_objects
from heldout.learners.step_catalogue import (
    COLUMNS,
    DROP,
    PASSTHROUGH,
    PREPARE,
    STEPS,
)

TABLE = "table"
"""The step before the user's: the columns of the table, in their order."""
ITEM = {"step", "name", "params"}
OF_COLUMNS = {COLUMNS, "rest", "name"}
REST = (DROP, PASSTHROUGH)


class Parsed(NamedTuple):
    """A list of steps, read."""

    steps: list[dict[str, Any]]
    """In canonical form; the last one is the model's name."""
    entry: Entry
    """What the model's short name or import path means."""
    params: dict[str, Any]
    """The parameters that stand in the model's item."""


def parse_steps(items: Any, where: str) -> Parsed:
    """Read the steps of a learner.

    Parameters
    ----------
    items
        The list in the config.
    where
        Its key, for error messages.

    Returns
    -------
    Parsed
        The steps in canonical form, and what the model is.

    Raises
    ------
    HeldoutError
        Names the item and what is wrong with it.

    Examples
    --------
    >>> parsed = parse_steps(["scale", {"step": "logistic", "params": {"C": 2}}], "learners.a.steps")
    >>> [step["name"] for step in parsed.steps], parsed.params
    (['scale', 'logistic'], {'C': 2})
    """
    if not isinstance(items, list) or not items:
        raise HeldoutError(f"{where}: expected a list of steps, the last of which is the model")
    steps = [_item(item, f"{where}[{i}]") for i, item in enumerate(items[:-1], 1)]
    place = f"{where}[{len(items)}]"
    name, estimator, params = _model(items[-1], place)
    _check_names([*(step["name"] for step in steps), name], where, (TABLE,))
    entry = entry_for(estimator, place)
    for step in steps:
        if step.get("path") == STEPS[PREPARE].path:
            step["params"].setdefault("scale", entry.scale)
    return Parsed([*steps, {"name": name}], entry, params)


def _model(item: Any, where: str) -> tuple[str, str, dict[str, Any]]:
    if isinstance(item, dict) and COLUMNS in item:
        raise HeldoutError(f"{where}: the last step is the model, found columns")
    path, name, params = _mapping(item, where)
    if path in STEPS:
        raise HeldoutError(
            f"{where}: the last step is the model, and '{path}' is a step before it; append a learner "
            f"such as logistic or forest"
        )
    entry = entry_for(path, where)
    if entry.polynomial:
        raise HeldoutError(f"{where}: '{path}' is two steps: write poly, then linear")
    return name or _default_name(path), path, params_with_objects(params, where)


def _item(item: Any, where: str) -> dict[str, Any]:
    if isinstance(item, dict) and COLUMNS in item:
        return _columns(item, where)
    path, name, params = _mapping(item, where)
    if path in (PASSTHROUGH, DROP):
        raise HeldoutError(f"{where}: '{path}' stands alone, or is a value in a grid")
    given = params_with_objects(params, f"{where}.params")
    if path in STEPS:
        entry = STEPS[path]
        return {"name": name or path, "path": entry.path, "params": {**entry.params, **given}}
    if "." not in path and ":" not in path:
        if path in short_names():
            raise HeldoutError(f"{where}: '{path}' is a model, and only the last step is one")
        hint = did_you_mean(path, sorted(STEPS))
        raise HeldoutError(f"{where}: unknown step '{path}'{hint}")
    return {"name": name or _default_name(path), "path": path, "params": given}


def _mapping(item: Any, where: str) -> tuple[str, str, dict[str, Any]]:
    """The step, its name (or none) and its parameters."""
    if isinstance(item, str):
        return item, "", {}
    if not isinstance(item, dict):
        raise HeldoutError(f"{where}: expected a step, found {item!r}")
    unknown = sorted(set(item) - ITEM)
    if unknown or "step" not in item:
        named = f"unknown key '{unknown[0]}'" if unknown else "'step' is missing"
        raise HeldoutError(
            f"{where}: {named}; a step is a name, {{step: NAME, name: …, params: {{…}}}} or "
            f"{{columns: {{…}}, rest: drop}}"
        )
    path, name, params = item["step"], item.get("name") or "", item.get("params") or {}
    if not isinstance(path, str) or not isinstance(name, str):
        raise HeldoutError(f"{where}: step and name are texts, found {path!r} and {name!r}")
    if not isinstance(params, dict):
        raise HeldoutError(f"{where}.params: expected a mapping, found {params!r}")
    return path, name, params


def _default_name(path: str) -> str:
    """The short name, or the class of an import path in small letters."""
    return path.replace(":", ".").rpartition(".")[2].lower()


def _check_names(names: list[str], where: str, kept: tuple[str, ...] = ()) -> None:
    for name in names:
        if names.count(name) > 1:
            raise HeldoutError(
                f"{where}: two steps are called '{name}'; give one another name: {{step: …, name: …}}"
            )
        if not name or "__" in name or name in kept:
            raise HeldoutError(f"{where}: a step cannot be called '{name}'; choose another name")


# --- columns -------------------------------------------------------------------------------------


def _columns(item: dict[str, Any], where: str) -> dict[str, Any]:
    unknown = sorted(set(item) - OF_COLUMNS)
    if unknown:
        raise HeldoutError(f"{where}: unknown key '{unknown[0]}'; known: columns, rest, name")
    rest = item.get("rest", DROP)
    if rest not in REST:
        raise HeldoutError(f"{where}.rest: expected drop or passthrough, found {rest!r}")
    parts = [_part(*pair, where) for pair in _pairs(item[COLUMNS], f"{where}.{COLUMNS}")]
    _check_names([part["name"] for part in parts], where)
    return {"name": item.get("name") or COLUMNS, COLUMNS: parts, "rest": rest}


def _pairs(given: Any, where: str) -> list[tuple[list[str], str, Any]]:
    """Columns, the name of the part (or none), and its steps; from a mapping or a list."""
    if isinstance(given, dict) and given:
        return [(_named(key), "", value) for key, value in given.items()]
    if not isinstance(given, list) or not given:
        raise HeldoutError(
            f'{where}: expected a mapping such as {{numbers: scale, "age, income": power}}'
        )
    pairs = []
    for i, one in enumerate(given, 1):
        if not isinstance(one, dict) or not set(one) <= {"of", "name", "steps"} or len(one) < 2:
            raise HeldoutError(f"{where}[{i}]: expected {{of: [COLUMN, …], steps: …}}")
        of = one.get("of")
        names = [of] if isinstance(of, str) else of
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise HeldoutError(f"{where}[{i}].of: expected names of columns, found {of!r}")
        pairs.append((names, one.get("name") or "", one.get("steps")))
    return pairs


def _named(key: str) -> list[str]:
    return [name.strip() for name in key.split(",")] if "," in key else [key]


def _part(of: list[str], name: str, value: Any, where: str) -> dict[str, Any]:
    name = name or "_".join(of).replace("__", "_")
    place = f"{where}.{COLUMNS}.{name}"
    if value in REST:
        return {"name": name, "of": of, "steps": value}
    items = value if isinstance(value, list) else [value]
    steps = [_item(item, f"{place}[{i}]") for i, item in enumerate(items, 1)]
    if not steps:
        raise HeldoutError(f"{place}: expected a step or a list of steps")
    _check_names([step["name"] for step in steps], place)
    return {"name": name, "of": of, "steps": steps}
