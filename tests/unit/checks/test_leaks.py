"""H008: features that are the target in disguise, and those that chance or nature makes alike."""

import numpy as np
import pytest
from bare_tables import bare_context, bare_table
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from heldout.checks.disguises import of_classes
from heldout.checks.leaks import leaks, no_feature_is_the_target

N = 300
G = np.random.default_rng(3)
X = G.normal(size=(N, 12))
Y = G.normal(size=N)
TWO, THREE = (Y > 0.4).astype(int), np.digitize(Y, [-0.5, 0.5])
LEVELS = G.integers(4, size=N)


def holes(values, count):
    found = np.array(values, float)
    found[G.choice(N, count, replace=False)] = np.nan
    return found


def typo(values):
    found = np.array(values, float)
    found[17] = 50
    return found


def found_with(feature, target, **more):
    features = X.copy()
    features[:, 7] = feature
    return no_feature_is_the_target(bare_context(bare_table(features, target, **more)))


def rings(feature, target, **more):
    outcome = found_with(feature, target, **more)
    if outcome.status == "fail":
        assert outcome.message.startswith("'x7'")
    return outcome.status == "fail"


@pytest.mark.parametrize(
    "copy",
    [
        np.exp(Y),
        -(Y**3),
        np.round(Y, 1),
        np.floor(Y),
        Y > 0.3,
        Y + G.normal(size=N) * 0.01,
        5 - 2 * Y,
        holes(np.exp(Y), 1),
        holes(Y, 30),
        typo(Y),
    ],
)
def test_copies_of_a_number(copy):
    assert rings(copy, Y)


def test_a_feature_cut_in_two_is_found_though_the_target_has_ties():
    rounded = np.round(Y, 1)
    assert rings(rounded > 1.5, rounded)
    assert not rings(G.permutation(rounded > 1.5), rounded)


def test_names_of_parts_of_a_number():
    names = (np.floor(2 * Y) * 7) % 13
    assert rings(names, Y, kinds={"x7": "category"})
    assert not rings(G.permutation(names), Y, kinds={"x7": "category"})


def test_names_that_are_all_different_say_nothing():
    for ties in (3, 0):
        assert not rings(G.permutation(N), np.round(Y, ties), kinds={"x7": "many"})


@pytest.mark.parametrize("target", [TWO, THREE])
@pytest.mark.parametrize("lacking", [0, 1, 40])
def test_codes_of_classes(target, lacking):
    k = int(target.max()) + 1
    assert rings(holes(Y, lacking), target), "a threshold, or intervals"
    assert rings(holes((target + 1) % k, lacking), target), "another code"
    finer = found_with(holes((target + k * LEVELS) * 5 % 23, lacking), target)
    assert finer.status == "fail"
    assert "levels of one class each" in finer.message
    assert "groups" in finer.message


def test_missing_in_the_rows_of_one_class():
    outcome = found_with(np.where(TWO == 1, np.nan, X[:, 3]), TWO)
    assert "is missing in the rows of one class" in outcome.message
    assert rings(np.where(THREE == 1, np.nan, Y), THREE), "and separates the others"


def test_codes_of_a_target_of_few_numbers():
    counts = np.digitize(Y, [-1.0, 0, 1]).astype(float)
    assert rings(np.array([3, 1, 4, 2])[counts.astype(int)], counts)


def test_strong_features_are_not_the_target():
    assert not rings(Y + 0.2 * G.normal(size=N), Y)
    assert not rings(Y + 0.2 * G.normal(size=N), TWO)
    assert not rings(np.round(Y + 0.3 * G.normal(size=N), 1), THREE)
    swapped = np.where(np.arange(N) < 5, 1 - TWO, TWO)
    assert not rings(swapped, TWO), "five rows are more than a few"


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_real_tables_pass(load):
    table = bare_table(*load(return_X_y=True))
    assert no_feature_is_the_target(bare_context(table)).status == "pass"


@pytest.mark.parametrize(("n", "p"), [(6, 20), (20, 500), (20, 20_000), (60, 5_000), (200, 500)])
def test_noise_passes(n, p):
    g = np.random.default_rng(n + p)
    for features in (g.normal(size=(n, p)), g.integers(4, size=(n, p)).astype(float)):
        for target in (g.integers(2, size=n), g.integers(3, size=n), g.normal(size=n)):
            assert leaks(bare_table(features, target)) == []


def test_many_columns_need_more_rows():
    g, y = np.random.default_rng(1), np.repeat([0, 1], 10)
    few, many = (g.normal(size=(20, p)) for p in (10, 20_000))
    few[:, 3] = many[:, 3] = y
    assert [one.column for one in leaks(bare_table(few, y))] == [3]
    assert leaks(bare_table(many, y)) == []


def test_groups_count_once():
    unit = np.repeat(np.arange(8), 20)
    site = np.array([0, 1, 1, 0, 1, 0, 1, 0])
    features = np.c_[site[unit], np.random.default_rng(0).normal(size=160)]
    assert leaks(bare_table(features, site[unit]))
    assert not leaks(bare_table(features, site[unit], unit=unit)), "eight sites may be so by chance"


def test_two_trends_in_time_are_no_copies():
    when = np.arange(N, dtype=float)
    features = np.c_[np.exp(when / N), X[:, :2]]
    outcome = no_feature_is_the_target(bare_context(bare_table(features, when + 0.1)))
    assert "name a column under time" in outcome.message
    assert not leaks(bare_table(features, when, times=when))
    line = np.c_[3 - 2 * when, X[:, :2]]
    assert leaks(bare_table(line, when, times=when)), "but a line is one"


def test_constant_targets_columns_and_a_single_feature():
    assert not leaks(bare_table(np.ones((10, 1)), np.zeros(10)))
    assert not leaks(bare_table(np.full((30, 2), np.nan), np.arange(30) % 2))
    assert leaks(bare_table(Y[:, None], TWO))


def test_the_others_are_named_and_counted():
    features = X.copy()
    features[:, :5] = np.exp(Y)[:, None]
    message = no_feature_is_the_target(bare_context(bare_table(features, Y))).message
    assert "'x0'" in message
    assert "likewise 'x1', 'x2' and 2 more features" in message


@pytest.mark.parametrize(("n", "p"), [(120, 20_000), (10_000, 200)])
def test_one_of_many_columns_is_found(n, p):
    g = np.random.default_rng(0)
    features, target = g.normal(size=(n, p)), g.integers(2, size=n)
    features[:, -1] = np.where(np.arange(n) < 3, np.nan, target + 0.1 * g.random(n))
    assert [one.column for one in leaks(bare_table(features, target))] == [p - 1]


def test_levels_of_two_rows_are_no_coding():
    pairs = np.repeat(np.arange(N // 2), 2)
    classes = G.integers(2, size=N // 2)[pairs]
    assert not rings(pairs, classes)
    assert rings(pairs // 5, np.repeat(G.integers(2, size=N // 10), 10)), "levels of ten rows are"


@pytest.mark.parametrize(("rows", "found"), [(4, False), (5, True), (6, True)])
def test_a_level_has_five_rows_on_average(rows, found):
    levels = np.repeat(np.arange(40), rows)
    classes = np.arange(40)[levels] * 7 % 40 % 2
    alone = np.r_[levels, 40:60], np.r_[classes, [0, 1] * 10]
    for feature, target in ((levels, classes), alone):
        assert bool(of_classes(feature.astype(float), target, names_only=True)) is found, (
            "levels of one row are not counted"
        )
