"""The AUC and its variance: plain loops, R's programs, symmetries, and the spread over simulated samples."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.metrics import roc_auc_score

from heldout.measures.auc import auc, auc_variance, shares

TIGHT = {"rel": 1e-12, "abs": 1e-15}


class Rows(NamedTuple):
    positive: np.ndarray
    score: np.ndarray


def samples() -> dict[str, Rows]:
    generator = np.random.default_rng(1)
    labels = generator.random(60) < 0.4
    scores = generator.normal(size=60) + labels
    few = np.arange(40) < 2
    return {
        "continuous": Rows(labels, scores),
        "tied": Rows(labels, np.round(scores)),
        "two of each": Rows(np.array([True, False, True, False]), np.array([3, 1, 2, 2])),
        "few positives": Rows(few, np.round(scores[:40], 1)),
        "few negatives": Rows(~few, np.round(scores[:40], 1)),
        "infinite": Rows(labels, np.where(scores > 1, np.inf, np.where(scores < -1, -np.inf, 0))),
        "upside down": Rows(labels, -scores),
    }


def wins(one: float, other: float) -> float:
    return 1.0 if one > other else 0.5 if one == other else 0.0


def looped_shares(positive: np.ndarray, score: np.ndarray) -> list[float]:
    found = []
    for label, own in zip(positive, score, strict=True):
        others = [other for also, other in zip(positive, score, strict=True) if also != label]
        won = [wins(own, other) if label else wins(other, own) for other in others]
        found.append(sum(won) / len(won))
    return found


def looped_auc(positive: np.ndarray, score: np.ndarray) -> float:
    pairs = [wins(x, y) for x in score[positive] for y in score[~positive]]
    return sum(pairs) / len(pairs)


def delong(positive: np.ndarray, score: np.ndarray) -> float:
    """S₁₀/m + S₀₁/n, as published in 1988."""
    centre, parts = looped_auc(positive, score), looped_shares(positive, score)
    variance = 0.0
    for label in (True, False):
        own = [part for part, also in zip(parts, positive, strict=True) if also == label]
        variance += sum((part - centre) ** 2 for part in own) / (len(own) - 1) / len(own)
    return variance


def obuchowski(positive: np.ndarray, score: np.ndarray, unit: np.ndarray) -> float:
    """S₁₀/m + S₀₁/n + 2·S₁₁/(m·n), as published in 1997."""
    centre, parts = looped_auc(positive, score), looped_shares(positive, score)
    m, n, units = sum(positive), sum(~positive), set(unit.tolist())
    s10 = s01 = s11 = 0.0
    for one in units:
        x = [p for p, u, label in zip(parts, unit, positive, strict=True) if u == one and label]
        y = [p for p, u, label in zip(parts, unit, positive, strict=True) if u == one and not label]
        from_x, from_y = sum(x) - len(x) * centre, sum(y) - len(y) * centre
        s10, s01, s11 = s10 + from_x**2, s01 + from_y**2, s11 + from_x * from_y
    i10, i01, i = len(set(unit[positive])), len(set(unit[~positive])), len(units)
    s10, s01 = s10 * i10 / ((i10 - 1) * m), s01 * i01 / ((i01 - 1) * n)
    return s10 / m + s01 / n + 2 * s11 * i / (i - 1) / (m * n)


# --- plain loops --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", samples())
def test_shares_and_auc_equal_plain_loops(name: str) -> None:
    rows = samples()[name]
    assert shares(*rows) == pytest.approx(looped_shares(*rows), **TIGHT)
    assert auc(*rows) == pytest.approx(looped_auc(*rows), **TIGHT)


@pytest.mark.parametrize("name", samples())
def test_distinct_units_give_delong(name: str) -> None:
    """And so does Obuchowski's formula in plain loops: no factor is between the two."""
    rows = samples()[name]
    units = np.random.default_rng(2).permutation(1000)[: len(rows.score)]
    expected = delong(*rows)
    assert expected > 0
    assert auc_variance(*rows, units) == pytest.approx(expected, **TIGHT)
    assert obuchowski(*rows, units) == pytest.approx(expected, **TIGHT)


def groupings(positive: np.ndarray) -> dict[str, np.ndarray]:
    n, generator = len(positive), np.random.default_rng(3)
    return {
        "of both classes": np.arange(n) // 4,
        "of one class": np.arange(n) // 5 + 100 * positive,
        "some of one class": np.where(np.arange(n) < n // 2, np.arange(n) // 5 + 7 * positive, -1),
        "of many sizes": generator.integers(0, 9, size=n) ** 2,
        "two": np.arange(n) % 2,
    }


@pytest.mark.parametrize("name", ["continuous", "tied", "infinite", "upside down"])
@pytest.mark.parametrize("kind", groupings(np.zeros(4, dtype=bool)))
def test_groups_equal_plain_loops(name: str, kind: str) -> None:
    rows = samples()[name]
    unit = groupings(rows.positive)[kind]
    expected = obuchowski(*rows, unit)
    assert expected > 0
    assert auc_variance(*rows, unit) == pytest.approx(expected, **TIGHT)
    assert auc_variance(*rows, unit) != pytest.approx(delong(*rows), rel=1e-3)


# --- symmetries ---------------------------------------------------------------------------------


def ways(rows: Rows) -> dict[str, tuple[np.ndarray, float]]:
    """The units, and the variance with them."""
    units = {"rows": np.arange(len(rows.score)), **groupings(rows.positive)}
    return {kind: (unit, auc_variance(*rows, unit)) for kind, unit in units.items()}


@pytest.mark.parametrize("name", ["continuous", "tied"])
def test_swapping_the_classes_mirrors_the_auc_and_keeps_the_variance(name: str) -> None:
    rows = samples()[name]
    assert auc(~rows.positive, rows.score) == pytest.approx(1 - auc(*rows), **TIGHT)
    assert auc(rows.positive, -rows.score) == pytest.approx(1 - auc(*rows), **TIGHT)
    assert auc(*rows) != pytest.approx(0.5, abs=0.1)
    for unit, variance in ways(rows).values():
        assert auc_variance(~rows.positive, rows.score, unit) == pytest.approx(variance, **TIGHT)
        assert auc_variance(rows.positive, -rows.score, unit) == pytest.approx(variance, **TIGHT)


@pytest.mark.parametrize("name", ["continuous", "tied"])
def test_order_alone_counts(name: str) -> None:
    """Neither a monotone transform, nor the order of the rows, nor the groups' names change anything."""
    rows = samples()[name]
    order = np.random.default_rng(4).permutation(len(rows.score))
    bent = np.exp(rows.score) - 7
    assert auc(rows.positive, bent) == auc(*rows)
    for unit, variance in ways(rows).values():
        assert auc_variance(rows.positive, bent, unit) == variance
        named = np.array([f"group {3 - one}" for one in unit])
        assert auc_variance(*rows, named) == pytest.approx(variance, **TIGHT)
        shuffled = auc_variance(rows.positive[order], rows.score[order], unit[order])
        assert shuffled == pytest.approx(variance, **TIGHT)


def test_scores_may_be_whole_numbers_and_labels_zero_or_one() -> None:
    positive, score = [1, 1, 0, 0], [9, 4, 4, 1]
    assert shares(positive, score).tolist() == [1, 0.75, 0.75, 1]  # type: ignore[arg-type]
    assert auc(positive, score) == 0.875  # type: ignore[arg-type]
    assert auc_variance(positive, score, [1, 2, 3, 4]) == 0.03125  # type: ignore[arg-type]


# --- where there is no variance -----------------------------------------------------------------


@pytest.mark.parametrize("grouped", [False, True])
def test_no_spread_is_exactly_zero(grouped: bool) -> None:
    """Also with counts whose shares are no binary fractions."""
    positive = np.arange(17) < 7
    unit = np.arange(17) % 5 if grouped else np.arange(17)
    for score, value in ((positive * 1.0, 1.0), (-1.0 * positive, 0.0), (np.ones(17), 0.5)):
        assert auc(positive, score) == value
        assert auc_variance(positive, score, unit) == 0


@pytest.mark.parametrize("count", range(2, 30))
def test_groups_that_cancel_give_no_negative_variance(count: int) -> None:
    """Each group is one positive and one negative with the same score: what one gains, the other loses."""
    positive, unit = np.arange(2 * count) % 2 == 0, np.arange(2 * count) // 2
    assert 0 <= auc_variance(positive, unit, unit) < 1e-30
    assert auc_variance(positive, unit, np.arange(2 * count)) > 0


def test_refusals() -> None:
    labels, scores = np.array([True, True, True, False]), np.arange(4.0)
    rows = np.arange(4)
    with pytest.raises(ValueError, match=r"all 3 rows are positive"):
        auc(labels[:3], scores[:3])
    with pytest.raises(ValueError, match=r"none of the 3 rows is positive"):
        shares(~labels[:3], scores[:3])
    with pytest.raises(ValueError, match=r"none of the 0 rows"):
        auc(labels[:0], scores[:0])
    with pytest.raises(ValueError, match=r"the negative rows \(1\) are in 1 group; at least two"):
        auc_variance(labels, scores, rows)
    with pytest.raises(ValueError, match=r"the positive rows \(1\) are in 1 group; at least two"):
        auc_variance(~labels, scores, rows)
    with pytest.raises(ValueError, match=r"the positive rows \(3\) are in 1 group"):
        auc_variance(np.append(labels, False), np.arange(5.0), np.array([0, 0, 0, 1, 2]))
    with pytest.raises(ValueError, match=r"1 of 4 scores are NaN"):
        auc_variance(labels, np.array([0, 1, np.nan, 2]), rows)


# --- programs of others -------------------------------------------------------------------------


def arithmetic() -> tuple[np.ndarray, Rows]:
    """120 rows, 64 of them positive, with 29 distinct scores."""
    i = np.arange(120)
    positive = ((i * i) % 7 < 3) & (i % 4 != 0)
    return i, Rows(positive, (17 * i) % 23 + (i // 5) % 3 + 5 * positive)


# R 4.2.2, pROC 1.18.0:
#   i <- 0:119
#   positive <- (i * i) %% 7 < 3 & i %% 4 != 0
#   score <- (17 * i) %% 23 + (i %/% 5) %% 3 + 5 * positive
#   r <- pROC::roc(positive, score, levels = c(FALSE, TRUE), direction = "<")
#   print(c(pROC::auc(r), pROC::var(r, method = "delong")), digits = 17)
PROC = 0.6745256696428570953, 0.0023833907787625076


def test_same_as_proc() -> None:
    i, rows = arithmetic()
    assert (rows.positive.sum(), len(np.unique(rows.score))) == (64, 29)
    assert auc(*rows) == pytest.approx(PROC[0], rel=1e-12)
    assert auc_variance(*rows, i) == pytest.approx(PROC[1], rel=1e-12)


# The same rows in R 4.2.2; github.com/DIDSR/mitoticFigureCounts (package version 1.0, commit 5675b0b),
# file R/doAUCcluster.R, which rounds the variance to 15 decimals:
#   source("doAUCcluster.R")
#   variance <- function(g) doAUCcluster(score, response = positive, clusterID = g)$auc.se^2
#   print(variance(i %/% 5), digits = 17)
#   print(variance((i * i) %% 31), digits = 17)
#   print(variance(ifelse(i < 60, i %/% 6, 100 + 2 * (i %/% 3) + positive)), digits = 17)
CLUSTERED = 0.0029598003558220002, 0.0033458535425139996, 0.0022633002530169999


def test_same_as_clustered_in_r() -> None:
    i, rows = arithmetic()
    mixed = np.where(i < 60, i // 6, 100 + 2 * (i // 3) + rows.positive)
    found = [auc_variance(*rows, unit) for unit in (i // 5, (i * i) % 31, mixed)]
    assert found == pytest.approx(list(CLUSTERED), abs=6e-16)


@pytest.mark.parametrize("name", sorted(samples().keys() - {"infinite"}))
def test_same_as_scikit_learn(name: str) -> None:
    rows = samples()[name]
    assert auc(*rows) == pytest.approx(roc_auc_score(*rows), **TIGHT)


# --- the spread over samples --------------------------------------------------------------------


class Spread(NamedTuple):
    """Of the samples: the share that A ± 1.96·SE covers; mean SE² over the variance of A."""

    coverage: float
    ratio: float
    by_row: float
    """The same with the SE that takes rows for independent."""
    error: float
    """The relative Monte Carlo error of that variance."""


def spread_over_samples(groups: int, size: int, labels: str, samples: int) -> Spread:
    """Rows share half of their noise with their group; labels are drawn by row or by group."""
    generator, found = np.random.default_rng(5), []
    unit, rows = np.repeat(np.arange(groups), size), np.arange(groups * size)
    for _ in range(samples):
        halves = generator.permutation(rows if labels == "by row" else groups) % 2 == 0
        positive = halves if labels == "by row" else halves[unit]
        noise = generator.normal(size=groups)[unit] + generator.normal(size=len(unit))
        score = positive + noise / np.sqrt(2)
        variances = [auc_variance(positive, score, one) for one in (unit, rows)]
        found.append((auc(positive, score), *variances))
    areas, *squares = np.array(found).T
    hits = np.abs(areas - ndtr(1 / np.sqrt(2))) <= 1.96 * np.sqrt(squares[0])
    deviations = (areas - areas.mean()) ** 2
    error = deviations.std() / deviations.mean() / np.sqrt(samples)
    return Spread(hits.mean(), *(one.mean() / areas.var(ddof=1) for one in squares), error)


@pytest.mark.parametrize(
    ("groups", "size", "labels", "coverage"),
    [(120, 1, "by row", 0.942), (40, 4, "by row", 0.934), (40, 4, "by group", 0.933)],
)
def test_spread(groups: int, size: int, labels: str, coverage: float) -> None:
    """Up to four Monte Carlo errors. With 20,000 samples the ratios are 1.01, 1.00 and 1.03 (± .01).

    The coverages are of 20,000 samples, too (± .002): A ± 1.96·SE falls short of .95 at these sizes.
    """
    found = spread_over_samples(groups, size, labels, samples=500)
    assert found.error < 0.07
    assert abs(found.ratio - 1) < 4 * found.error
    assert abs(found.coverage - coverage) < 4 * np.sqrt(coverage * (1 - coverage) / 500)
    if labels == "by group":
        assert found.by_row < 1 - 8 * found.error, "rows of a group are not independent"


def test_many_rows_need_no_table_of_pairs() -> None:
    generator = np.random.default_rng(6)
    positive = generator.random(200_000) < 0.5
    score = generator.normal(size=200_000) + positive
    variance = auc_variance(positive, score, np.arange(200_000))
    assert abs(auc(positive, score) - ndtr(1 / np.sqrt(2))) < 4 * np.sqrt(variance)
