"""The standard error of the leave-one-out bootstrap: plain loops, and the spread over simulated samples."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from heldout.estimates.bootstrap_se import standard_error

Losses = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def bags_of(generator: np.random.Generator, n: int, bags: int) -> np.ndarray:
    return generator.multinomial(n, np.full(n, 1 / n), size=bags)


def looped(counts: np.ndarray, losses: np.ndarray, sizes: np.ndarray) -> float:
    """SE² by loops over units and bags."""
    bags, n = counts.shape
    outs = [sum(counts[b, i] == 0 for b in range(bags)) for i in range(n)]
    q = [sum(losses[b, j] for j in range(n) if counts[b, j] == 0) / n for b in range(bags)]
    means = [
        sum(losses[b, i] for b in range(bags) if counts[b, i] == 0) / outs[i] for i in range(n)
    ]
    size, risk = sum(sizes) / n, sum(means) / sum(sizes)
    squares = noise = 0.0
    for i in range(n):
        average = sum(counts[:, i]) / bags
        change = (2 + 1 / (n - 1)) * (means[i] - sum(means) / n) / n
        change += sum((counts[b, i] - average) * q[b] for b in range(bags)) / outs[i]
        change -= risk * (sizes[i] - size) / n
        squares += (change / size) ** 2
        spread = sum((counts[b, i] - average) ** 2 for b in range(bags)) / bags
        q_spread = sum((one - sum(q) / bags) ** 2 for one in q) / bags
        noise += bags * q_spread * spread / outs[i] ** 2 / size**2
    return squares - noise


@pytest.mark.parametrize("n", [2, 3, 15])
@pytest.mark.parametrize("sizes", ["rows", "groups"])
def test_equals_plain_loops(n: int, sizes: str) -> None:
    generator = np.random.default_rng(1)
    counts = bags_of(generator, n, 150)
    rows = np.ones(n, dtype=int) if sizes == "rows" else generator.integers(1, 6, size=n)
    losses = rows * (1 + np.arange(n)) * (0.5 + generator.random((150, n)))
    expected = looped(counts, losses, rows)
    assert expected > 0
    given = None if sizes == "rows" else rows
    assert standard_error(counts, losses, given) == pytest.approx(np.sqrt(expected), rel=1e-12)


def test_losses_in_the_bag_are_not_looked_at() -> None:
    generator = np.random.default_rng(2)
    counts, losses = bags_of(generator, 10, 300), generator.random((300, 10)) + np.arange(10)
    found = standard_error(counts, losses)
    assert found is not None
    assert standard_error(counts, np.where(counts == 0, losses, np.nan)) == found
    assert standard_error(counts, np.where(counts == 0, losses + 1, 0)) != found


def test_units_that_are_never_out_are_left_out() -> None:
    generator = np.random.default_rng(3)
    counts, losses = bags_of(generator, 10, 300), generator.random((300, 10)) + np.arange(10)
    always = np.maximum(counts, np.arange(10) == 4)
    kept, sizes = np.arange(10) != 4, np.arange(1, 11)
    expected = standard_error(counts[:, kept], losses[:, kept])
    assert expected is not None
    assert standard_error(always, losses) == expected
    expected = standard_error(counts[:, kept], losses[:, kept], sizes[kept])
    assert standard_error(always, losses, sizes) == expected


def test_no_standard_error() -> None:
    """No unit, or one, is ever out; or the spread is less than the noise of the bags."""
    generator = np.random.default_rng(4)
    counts, losses = bags_of(generator, 30, 20), generator.random((20, 30))
    assert looped(counts, losses, np.ones(30)) < 0
    assert standard_error(counts, losses) is None
    assert standard_error(np.ones((20, 30), dtype=int), losses) is None
    assert standard_error(np.array([[0, 2], [0, 2]]), np.array([[0.0, 0.0], [1.0, 0.0]])) is None
    assert standard_error(counts, np.zeros((20, 30))) is None, "it is zero"


def test_losses_that_do_not_depend_on_the_bag() -> None:
    """Err is the mean of n numbers: SE is their standard deviation over √n; with groups the ratio's."""
    generator = np.random.default_rng(5)
    counts, sizes = bags_of(generator, 20, 40_000), generator.integers(1, 6, size=20)
    rows, sums = generator.random(20), sizes * generator.random(20)
    residuals = sums - sizes * sums.sum() / sizes.sum()
    by_row = standard_error(counts, np.tile(rows, (40_000, 1)))
    by_group = standard_error(counts, np.tile(sums, (40_000, 1)), sizes)
    assert by_row == pytest.approx(rows.std() / np.sqrt(20), rel=0.02)
    assert by_group == pytest.approx(np.sqrt((residuals**2).sum()) / sizes.sum(), rel=0.02)


def test_the_unit_of_the_losses_and_equal_groups_change_nothing() -> None:
    generator = np.random.default_rng(6)
    counts, losses = bags_of(generator, 12, 300), generator.random((300, 12)) + np.arange(12)
    found = standard_error(counts, losses)
    assert found is not None
    assert standard_error(counts, 7 * losses) == pytest.approx(7 * found, rel=1e-12)
    thrice = standard_error(counts, 3 * losses, np.full(12, 3))
    assert thrice == pytest.approx(found, rel=1e-12)


# --- the spread over samples --------------------------------------------------------------------


def nearest_mean(features: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """B × n zero-one losses of the rule that takes the class whose mean is nearer."""
    of_class = [counts * (labels == label) for label in (0, 1)]
    centres = [w @ features / np.maximum(w.sum(axis=1), 1)[:, None] for w in of_class]
    direction, middle = centres[1] - centres[0], (centres[0] + centres[1]) / 2
    scores = direction @ features.T - (direction * middle).sum(axis=1)[:, None]
    return ((scores > 0) != (labels == 1)).astype(float)


def nearest_neighbour(features: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """B × n zero-one losses of 1-NN trained on the bag."""
    order = ((features[:, None] - features) ** 2).sum(axis=2).argsort(axis=1)
    first = (counts > 0)[:, order].argmax(axis=2)
    return (labels[order[np.arange(len(labels)), first]] != labels).astype(float)


def risk_of(counts: np.ndarray, losses: np.ndarray) -> float:
    out = counts == 0
    return float(((losses * out).sum(axis=0) / out.sum(axis=0)).mean())


def out_of_bag_means(counts: np.ndarray, losses: np.ndarray) -> float:
    """SE² with the mean over the rows that are out in place of q: a mistake."""
    out, n = counts == 0, counts.shape[1]
    means = (losses * out).sum(axis=0) / out.sum(axis=0)
    q = (losses * out).sum(axis=1) / out.sum(axis=1)
    own = (2 + 1 / (n - 1)) * (means - means.mean()) / n
    change = own + (counts - counts.mean(axis=0)).T @ q / out.sum(axis=0)
    return float((change**2).sum())


def without_correction(counts: np.ndarray, losses: np.ndarray) -> float:
    """Σ D_i² alone, noise of the bags included: a mistake."""
    out, (bags, n) = counts == 0, counts.shape
    q = (losses * out).sum(axis=1) / n
    noise = bags * q.var() * counts.var(axis=0) / out.sum(axis=0) ** 2
    se = standard_error(counts, losses)
    assert se is not None
    return float(se**2 + noise.sum())


class Spread(NamedTuple):
    """Mean SE² over the variance of Err, for three formulas; the relative error of that variance."""

    right: float
    uncorrected: float
    out_of_bag: float
    error: float


def spread_over_samples(learner: Losses, n: int, bags: int, samples: int) -> Spread:
    generator, labels, found = np.random.default_rng(7), np.arange(n) % 2, []
    for _ in range(samples):
        features = generator.normal(size=(n, 2)) + 1.2 * np.outer(labels, [1, 0])
        counts = bags_of(generator, n, bags)
        losses = learner(features, labels, counts)
        se = standard_error(counts, losses)
        assert se is not None
        wrong = without_correction(counts, losses), out_of_bag_means(counts, losses)
        found.append((risk_of(counts, losses), se**2, *wrong))
    risks, *squares = np.array(found).T
    deviations = (risks - risks.mean()) ** 2
    error = deviations.std() / deviations.mean() / np.sqrt(samples)
    ratios = [float(square.mean() / risks.var(ddof=1)) for square in squares]
    return Spread(*ratios, float(error))


def test_spread_of_nearest_neighbours() -> None:
    """With 4,000 samples: .94 ± .02; uncorrected 1.09, out-of-bag means 1.85."""
    found = spread_over_samples(nearest_neighbour, n=40, bags=500, samples=400)
    assert found.error < 0.08
    assert abs(found.right - 1) < 4 * found.error
    assert found.uncorrected > 1.1 * found.right
    assert found.out_of_bag > 1 + 4 * found.error


def test_spread_of_nearest_means() -> None:
    """Few bags for many rows: both mistakes are gross. With 5,000 samples: 1.09 ± .02, 2.1 and 7.1."""
    found = spread_over_samples(nearest_mean, n=100, bags=250, samples=600)
    assert found.error < 0.07
    assert abs(found.right - 1.1) < 4 * found.error, "about a tenth too large, on the safe side"
    assert found.uncorrected > 1.1 + 8 * found.error
    assert found.out_of_bag > 1.1 + 8 * found.error


def test_spread_with_groups() -> None:
    """Rows of a group share their noise: the group is the unit, bags of rows are far too sure.

    With 4,000 samples: 1.10 ± .02.
    """
    generator, found = np.random.default_rng(8), []
    for _ in range(400):
        sizes = generator.integers(1, 6, size=40)
        labels = np.arange(40) % 2
        features = generator.normal(size=(40, 2)) + 1.2 * np.outer(labels, [1, 0])
        counts = bags_of(generator, 40, 400)
        rows = np.repeat(np.arange(40), sizes)
        shared = features[rows] + 0.3 * generator.normal(size=(len(rows), 2))
        by_row = nearest_mean(shared, labels[rows], counts[:, rows])
        sums = np.stack([by_row[:, rows == unit].sum(axis=1) for unit in range(40)], axis=1)
        of_rows = bags_of(generator, len(rows), 400)
        row_se = standard_error(of_rows, nearest_mean(shared, labels[rows], of_rows))
        se = standard_error(counts, sums, sizes)
        assert se is not None
        assert row_se is not None
        found.append((risk_of(counts[:, rows], by_row), se**2, row_se**2))
    risks, squares, row_squares = np.array(found).T
    deviations = (risks - risks.mean()) ** 2
    error = deviations.std() / deviations.mean() / np.sqrt(400)
    assert abs(squares.mean() / risks.var(ddof=1) - 1.1) < 4 * error
    assert row_squares.mean() / risks.var(ddof=1) < 1.1 - 4 * error
