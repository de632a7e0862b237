"""Neighbours from a search that training sets share equal those of a search of their own."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fitting import builder_for
from hypothesis import given
from hypothesis import strategies as st
from neighbor_problems import SETS, TABLES, K, N, nested, normal, plan
from sklearn.neighbors import NearestNeighbors

from heldout.cells.fit import Fitter
from heldout.cells.plan import Plan
from heldout.cells.problems import Problems
from heldout.cells.store import Store
from heldout.numerics.engines import neighbor_candidates, neighbor_sharing
from heldout.numerics.engines.generic import preprocess
from heldout.numerics.neighbors import nearest
from heldout.resampling.split import Resample

# --- the neighbours -------------------------------------------------------------------------------


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share however small the table is, and however many rows are uncertain."""
    monkeypatch.setattr(
        neighbor_sharing, "searches_to_pay_off", lambda n, width: 0.0 if width < n else np.inf
    )
    monkeypatch.setattr(neighbor_candidates, "MAX_UNCERTAIN", 1.0)


class Searches:
    """Counts the rows that are searched for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.table: list[int] = []
        """The rows searched for in the whole table."""
        self.own: list[int] = []
        """How many rows were searched for in each training set."""
        table, own, search = self.table, self.own, neighbor_sharing.nearest

        class CountingNeighbors(NearestNeighbors):
            def fit(self, X: np.ndarray, y: Any = None) -> Any:
                self.number_of_row_ = {row.tobytes(): i for i, row in enumerate(X)}
                return super().fit(X, y)

            def kneighbors(self, X: np.ndarray) -> Any:
                table.extend(self.number_of_row_[row.tobytes()] for row in X)
                return super().kneighbors(X)

        def counting_nearest(train: np.ndarray, held: np.ndarray, k: int) -> np.ndarray:
            own.append(len(held))
            return search(train, held, k)

        monkeypatch.setattr(neighbor_candidates, "NearestNeighbors", CountingNeighbors)
        monkeypatch.setattr(neighbor_sharing, "nearest", counting_nearest)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Searches:
    return Searches(monkeypatch)


def shared_and_own(given: Plan, k: int = K) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The neighbours for each training set, shared and by a search of its own."""
    problems = Problems(given, given.resamples)
    builder = builder_for(given.learners[0], given.table)
    for resample in given.resamples:
        problem = problems.problem(builder, resample)
        fitted, train, held = preprocess(problem, builder.recipe({}))
        query = neighbor_sharing.Query(np.ascontiguousarray(train), held, k)
        yield neighbor_sharing.neighbors(problem, fitted, query), nearest(*query)


def check(given: Plan, k: int = K) -> None:
    for shared, own in shared_and_own(given, k):
        assert shared.tolist() == own.tolist()


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("sets", SETS)
@pytest.mark.parametrize("table", TABLES)
def test_every_set_of_every_table_gets_its_own_neighbours(
    table: Any, sets: Any, scale: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbor_sharing, "EXTRA_CANDIDATES", 2)
    for seed in range(3):
        generator = np.random.default_rng(seed)
        check(plan(table(generator), sets(generator), scale=scale))


@pytest.mark.usefixtures("always")
@given(
    seed=st.integers(0, 10**6),
    table=st.sampled_from(TABLES),
    sets=st.sampled_from(SETS),
    scale=st.booleans(),
    k=st.integers(1, 12),
    more=st.integers(0, 6),
)
def test_also_with_few_candidates(
    seed: int, table: Any, sets: Any, scale: bool, k: int, more: int
) -> None:
    """Down to k candidates, of which a training set lacks some."""
    generator = np.random.default_rng(seed)
    given = plan(table(generator), sets(generator), scale=scale)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbor_sharing, "candidate_count", lambda k, share: k + more)
        check(given, k)


@pytest.mark.parametrize("scale", [True, False])
def test_each_row_is_searched_for_once(scale: bool, searches: Searches) -> None:
    """A table that is large enough for it, and far from zero; then no training set searches."""
    generator = np.random.default_rng(1)
    features = generator.normal(size=(900, 5)) + 1e6
    given = plan(features, nested(generator, 10, 900), scale=scale)
    check(given)
    assert sorted(searches.table) == list(range(900))
    assert searches.own == []


def test_small_training_sets_get_more_candidates(searches: Searches) -> None:
    """A quarter of the rows, each of them four times."""
    generator = np.random.default_rng(1)
    quarters = np.sort(np.argsort(generator.random((60, 900)))[:, :225])
    sets = [
        Resample(str(i), np.repeat(rows, 4), {"held": np.setdiff1d(np.arange(900), rows)})
        for i, rows in enumerate(quarters)
    ]
    check(plan(generator.normal(size=(900, 5)), sets, scale=False))
    assert len(searches.table) == 900
    assert sum(searches.own) < 900


@pytest.mark.usefixtures("always")
def test_only_uncertain_rows_are_searched_for_again(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbor_sharing, "EXTRA_CANDIDATES", 0)
    generator = np.random.default_rng(1)
    given = plan(normal(generator), nested(generator))
    check(given)
    predicted = sum(len(rows) for resample in given.resamples for rows in resample.held.values())
    assert 0 < sum(searches.own) < predicted / 2


def test_candidates_are_not_used_where_distances_are_tied(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbor_sharing, "searches_to_pay_off", lambda n, width: 0.0)
    generator = np.random.default_rng(1)
    given = plan((np.arange(N) % 2.0)[:, None], nested(generator))
    check(given)
    held = [sum(map(len, resample.held.values())) for resample in given.resamples]
    assert len(searches.table) == held[0]
    assert searches.own[1:] == held[1:]


@pytest.mark.parametrize(
    ("sets", "n", "shared"),
    [
        (lambda generator: nested(generator, 10, 900), 900, True),
        (lambda generator: nested(generator, 10, 900)[:10], 900, False),
        (lambda generator: nested(generator, 10, 200), 200, False),
    ],
    ids=["nested", "every row once", "small table"],
)
def test_it_is_shared_where_that_is_quicker(
    sets: Any, n: int, shared: bool, searches: Searches
) -> None:
    generator = np.random.default_rng(1)
    given = plan(generator.normal(size=(n, 2)), sets(generator))
    check(given)
    assert bool(searches.table) == shared
    assert bool(searches.own) != shared


def test_sets_that_were_not_expected_search_for_themselves(searches: Searches) -> None:
    generator = np.random.default_rng(1)
    given = plan(generator.normal(size=(900, 5)), nested(generator, 10, 900))
    builder = builder_for(given.learners[0], given.table)
    assert Problems(given).problem(builder, given.resamples[0]).origin is None
    part = Resample("loo.1", np.arange(1, 900), {"loo.1": np.array([0])})
    chunk = Resample("loo.c001", np.array([], int), part.held, [part])
    problems = Problems(given, [*given.resamples, chunk])
    assert problems.problem(builder, part).origin is None
    origin = problems.problem(builder, given.resamples[0]).origin
    assert origin is not None
    assert len([*origin.job.sets]) == len(given.resamples)


@pytest.mark.usefixtures("always")
def test_memory_is_limited(searches: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    given = plan(normal(generator), nested(generator))
    monkeypatch.setattr(
        neighbor_sharing,
        "MEMORY_LIMIT",
        neighbor_candidates.bytes_of(N, neighbor_sharing.candidate_count(K, 0.6)) - 1,
    )
    check(given)
    assert not searches.table
    monkeypatch.setattr(neighbor_sharing, "MEMORY_LIMIT", neighbor_sharing.MEMORY_LIMIT + 1)
    check(given)
    assert searches.table


@pytest.mark.usefixtures("always")
def test_a_scan_over_k_doubles_the_number_of_candidates(searches: Searches) -> None:
    generator = np.random.default_rng(1)
    given = plan(normal(generator), nested(generator))
    problems, builder = (
        Problems(given, given.resamples),
        builder_for(given.learners[0], given.table),
    )
    for k in range(1, 9):
        for resample in given.resamples:
            problem = problems.problem(builder, resample)
            fitted, train, held = preprocess(problem, builder.recipe({}))
            shared = neighbor_sharing.neighbors(
                problem, fitted, neighbor_sharing.Query(train, held, k)
            )
            assert shared.tolist() == nearest(train, held, k).tolist()
    assert len(searches.table) == 4 * N, "for 1, 2, 4 and 8 neighbours"


# --- features that are not just scaled ----------------------------------------------------------


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("scale", [True, False])
def test_missing_values_are_not_shared(scale: bool, searches: Searches) -> None:
    """Each training set replaces them by its own medians, and scales its own indicators."""
    generator = np.random.default_rng(1)
    features = normal(generator)
    features[generator.random(N) < 0.2, 1] = np.nan
    check(plan(features, nested(generator), scale=scale))
    features = normal(generator)
    features[7, 2] = np.nan
    check(plan(features, nested(generator), scale=scale))
    assert not searches.table


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("scale", [True, False])
def test_categories_are_shared_by_sets_that_know_them_all(scale: bool, searches: Searches) -> None:
    """A level that only one row has: sets without that row have a column less."""
    generator = np.random.default_rng(1)
    levels = generator.integers(0, 3, size=(N, 2)).astype(float)
    levels[generator.random(N) < 0.2, 1] = np.nan
    levels[11, 0] = 3.0
    features = np.column_stack([normal(generator), levels])
    given = plan(features, nested(generator), categories=2, scale=scale)
    check(given)
    without = [11 not in resample.train for resample in given.resamples]
    assert len(searches.own) >= sum(without)
    assert searches.table


@pytest.mark.usefixtures("always")
def test_categories_stay_as_they_are_when_all_scales_shrink() -> None:
    """Without the outlier every number counts for more; categories do not."""
    for seed in range(5):
        generator = np.random.default_rng(seed)
        levels = generator.integers(0, 3, size=(N, 2)).astype(float)
        features = np.column_stack([generator.normal(size=N), levels])
        features[generator.integers(N), 0] = 1e6
        check(plan(features, nested(generator), categories=2), 8)


# --- cells --------------------------------------------------------------------------------------


def scores(folder: Any, given: Plan, expected: list[Resample]) -> list[tuple[str, str]]:
    """The seals of all cells."""
    fitter = Fitter(given, Store(folder), "none", None, expected)
    for resample in given.resamples:
        fitter.ensure(given.learners[0], resample, given.learners[0].thetas(0))
    assert not fitter.batch.failures
    return [(str(cell), record.score) for cell, record in fitter.batch.cells]


def test_cells_are_the_same_to_the_bit(tmp_path: Any, searches: Searches) -> None:
    generator = np.random.default_rng(1)
    given = plan(generator.normal(size=(900, 5)), nested(generator, 10, 900))
    shared = scores(tmp_path / "shared", given, given.resamples)
    assert len(searches.table) == 900
    assert not searches.own
    assert shared == scores(tmp_path / "own", given, [])
    assert len(searches.own) == len(given.resamples) > 0
