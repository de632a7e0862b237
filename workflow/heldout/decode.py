"""From JSON to dataclasses: every field is there, none is unknown, and each has its type.

Handles what specs are made of: nested dataclasses, lists, tuples of one type, dicts with text as
keys, literals, None and unions; of several dataclasses the one with exactly the given fields is
taken. Standard library only, and quick: every job decodes its spec.
"""

from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from heldout.errors import HeldoutError, did_you_mean

T = TypeVar("T")


def decode(cls: type[T], value: Any, where: str) -> T:
    """Make an instance of a dataclass from a JSON value.

    Parameters
    ----------
    cls
        The dataclass.
    value
        What JSON gave.
    where
        What is named in errors.

    Returns
    -------
    object
        An instance, in which every field has its type.

    Examples
    --------
    >>> from heldout.measures.spec import LossSpec
    >>> decode(LossSpec, {"name": "squared"}, "loss").name
    'squared'
    """
    made: T = _decode(cls, value, where)
    return made


def _decode(kind: Any, value: Any, where: str) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin in (Union, UnionType):
        return _one_of(get_args(kind), value, where)
    if is_dataclass(kind):
        return _instance(kind, value, where)
    if origin is Literal:
        return value if value in get_args(kind) else _refuse(value, where, kind)
    if origin in (list, tuple, Sequence) and isinstance(value, list):
        items = [_decode(get_args(kind)[0], item, f"{where}[{i}]") for i, item in enumerate(value)]
        return tuple(items) if origin is tuple else items
    if origin is dict and isinstance(value, dict):
        inner = get_args(kind)[1]
        return {key: _decode(inner, item, f"{where}.{key}") for key, item in value.items()}
    return _scalar(kind, value, where)


def _scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is NoneType and value is None:
        return None
    if kind is float and type(value) is int:
        return float(value)
    return value if type(value) is kind else _refuse(value, where, kind)


def _instance(cls: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        _refuse(value, where, cls)
    kinds, required = _fields(cls)
    for name in value:
        if name not in kinds:
            raise HeldoutError(f"{where}: unknown field '{name}'{did_you_mean(name, list(kinds))}")
    for name in required:
        if name not in value:
            raise HeldoutError(f"{where}: the field '{name}' is missing")
    given = {name: _decode(kinds[name], one, f"{where}.{name}") for name, one in value.items()}
    return cls(**given)


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """The value as the first type of a union that it has."""
    classes = [kind for kind in kinds if is_dataclass(kind)]
    if len(classes) == 1 and isinstance(value, dict):  # so that a wrong field is named
        return _instance(classes[0], value, where)
    exact = [type(value)] if type(value) in kinds else []  # 3 is an int before it is a float
    for kind in (*exact, *kinds):
        if _fits(kind, value):
            return _decode(kind, value, where)
    return _refuse(value, where, *kinds)


def _fits(kind: Any, value: Any) -> bool:
    if is_dataclass(kind):
        return isinstance(value, dict) and set(value) == {one.name for one in fields(kind)}
    outer = get_origin(kind) or kind
    if kind is Any:
        return True
    if outer is Literal:
        return value in get_args(kind)
    if outer in (list, tuple, Sequence):
        return isinstance(value, list)
    return type(value) is outer or (outer is float and type(value) is int)


@cache
def _fields(cls: Any) -> tuple[dict[str, Any], list[str]]:
    """The type of each field, and the fields without a default."""
    required = [f.name for f in fields(cls) if f.default is f.default_factory is MISSING]
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in fields(cls)}, required


def _refuse(value: Any, where: str, *kinds: Any) -> NoReturn:
    wanted = " or ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
    found = "null" if value is None else f"{type(value).__name__} {value!r}"
    raise HeldoutError(f"{where}: should be {wanted}, and is {found[:80]}")
