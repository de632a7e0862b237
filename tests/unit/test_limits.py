"""What is too much is counted before it is expanded, and named with its limit."""

from pathlib import Path
from typing import Any

import pytest

from heldout import limits
from heldout.errors import HeldoutError
from heldout.limits import TooMuchError, check_size, refuse_above, written


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_the_limit_itself_is_allowed() -> None:
    refuse_above(10, 10, "k", "folds")
    with pytest.raises(HeldoutError, match=r"^k: asks for 11 folds; the limit is 10$"):
        refuse_above(10, 11, "k", "folds")


def test_numbers_that_python_does_not_write() -> None:
    assert written(-12) == "-12"
    assert written(10**5000) == "about 10^5000"
    assert written(-(10**5000)) == "about -10^5000"


def test_a_structure_within_the_limits_passes() -> None:
    check_size([1] * (limits.CONFIG_VALUES - 1))
    check_size(nested(limits.CONFIG_DEPTH))


def test_aliases_count_as_often_as_they_stand_there() -> None:
    shared = [0] * (limits.CONFIG_VALUES // 4)
    check_size([shared] * 3)
    with pytest.raises(TooMuchError, match="holds 200005 values with all aliases"):
        check_size([shared] * 4)


def test_depth_is_counted_through_aliases_too() -> None:
    with pytest.raises(TooMuchError, match="more than 50 deep"):
        check_size(nested(limits.CONFIG_DEPTH + 1))
    shared = nested(limits.CONFIG_DEPTH - 5)
    with pytest.raises(TooMuchError, match="more than 50 deep"):
        check_size([shared, [[[[[shared]]]]]])


def test_what_contains_itself_is_refused() -> None:
    value: list[Any] = []
    value += [value, value]
    with pytest.raises(TooMuchError, match="contains itself"):
        check_size(value)


def test_the_docs_name_the_limits() -> None:
    text = " ".join((Path(__file__).parents[2] / "docs" / "trust.md").read_text().split())
    for words in (
        f"{limits.THETAS:,} values of θ of a learner",
        f"{limits.SETS:,} held-out sets",
        f"{limits.CELLS:,} cells of a task",
        f"{limits.JOBS:,} jobs of a study",
        f"{limits.ROWS:,} rows drawn from an oracle",
        f"at most {limits.CONFIG_BYTES // 10**6} MB",
        f"{limits.CONFIG_VALUES:,} values with all aliases written out",
        f"{limits.CONFIG_DEPTH} levels",
    ):
        assert words in text
