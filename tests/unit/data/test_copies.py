"""Copies are found however they were made, and rows that chance makes equal or near are none."""

import numpy as np
import pytest

from heldout.data import exact_copies
from heldout.data.copies import ComparedRows, Copies, copies_across, copies_among, numbering
from heldout.data.exact_copies import equal_rows, hashes_of
from heldout.data.near_copies import _improbable, _threshold

G = np.random.default_rng(7)


def compared(x, y, kinds=None, apart=None):
    y = np.asarray(y)
    return ComparedRows(
        features=np.asarray(x, float),
        kinds=kinds or ["number"] * np.shape(x)[1],
        target=y,
        classes=y.dtype != float,
        apart=np.arange(len(y)) if apart is None else np.asarray(apart),
    )


def found(x, y, kinds=None, apart=None):
    return copies_among(compared(x, y, kinds, apart), seed=3)


def pasted(x, y, change=lambda rows: rows, count=20):
    """A twentieth of 400 rows once more, changed."""
    return np.r_[x, change(x[:count])], np.r_[y, y[:count]]


def significant(x, digits):
    size = 10 ** np.floor(np.log10(np.abs(x)))
    return np.round(x / size, digits - 1) * size


X, CODES, NUMBERS = G.normal(50, 10, size=(400, 6)), G.integers(2, size=400), G.normal(size=400)


@pytest.mark.parametrize("y", [CODES, NUMBERS], ids=["classes", "numbers"])
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda rows: rows, "exact"),
        (lambda rows: significant(rows, 2), "near"),
        (lambda rows: significant(rows, 3), "near"),
        (lambda rows: rows + G.normal(0, 0.1, size=rows.shape), "near"),
    ],
)
def test_pasted_rows_are_found(y, change, kind):
    copies = found(*pasted(X, y, change))
    assert copies.rows == 420
    assert getattr(copies, kind) == copies.found
    assert copies.found == 40 if kind == "exact" else 36 <= copies.found <= 40
    assert copies.worth_a_warning


@pytest.mark.parametrize("kind", ["number", "many"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_number_of_each_row_hides_no_copy(kind, shuffled):
    x, y = pasted(X, CODES)
    number = G.permutation(len(y)) if shuffled else np.arange(len(y)) * 1000
    assert found(np.c_[number, x], y, [kind, *["number"] * 6]).exact == 40


def test_oversampled_rows_are_found():
    rare = np.arange(400) < 30
    copies = found(np.r_[X, X[rare], X[rare]], np.r_[CODES, CODES[rare], CODES[rare]])
    assert copies == Copies(460, 90, 0)


def test_copies_in_one_unit_do_not_count():
    x, y = pasted(X, CODES)
    jittered, _ = pasted(X, CODES, lambda rows: rows + 0.01)
    units = np.r_[np.arange(400), np.arange(20)]
    assert found(x, y, apart=units).found == found(jittered, y, apart=units).found == 0
    assert found(x, y, apart=np.r_[np.arange(400), np.arange(10), 399 + np.arange(10)]).exact == 20


def test_copies_have_the_same_categories_and_the_same_missing_values():
    x, y = pasted(X, CODES, lambda rows: rows + 0.01)
    level = np.r_[CODES, CODES[:10], 1 - CODES[10:20]]
    assert found(np.c_[x, level], y, [*["number"] * 6, "category"]).near == 20
    holes = x.copy()
    holes[:5, 0] = np.nan
    holes[400:410, 0] = np.nan
    assert found(holes, y).near == 30
    holes = np.where(G.random(X.shape) < 0.2, np.nan, X)
    assert found(*pasted(holes, CODES)).exact == 40


def test_a_copy_with_another_target_is_none():
    x, y = np.r_[X, X[:20]], np.r_[CODES, 1 - CODES[:20]]
    assert found(x, y).found == 0
    assert found(x, np.r_[NUMBERS, NUMBERS[:20] + 3]).found == 0


def correlated_bits(rows, columns):
    return G.normal(size=(rows, 1)) + G.normal(size=(rows, columns)) > 0.7


def curve(t):
    return np.c_[t, t**2, np.sin(9 * t), np.exp(t)]


def panel():
    countries = np.repeat(G.normal(size=(60, 6)), 10, axis=0)
    years = np.tile(np.arange(10), 60)[:, None]
    return countries + 0.06 * years + 0.1 * G.normal(size=countries.shape)


@pytest.mark.parametrize(
    "x",
    [
        G.integers(0, [5, 8], size=(500, 2)),
        G.integers(0, [40, 30], size=(300, 2)),
        G.integers(0, [4, 2, 2], size=(2201, 3)),
        *(G.random((267, 22)) < share for share in (0.05, 0.2, 0.5)),
        correlated_bits(267, 22),
        G.random((2000, 100)) < 0.01,
        curve(G.random(1000)),
        curve(np.linspace(0, 1, 1000)),
        panel(),
        G.standard_cauchy((1000, 5)),
        np.exp(2 * G.normal(size=(500, 4))),
        G.poisson(3, size=(1000, 6)),
        np.c_[G.random((1000, 10)) < 0.5, G.normal(size=1000)],
        np.c_[G.poisson(2, size=(1000, 6)), np.exp(3 * G.normal(size=1000))],
        G.normal(size=(120, 3000)),
        G.normal(size=(60, 1)),
        np.zeros((40, 2)),
        np.full((30, 2), np.nan),
    ],
)
def test_what_chance_does_is_no_copy(x):
    x = np.asarray(x, float)
    classes = np.random.default_rng(1).integers(2, size=len(x))
    assert not found(x, classes).worth_a_warning
    assert not found(x, np.random.default_rng(2).normal(size=len(x))).worth_a_warning


@pytest.mark.parametrize("rows", [1, 2, 6])
def test_few_rows_are_no_error(rows):
    assert found(np.arange(rows)[:, None], np.arange(rows) % 2).found == 0
    assert found(np.zeros((rows, 0)), np.arange(rows) * 1.0).found == 0


def test_of_many_rows_a_sample_is_compared():
    x = G.normal(size=(30_000, 4))
    x[28_500:] = x[:1500]
    copies = found(x, np.zeros(30_000, int))
    assert (copies.rows, copies.others) == (10_000, 1 / 3)
    assert copies.share == pytest.approx(0.1, abs=0.02)
    assert copies.worth_a_warning
    assert not found(G.normal(size=(30_000, 4)), np.zeros(30_000, int)).found


@pytest.mark.parametrize(
    ("copies", "worth"),
    [
        (Copies(200, 2, 0), True),
        (Copies(201, 2, 0), False),
        (Copies(20, 0, 1), False),
        (Copies(400, 2, 2), True),
        (Copies(10_000, 9, 0, 0.05), False),
        (Copies(10_000, 10, 0, 0.05), True),
        (Copies(10_000, 10, 0, 0.5), False),
    ],
)
def test_few_copies_are_not_worth_a_warning(copies, worth):
    assert copies.worth_a_warning is worth


def test_the_share_is_of_all_rows():
    assert Copies(100, 3, 1).share == 0.04
    assert Copies(100, 3, 1, 0.5).share == 0.08
    assert Copies(100, 60, 10, 0.5).share == 1
    assert Copies(0, 0, 0).share == 0


def test_copies_across_are_those_of_the_second_side():
    x, y = pasted(X, CODES)
    sides = np.arange(420) >= 395
    assert copies_across(compared(x, y, apart=sides), 1) == Copies(25, 20, 0)
    alone = np.arange(420) < 25  # the first rows, pasted at the end: 20 of these 25 have copies
    assert copies_across(compared(x, y, apart=alone), 1) == Copies(25, 20, 0)
    within = np.r_[np.ones(20, bool), np.zeros(380, bool), np.ones(20, bool)]
    assert copies_across(compared(x, y, apart=within), 1) == Copies(40, 0, 0)


def test_a_test_table_that_counts_anew_hides_no_copy():
    x, y = pasted(X, CODES)
    number = np.r_[np.arange(400), np.arange(20) + 100]
    rows = compared(np.c_[number, x], y, apart=np.arange(420) >= 400)
    assert copies_across(rows, 1) == Copies(20, 20, 0)


def test_many_rows_on_both_sides_are_sampled():
    x = G.normal(size=(40_000, 3))
    x[30_000:] = x[:10_000]
    copies = copies_across(compared(x, np.zeros(40_000, int), apart=np.arange(40_000) >= 30_000), 1)
    assert (copies.rows, copies.others) == (5000, 1 / 6)
    assert copies.share > 0.9


@pytest.mark.parametrize(
    ("column", "kind", "numbers"),
    [
        (np.arange(40), "number", True),
        (np.arange(40) * 977, "number", True),
        (G.permutation(40), "number", True),
        (G.permutation(40) * 1.5, "number", False),
        (G.permutation(40) * 977, "number", False),
        (G.permutation(40) * 977, "many", True),
        (G.permutation(40) * 977, "date", False),
        (np.arange(40) // 2, "number", False),
        (np.r_[np.arange(39), np.nan], "number", False),
        (np.r_[np.arange(39), 5], "category", True),
        (np.r_[np.arange(36), 1, 2, 3, 4], "category", False),
    ],
)
def test_columns_that_number_rows(column, kind, numbers):
    given = np.asarray(column, float)[:, None]
    assert numbering(given, [kind], 40) == ([0] if numbers else [])


def test_a_column_that_differs_in_the_first_rows_only_numbers_nothing():
    column = np.r_[np.arange(300), np.arange(300)][:, None].astype(float)
    assert numbering(column, ["many"], 600) == []


def test_equal_rows_that_have_neighbours_are_no_copies():
    """A cell of a table of few values, and one far from all others."""
    cells = [[a, b, 0] for a in range(4) for b in range(4)]
    x = np.array([*cells, *cells, [90, 91, 92], [90, 91, 92]], float)
    equal = equal_rows(x, np.arange(len(x)), 1)
    assert len(np.unique(equal.patterns)) == 17
    assert not equal.suspicious.any(), "as many as chance brings"
    far = np.c_[np.arange(100, 140), np.arange(200, 240), np.arange(300, 340)]
    x = np.r_[x, far, far]
    suspicious = equal_rows(x, np.arange(len(x)), 1).suspicious
    assert suspicious[32:].all()
    assert not suspicious[:32].any()


def test_copies_must_be_more_than_rows_with_neighbours_by_the_factor_of_chance():
    """24 rows that differ from others in one column, and pairs of equal rows far away."""
    cells = np.array([[a, b, 0] for a in range(6) for b in range(4)], float)
    for pairs, counts in [(4, False), (5, True)]:
        far = np.arange(100, 100 + 3 * pairs, dtype=float).reshape(pairs, 3)
        suspicious = equal_rows(np.r_[cells, far, far], np.arange(24 + 2 * pairs), 1).suspicious
        assert suspicious.sum() == 2 * pairs * counts


def test_of_wide_tables_some_columns_are_looked_at(monkeypatch):
    monkeypatch.setattr(exact_copies, "MOST_CELLS", 400)
    monkeypatch.setattr(exact_copies, "BLOCK", 100)
    rare = np.asarray(G.random((200, 30)) < 0.02, float)
    assert not equal_rows(rare, np.arange(200), 1).suspicious.any()
    few = G.normal(size=(40, 30))
    assert equal_rows(np.r_[few, few], np.arange(80), 1).suspicious.all()


def test_a_text_of_its_own_that_comes_twice_is_a_copy():
    texts, classes = np.tile(np.arange(30.0), 2), np.zeros(60)
    twice = np.c_[classes, texts]
    assert equal_rows(twice, np.arange(60), 1, texts=1).suspicious.all()
    assert not equal_rows(twice, np.arange(60), 1).suspicious.any()
    both = np.r_[twice, np.c_[np.ones(30), np.arange(30.0)]]
    assert not equal_rows(both, np.arange(90), 1, texts=1).suspicious.any(), "others have it too"


def test_hashes_tell_values_and_columns_apart():
    values = np.array([[0.0, 0.0], [-0.0, 1.0], [np.nan, -np.nan]])
    hashed = hashes_of(values, 1)
    assert hashed[0, 0] == hashed[1, 0]
    assert len(np.unique(hashed)) == 5
    assert (hashes_of(values, 1) == hashed).all()
    many = hashes_of(np.arange(30_000.0).reshape(-1, 3), 1)
    assert len(np.unique(many.sum(axis=1))) == 10_000


def test_the_threshold_lies_in_the_clearest_gap():
    bulk = np.linspace(0.5, 1, 300)

    def threshold(*near, dimension=5.0):
        return _threshold(np.r_[bulk, np.repeat(near, 8)], dimension)

    assert threshold(0.04) == 0.05
    assert threshold(0.04, dimension=0.5) == -1, "chance brings as many"
    assert threshold(0.04, 0.07) == 0.1
    assert threshold(0.04, 0.11) == -1, "no gap"
    assert threshold() == -1
    assert 0 < threshold(0) < 1e-10
    one_more = np.r_[bulk, np.full(8, 0.02), 0.06, 0.2]
    assert _threshold(one_more, 5) == 0.1
    assert _threshold(np.r_[one_more, 0.2], 5) == 0.025


def test_chernoff_bounds_the_poisson_tail():
    from scipy.stats import poisson

    for pairs, expected in [(3, 0.05), (10, 2.0), (50, 20.0), (1, 1e-4)]:
        assert _improbable(pairs, expected)
        assert poisson.sf(pairs - 1, expected) < 1e-3
    assert not _improbable(3, 0.5)
    assert not _improbable(2, 3)
    assert not _improbable(0, 0)
    assert _improbable(1, 0)
