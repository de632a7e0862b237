"""Validating a config; messages name the key, the mistake and a likely correction."""

import re
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from heldout.config.models import Config
from heldout.errors import HeldoutError, did_you_mean
from heldout.limits import WHOLE_NUMBER, TooMuchError, check_size, written

EXPONENT = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)[eE][-+]?\d+")
"""Numbers such as 1e-3, which YAML 1.1 reads as text because the decimal point is missing."""

NUMBERS = ("test", "threshold")
"""Keys of a task that may hold numbers or texts."""

SHOWN = 200
"""How many characters of a wrong value a message has."""

MESSAGES = {
    "missing": "is missing",
    "model_type": "should be a mapping (key: value)",
    "dict_type": "should be a mapping (key: value)",
    "too_short": "should not be empty",
    "string_pattern_mismatch": "should start with a letter or digit and hold only letters, digits, "
    "'_', '.' and '-'",
}


def validate(raw: dict[str, Any]) -> Config:
    """Validate a config.

    Parameters
    ----------
    raw
        The content of a config file.

    Returns
    -------
    Config
        The config with every default filled in.

    Raises
    ------
    HeldoutError
        A single error that lists every mistake.

    Examples
    --------
    >>> task = {"data": "penguins.csv", "target": "species", "learners": ["knn"]}
    >>> validate({"tasks": {"penguins": task}}).tasks["penguins"].kfold.k
    5
    """
    _check_values(raw)
    try:
        return Config.model_validate(_with_numbers(raw))
    except ValidationError as error:
        lines = _lines(error.errors(include_url=False))
        raise HeldoutError("the config is not valid:\n" + "\n".join(lines)) from None


def _check_values(raw: Any) -> None:
    """Refuse what is too large to look at, and what JSON cannot hold."""
    try:
        check_size(raw)
    except TooMuchError as error:
        raise HeldoutError(f"the config {error}") from None
    _check_plain(raw, "the config")


def _check_plain(value: Any, where: str) -> None:
    if isinstance(value, Mapping):
        if len({isinstance(key, str) for key in value}) > 1:
            raise HeldoutError(
                f"{where}: some keys are texts and some are numbers; put all in quotes"
            )
        for key, inner in value.items():
            _check_plain(inner, f"{where}.{key}".removeprefix("the config."))
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_plain(inner, where)
    elif isinstance(value, int):
        if abs(value) > WHOLE_NUMBER:
            raise HeldoutError(f"{where}: {written(value)} is too large a number")
    elif value is not None and not isinstance(value, str | float):
        kind = type(value).__name__
        raise HeldoutError(f"{where}: found a {kind}, {value}; put it in quotes to make it a text")


def _with_numbers(raw: Any) -> Any:
    """The config with 1e-3 as a number wherever a number may stand: in learners and in some keys of tasks."""
    if not isinstance(raw, dict):
        return raw
    whole = dict(raw)
    if "learners" in raw:
        whole["learners"] = _numbers_in(raw["learners"])
    if isinstance(raw.get("tasks"), dict):
        whole["tasks"] = {name: _with_numbers_of_task(task) for name, task in raw["tasks"].items()}
    return whole


def _with_numbers_of_task(task: Any) -> Any:
    if not isinstance(task, dict):
        return task
    return task | {key: _numbers_in(task[key]) for key in NUMBERS if key in task}


def _numbers_in(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers_in(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_numbers_in(inner) for inner in value]
    is_number = isinstance(value, str) and EXPONENT.fullmatch(value)
    return float(value) if is_number else value


def _lines(errors: list[Any]) -> list[str]:
    """One line for each place, in order; of the branches of a union, the first."""
    lines: dict[str, str] = {}
    for item in errors:
        path = _path(item["loc"])
        lines.setdefault(".".join(path), _line(path, item))
    return [lines[place] for place in sorted(lines)]


def _path(loc: tuple[int | str, ...]) -> list[str]:
    """The keys that lead to a mistake, without pydantic's names for the branches of a union."""
    path = [str(part) for part in loc if part != "[key]"]
    return path[:-1] if path[-1:] in (["constrained-float"], ["str"]) and len(path) > 3 else path


def _line(path: list[str], item: Any) -> str:
    where, kind, given = ".".join(path), item["type"], item["input"]
    if kind == "extra_forbidden":
        hint = did_you_mean(path[-1], sorted(_fields_at(path[:-1])))
        return f"  {where}: unknown key '{path[-1]}'{hint}"
    message = MESSAGES.get(kind) or item["msg"].replace("Input should be", "should be")
    found = "" if kind == "missing" else f" (found {_shown(given)})"
    return f"  {where}: {message}{found}{_hint(kind, given, item.get('ctx', {}))}"


def _shown(given: Any) -> str:
    """What was found, cut off where it is long."""
    text = written(given) if type(given) is int else repr(given)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _hint(kind: str, given: Any, context: dict[str, Any]) -> str:
    if kind == "string_type" and isinstance(given, int | float):
        return "; put it in quotes"
    if kind == "literal_error" and isinstance(given, str):
        known = [word.strip(" '") for word in context["expected"].replace(" or ", ",").split(",")]
        close = did_you_mean(given, known)
        return close if "did you mean" in close else ""
    return ""


def _fields_at(path: list[str]) -> set[str]:
    """The keys that are allowed at a place of the config, found by following the models."""
    annotation: Any = Config
    for part in path:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields.get(part)
            annotation = field.annotation if field else None
        else:
            annotation = get_args(annotation)[-1] if get_args(annotation) else None
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return set(annotation.model_fields)
    return set()
