"""H025: one feature does nearly all the work, or several do."""

from types import SimpleNamespace

import numpy as np
import pytest
from bare_tables import bare_context, bare_table
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import cross_val_predict

from heldout.checks.single_feature import no_single_feature

N = 400
G = np.random.default_rng(4)
X = G.normal(size=(N, 8))
NUMBER = X[:, 0] + X[:, 1] + 2 * G.normal(size=N)
TWO = (NUMBER > 0).astype(int)
FLIPPED = np.where(G.random(N) < 0.04, 1 - TWO, TWO)


def outcome(feature, target, learned, **more):
    features = X.copy()
    features[:, 5] = feature
    return no_single_feature(bare_context(bare_table(features, target, **more), learned))


@pytest.mark.parametrize("missing", [0, 20])
def test_noisy_copies(missing):
    noise = G.normal(size=N)
    copy, level = NUMBER + 0.2 * noise, FLIPPED + 0.1 * noise
    learned = copy.copy()
    copy[:missing] = level[:missing] = np.nan
    for found in (outcome(copy, NUMBER, learned), outcome(level, TWO, FLIPPED)):
        assert found.status == "fail"
        assert found.message.startswith("'x5' alone")
        assert "the best of the others alone" in found.message


def test_names_of_levels_count_too():
    names = (FLIPPED + 2 * G.integers(5, size=N)) * 7 % 11
    found = outcome(names, TWO, FLIPPED, kinds={"x5": "category"})
    assert found.status == "fail"


def test_a_middle_interval_is_found_by_two_cuts():
    target = (np.abs(NUMBER) < 1).astype(int)
    noisy = np.where(G.random(N) < 0.03, G.permutation(NUMBER), NUMBER)
    assert outcome(noisy, target, target).status == "fail"


def test_two_copies_ring_and_three_good_features_do_not():
    features = X.copy()
    for place in range(2):
        features[:, place] = FLIPPED + 0.1 * G.normal(size=N)
    assert no_single_feature(bare_context(bare_table(features, TWO), FLIPPED)).status == "fail"
    for others, status in ((2, "fail"), (1, "pass")):
        few = bare_context(bare_table(features[:, : 2 + others], TWO), FLIPPED)
        found = no_single_feature(few)
        assert found.status == status, "besides the copies there are two features"
        assert "the best after 2 of the others alone" in found.message
    features[:, 2] = FLIPPED + 0.1 * G.normal(size=N)
    assert no_single_feature(bare_context(bare_table(features, TWO), FLIPPED)).status == "pass"


def test_it_passes_where_all_together_do_better_or_another_is_half_as_good():
    noisy = NUMBER + 1.2 * X[:, 7]
    assert outcome(noisy, NUMBER, NUMBER + 0.01).status == "pass"
    features = X.copy()
    features[:, 1:3] = np.c_[NUMBER + 0.1 * X[:, 1], NUMBER + 0.9 * X[:, 2]]
    table = bare_table(features, NUMBER)
    assert no_single_feature(bare_context(table, features[:, 1])).status == "pass"


@pytest.mark.parametrize(
    ("copied", "other", "status"),
    [(4, 40, "pass"), (4, 80, "fail"), (4, 160, "fail"), (2, 40, "pass"), (2, 60, "fail")],
)
def test_a_copy_of_the_class_rings_beside_a_good_feature(copied, other, status):
    """So many rows of the copy are wrong, and of the other feature."""
    wrong = np.argsort(G.random((2, N)), axis=1) < [[other], [copied]]
    features = X.copy()
    features[:, 2:4] = np.where(wrong, 1 - TWO, TWO).T + 0.1 * G.normal(size=(N, 2))
    learned = np.where(wrong[1], 1 - TWO, TWO)
    found = no_single_feature(bare_context(bare_table(features, TWO), learned))
    assert found.status == status, found.message
    assert found.message.startswith("'x3' alone")


def test_a_feature_that_h008_names_does_not_ring_twice():
    found = outcome(np.exp(NUMBER), NUMBER, NUMBER)
    assert found.status == "pass"
    assert "see H008" in found.message


def test_weights_count():
    """Without weight, the rows in which the feature errs are no errors."""
    errs = np.arange(N) < 150
    feature = np.where(errs, 1 - TWO, TWO) + 0.1 * G.normal(size=N)
    assert outcome(feature, TWO, TWO).status == "pass"
    assert outcome(feature, TWO, TWO, weights=np.where(errs, 1e-6, 1.0)).status != "na"


@pytest.mark.parametrize(
    ("load", "learner"),
    [
        (load_iris, RandomForestClassifier(50, random_state=0)),
        (load_wine, RandomForestClassifier(50, random_state=0)),
        (load_breast_cancer, RandomForestClassifier(50, random_state=0)),
        (load_diabetes, RandomForestRegressor(50, random_state=0)),
    ],
)
def test_real_tables_pass(load, learner):
    features, target = load(return_X_y=True)
    learned = cross_val_predict(learner, features, target)
    found = no_single_feature(bare_context(bare_table(features, target), learned))
    assert found.status == "pass", found.message


@pytest.mark.parametrize(("n", "p"), [(20, 3), (20, 20_000), (50, 2_000), (200, 200)])
def test_noise_passes(n, p):
    g = np.random.default_rng(n * p)
    for target in (g.integers(2, size=n), g.normal(size=n)):
        table = bare_table(g.normal(size=(n, p)), target)
        assert no_single_feature(bare_context(table, g.permutation(target))).status == "pass"


def test_where_it_does_not_apply():
    small = bare_table(X[:12], TWO[:12])
    assert no_single_feature(bare_context(small, TWO)).status == "na"
    assert no_single_feature(bare_context(bare_table(X[:, :2], TWO), TWO)).status == "na"
    assert no_single_feature(bare_context(bare_table(X, TWO))).status == "na", "no folds"
    late = bare_table(X, TWO, times=np.arange(N))
    assert no_single_feature(bare_context(late, TWO)).status == "na"
    constant = bare_table(X, np.zeros(N))
    assert no_single_feature(bare_context(constant, np.zeros(N))).status == "na"
    silent = bare_context(bare_table(X, TWO), TWO)
    nothing = SimpleNamespace(label=None, value=None)
    silent.loss_table.predictions = lambda _learner, _theta, fold: {fold.name: nothing}
    assert no_single_feature(silent).status == "na"
    lost = bare_table(np.full((N, 3), np.nan), TWO)
    assert no_single_feature(bare_context(lost, TWO)).status == "pass"


@pytest.mark.parametrize(("n", "p"), [(120, 20_000), (10_000, 200)])
def test_noise_of_large_tables_passes(n, p):
    g = np.random.default_rng(0)
    target = g.integers(2, size=n)
    context = bare_context(bare_table(g.normal(size=(n, p)), target), g.permutation(target), 5)
    assert no_single_feature(context).status == "pass"


def test_a_feature_that_says_most_of_what_is_known_passes_where_much_is_not():
    noisy = NUMBER + 1.7 * G.normal(size=N)
    weak = X.copy()
    weak[:, :2] = G.normal(size=(N, 2))
    weak[:, 5] = noisy
    best = noisy * (noisy @ NUMBER) / (noisy @ noisy)
    found = no_single_feature(bare_context(bare_table(weak, NUMBER), best))
    assert found.status == "pass"
    assert "removes 6" in found.message
