"""JSON becomes a dataclass with every field of its type, or an error that names the field."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.decode import decode
from heldout.errors import HeldoutError


@dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.5


@dataclass(frozen=True)
class Named:
    name: str


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True)
class Everything:
    number: int
    share: float
    flag: bool
    text: str
    maybe: str | None
    either: float | str
    listed: list[int]
    fixed: tuple[str, ...]
    some: Sequence[str]
    table: dict[str, list[float]]
    inner: Point
    inners: list[Point]
    shape: Point | Named | Empty
    optional: Point | None
    word: Literal["min", "max"]
    anything: Any
    made: list[int] = field(default_factory=list)


GOOD: dict[str, Any] = {
    "number": 3,
    "share": 0.25,
    "flag": True,
    "text": "a",
    "maybe": None,
    "either": "b",
    "listed": [1, 2],
    "fixed": ["a", "b"],
    "some": ["c"],
    "table": {"a": [1.5], "b": []},
    "inner": {"x": 1, "y": 2.0},
    "inners": [{"x": 1}, {"x": 2}],
    "shape": {"name": "n"},
    "optional": None,
    "word": "min",
    "anything": {"deep": [None, 1, "x"]},
}


def test_every_kind_of_field_is_decoded() -> None:
    made = decode(Everything, GOOD, "spec")
    assert made == Everything(
        number=3,
        share=0.25,
        flag=True,
        text="a",
        maybe=None,
        either="b",
        listed=[1, 2],
        fixed=("a", "b"),
        some=["c"],
        table={"a": [1.5], "b": []},
        inner=Point(1, 2.0),
        inners=[Point(1), Point(2)],
        shape=Named("n"),
        optional=None,
        word="min",
        anything={"deep": [None, 1, "x"]},
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"numbr": 1}, "spec: unknown field 'numbr'; did you mean 'number'?"),
        ({"number": "3"}, "spec.number: should be int, and is str '3'"),
        ({"number": True}, "spec.number: should be int, and is bool True"),
        ({"number": 3.0}, "spec.number: should be int, and is float 3.0"),
        ({"flag": 1}, "spec.flag: should be bool, and is int 1"),
        ({"text": None}, "spec.text: should be str, and is null"),
        ({"maybe": 1}, "spec.maybe: should be str or NoneType, and is int 1"),
        ({"either": None}, "spec.either: should be float or str, and is null"),
        ({"listed": [1, "2"]}, "spec.listed[1]: should be int, and is str '2'"),
        ({"listed": {"a": 1}}, "spec.listed: should be list"),
        ({"listed": "12"}, "spec.listed: should be list"),
        ({"table": {"a": [None]}}, "spec.table.a[0]: should be float, and is null"),
        ({"table": []}, "spec.table: should be dict"),
        ({"inner": {"y": 1.0}}, "spec.inner: the field 'x' is missing"),
        ({"inner": 3}, "spec.inner: should be Point, and is int 3"),
        ({"inners": [{"x": 1}, {"z": 1}]}, "spec.inners[1]: unknown field 'z'"),
        ({"optional": {"x": 1, "z": 1}}, "spec.optional: unknown field 'z'"),
        ({"shape": {"x": 1}}, "spec.shape: should be Point or Named or Empty"),
        ({"word": "mean"}, "spec.word: should be "),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(HeldoutError) as refusal:
        decode(Everything, GOOD | change, "spec")
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_field_is_named(name: str) -> None:
    rest = {key: value for key, value in GOOD.items() if key != name}
    with pytest.raises(HeldoutError, match=rf"^spec: the field '{name}' is missing$"):
        decode(Everything, rest, "spec")


@pytest.mark.parametrize(
    ("kind", "made"), [(float, float), (float | str, float), (int | float, int)]
)
def test_a_whole_number_is_a_float_only_where_a_float_is_wanted(kind: Any, made: type) -> None:
    wanted = dataclass(type("Wanted", (), {"__annotations__": {"value": kind}}))
    assert type(decode(wanted, {"value": 3}, "spec").value) is made  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", [Point(1, 2.0), Named("n"), Empty()])
def test_of_several_classes_the_one_with_these_fields_is_taken(shape: Any) -> None:
    made = decode(Everything, GOOD | {"shape": asdict(shape)}, "spec")
    assert made.shape == shape


points = st.builds(Point, st.integers(), st.floats(allow_nan=False, allow_infinity=False))


@given(points, st.lists(points), st.none() | points, st.none() | st.text(), st.floats() | st.text())
def test_what_was_written_is_read_back(
    inner: Point, inners: list[Point], optional: Point | None, maybe: Any, either: Any
) -> None:
    made = decode(Everything, GOOD, "spec")
    other = Everything(
        **vars(made)
        | {
            "inner": inner,
            "inners": inners,
            "optional": optional,
            "maybe": maybe,
            "either": either,
        }
    )
    plain = asdict(other) | {"fixed": list(other.fixed)}
    assert repr(decode(Everything, plain, "spec")) == repr(other)
