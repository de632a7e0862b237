"""Exact expectations on a tiny discrete distribution: every sample is enumerated, with fractions.

x and y are 0 or 1. A_θ predicts the label that is most frequent among training examples with the
same x, counting θ votes for 0 beforehand: simple, not symmetric, and dependent on the sample size.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from memory_table import MemoryTable, kfold_split, loo_split_of

from heldout.estimates.algorithm import evidence_for
from heldout.estimates.nested import InnerTables, outer_folds
from heldout.estimates.rules import Rule
from heldout.resampling.kinds import ADJACENT, BAGS, FOLDS, LOO, PAIRS, ROUNDS

Example = tuple[int, int]
Sample = tuple[Example, ...]

CHANCE: dict[Example, Fraction] = {
    (0, 0): Fraction(1, 2),
    (0, 1): Fraction(1, 8),
    (1, 0): Fraction(1, 8),
    (1, 1): Fraction(1, 4),
}
THETAS = [{"votes": 0}, {"votes": 1}, {"votes": 9}]


def predict(theta: dict[str, int], training: Sample, x: int) -> int:
    labels = [y for seen, y in training if seen == x]
    return int(sum(labels) > len(labels) - sum(labels) + theta["votes"])


def risk(theta: dict[str, int], training: Sample) -> Fraction:
    """ℓ_D(A_θ(S)), exactly."""
    return sum((p for (x, y), p in CHANCE.items() if predict(theta, training, x) != y), Fraction(0))


@cache
def samples(size: int) -> list[tuple[Sample, Fraction]]:
    """Every sequence of examples with its probability."""
    found = []
    for sample in itertools.product(CHANCE, repeat=size):
        chance = Fraction(1)
        for example in sample:
            chance *= CHANCE[example]
        found.append((sample, chance))
    return found


def expected_risk(theta: dict[str, int], size: int) -> Fraction:
    """E[ℓ_D(A_θ(S))] at a training size."""
    return sum((chance * risk(theta, sample) for sample, chance in samples(size)), Fraction(0))


def table_of(sample: Sample, splits: dict[str, Any], kinds: list[str]) -> MemoryTable:
    def losses(theta: dict[str, int], train: np.ndarray, held: np.ndarray) -> np.ndarray:
        training = tuple(sample[i] for i in train)
        return np.array(
            [predict(theta, training, sample[i][0]) != sample[i][1] for i in held], float
        )

    return MemoryTable(len(sample), losses, {"toy": THETAS}, splits, kinds)


def expectation(size: int, splits: dict[str, Any], kinds: list[str], estimate: Any) -> float:
    return sum(
        float(chance) * estimate(table_of(sample, splits, kinds))
        for sample, chance in samples(size)
    )


@pytest.mark.parametrize("theta", THETAS)
def test_leave_one_out_at_m_plus_1_is_unbiased_for_the_risk_at_m(theta: dict[str, int]) -> None:
    m = 3
    splits = {"loo": loo_split_of(m + 1)}
    found = expectation(
        m + 1, splits, [LOO], lambda loss_table: evidence_for(loss_table, "loo", "toy", theta).risk
    )
    assert found == pytest.approx(float(expected_risk(theta, m)), abs=1e-12)


@pytest.mark.parametrize(("size", "k"), [(4, 2), (6, 3), (6, 2)])
@pytest.mark.parametrize("theta", THETAS)
def test_kfold_is_unbiased_for_the_risk_at_its_training_size(
    theta: dict[str, int], size: int, k: int
) -> None:
    """On m + m/(K−1) examples it estimates the risk at m."""
    splits = {"kfold": kfold_split(np.arange(size) % k)}
    found = expectation(
        size,
        splits,
        [FOLDS],
        lambda loss_table: evidence_for(loss_table, "kfold", "toy", theta).risk,
    )
    m = size * (k - 1) // k
    assert m + m // (k - 1) == size
    assert found == pytest.approx(float(expected_risk(theta, m)), abs=1e-12)


def test_montecarlo_is_unbiased_for_the_risk_at_its_training_size() -> None:
    held = np.array([0, 3, 1, 2, 3, 0])
    split = {"n": np.full(6, 5), "round": np.array([1, 1, 2, 2, 3, 3]), "row": held}
    for theta in THETAS:
        found = expectation(
            5,
            {"montecarlo": split},
            [ROUNDS],
            lambda loss_table, theta=theta: (
                evidence_for(loss_table, "montecarlo", "toy", theta).risk
            ),
        )
        assert found == pytest.approx(float(expected_risk(theta, 3)), abs=1e-12)


def all_bags(n: int) -> Iterator[Counter[int]]:
    for draw in itertools.product(range(n), repeat=n):
        yield Counter(draw)


def test_bootstrap_over_all_bags() -> None:
    """V_k is fresh data for the bag: the expected loss is the risk of A on the bag's multiset."""
    n = 3
    bags = [bag for bag in all_bags(n) if len(bag) < n]
    columns = [(n, i, row, count) for i, bag in enumerate(bags, 1) for row, count in bag.items()]
    split = dict(zip(("n", "bag", "row", "count"), np.array(columns).T, strict=True))
    for theta in THETAS:
        found = expectation(
            n,
            {"bootstrap": split},
            [BAGS],
            lambda loss_table, theta=theta: (
                evidence_for(loss_table, "bootstrap", "toy", theta).risk
            ),
        )
        expected = Fraction(0)
        for bag in bags:
            for distinct, chance in samples(len(bag)):
                training = tuple(
                    example
                    for example, count in zip(distinct, bag.values(), strict=True)
                    for _ in range(count)
                )
                expected += chance * risk(theta, training) / len(bags)
        assert found == pytest.approx(float(expected), abs=1e-12)


def tuned_risk(training: Sample, fold: tuple[int, ...], dev: bool) -> Fraction:
    """The risk of "choose θ by CV over these folds (dev: by the first), train on everything"."""
    folds = sorted(set(fold))
    totals = []
    for theta in THETAS:
        errors = []
        for held in folds[:1] if dev else folds:
            part = tuple(e for e, f in zip(training, fold, strict=True) if f != held)
            rest = [e for e, f in zip(training, fold, strict=True) if f == held]
            errors.append(Fraction(sum(predict(theta, part, x) != y for x, y in rest), len(rest)))
        totals.append(sum(errors, Fraction(0)) / len(errors))
    best = THETAS[totals.index(min(totals))]
    return risk(best, training)


@pytest.mark.parametrize("estimator", ["nested_cv", "nested_dev"])
def test_nested_is_unbiased_for_the_tuned_procedure(estimator: str) -> None:
    """Three folds of two: the procedure tunes with inner folds of two on four examples."""
    dev = estimator == "nested_dev"
    splits = {"kfold": kfold_split(np.array([0, 0, 1, 1, 2, 2]))}

    def estimate(loss_table: MemoryTable) -> float:
        tables = InnerTables(loss_table)  # type: ignore[arg-type]
        folds = outer_folds(tables, estimator, ["toy"], Rule())
        return float(np.mean([fold.losses.mean() for fold in folds]))

    found = expectation(6, splits, [FOLDS, ADJACENT if dev else PAIRS], estimate)
    expected = sum(
        (chance * tuned_risk(sample, (0, 0, 1, 1), dev) for sample, chance in samples(4)),
        Fraction(0),
    )
    assert found == pytest.approx(float(expected), abs=1e-12)
    assert float(expected) > float(min(expected_risk(theta, 4) for theta in THETAS))
