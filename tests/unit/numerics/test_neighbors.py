"""The nearest neighbours: exact, with ties broken by (distance, index)."""

import numpy as np
import pytest

from heldout.numerics.neighbors import nearest


def brute_nearest(train: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    distances = ((train - query) ** 2).sum(axis=1)
    return sorted(range(len(train)), key=lambda i: (distances[i], i))[:k]


@pytest.mark.parametrize("queries", [5, 200])
@pytest.mark.parametrize("k", [1, 4, 30])
def test_neighbours_break_ties_by_index(queries: int, k: int) -> None:
    """Small whole numbers: most distances are tied, more than the search's margin can hold."""
    generator = np.random.default_rng(0)
    train = generator.integers(0, 3, size=(150, 3)).astype(float)
    rows = generator.integers(0, 3, size=(queries, 3)).astype(float)
    found = nearest(train, rows, k)
    assert found.tolist() == [brute_nearest(train, query, k) for query in rows]


@pytest.mark.parametrize("outlier", [0.0, 1e12])
@pytest.mark.parametrize("offset", [0.0, 1.7e9])
def test_neighbours_are_right_far_from_zero(offset: float, outlier: float) -> None:
    """As in a column of seconds since 1970, whose squares have no digits left for the distances."""
    generator = np.random.default_rng(3)
    train, rows = generator.normal(size=(300, 3)), generator.normal(size=(90, 3))
    train[7, 1] += outlier
    train[:, 0] += offset
    rows[:, 0] += offset
    found = nearest(train, rows, 5)
    assert found.tolist() == [brute_nearest(train, query, 5) for query in rows]


def test_too_many_neighbours_is_an_error() -> None:
    with pytest.raises(ValueError, match="more than the 3 training rows"):
        nearest(np.zeros((3, 1)), np.zeros((1, 1)), 4)


def test_neighbours_do_not_depend_on_the_number_of_queries() -> None:
    """Sums are rounded in the same way; decimals have many ties."""
    rows = np.random.default_rng(0).normal(size=(400, 6)).round(1)
    together = nearest(rows, rows, 10)
    for i, row in enumerate(rows):
        assert together[i].tolist() == nearest(rows, row[None], 10)[0].tolist()
