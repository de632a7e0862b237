"""Validation with messages for people: where, what, and what was probably meant."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from heldout.config.models import Config
from heldout.errors import HeldoutError, did_you_mean


def validate(raw: dict[str, Any]) -> Config:
    """The typed config, or one error that lists everything that is wrong with it."""
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        lines = [_line(item) for item in error.errors(include_url=False)]
        raise HeldoutError("the config is not valid:\n" + "\n".join(sorted(set(lines)))) from None


def _line(item: Any) -> str:
    path = [str(part) for part in item["loc"] if part not in ("[key]",)]
    if item["type"] == "extra_forbidden":
        known = sorted(_fields_at(path[:-1]))
        return f"  {'.'.join(path)}: unknown key '{path[-1]}'{did_you_mean(path[-1], known)}"
    found = "" if item["type"] == "missing" else f" (found {item['input']!r})"
    hint = ""
    if item["type"] == "literal_error" and isinstance(item["input"], str):
        expected = [
            word.strip(" '") for word in item["ctx"]["expected"].replace(" or ", ",").split(",")
        ]
        hint = did_you_mean(item["input"], expected) if len(expected) > 1 else ""
        hint = hint if "did you mean" in hint else ""
    return f"  {'.'.join(path)}: {item['msg']}{found}{hint}"


def _fields_at(path: list[str]) -> set[str]:
    """The keys that are allowed at a place of the config, by walking the models."""
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
