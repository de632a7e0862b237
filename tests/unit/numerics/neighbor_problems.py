"""Tables and training sets for which the nearest neighbours are hard to find exactly."""

from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np

from heldout.cells.plan import Plan
from heldout.learners.learner import define
from heldout.numerics.engines.registry import ENGINES
from heldout.resampling.split import TRAIN, Partition, Resample

N, K = 60, 4


# --- tables -------------------------------------------------------------------------------------


def plan(
    features: np.ndarray, resamples: list[Resample], categories: int = 0, **block: Any
) -> Plan:
    """A plan of k-NN alone; the last columns are categories."""
    n, p = features.shape
    kinds = ["number"] * (p - categories) + ["category"] * categories
    table: Any = SimpleNamespace(
        features=features,
        target=np.arange(n) % 2,
        classification=True,
        classes=["no", "yes"],
        digest="",
        weights=None,
        weighted=False,
        grouped=False,
        columns_of=lambda kind: [],
        n=n,
        names=[f"x{i}" for i in range(p)],
        facts={"schema": {"columns": [{"kind": kind, "levels": []} for kind in kinds]}},
    )
    given = {"estimator": "knn", "grid": {"n_neighbors": [1, K]}, **block}
    return Plan("t", 0, table, [define("knn", given)], resamples, dict.fromkeys(ENGINES, ""), "")


def normal(generator: np.random.Generator) -> np.ndarray:
    return generator.normal(size=(N, 3))


def few_values(generator: np.random.Generator) -> np.ndarray:
    """Most distances are tied, and many rows are equal."""
    return generator.integers(0, 3, size=(N, 3)).astype(float)


def decimals(generator: np.random.Generator) -> np.ndarray:
    """Distances that are tied but for rounding."""
    return generator.normal(size=(N, 3)).round(1)


def duplicates(generator: np.random.Generator) -> np.ndarray:
    return np.repeat(generator.normal(size=(N // 6, 3)), 6, axis=0)


def far_from_zero(generator: np.random.Generator) -> np.ndarray:
    return generator.normal(size=(N, 3)) + np.array([1.7e9, 0.0, -1e6])


def constant(generator: np.random.Generator) -> np.ndarray:
    """A constant column, one that is constant but for a row, one that varies in its last digits."""
    rest = [np.full(N, 0.1), np.full(N, 0.3), 1e8 + 1e-7 * generator.normal(size=N)]
    rest[1][generator.integers(N)] = 5.0
    return np.column_stack([generator.normal(size=N), *rest])


def outlier(generator: np.random.Generator) -> np.ndarray:
    """The scale of all rows differs much from that of the sets without the outlier."""
    features = generator.normal(size=(N, 3))
    features[generator.integers(N), 1] = 1e12
    return features


def clusters(generator: np.random.Generator) -> np.ndarray:
    """Distances so small that they vanish in the rounding of scalar products."""
    return generator.choice([-1.0, 1.0], size=(N, 3)) + 1e-10 * generator.normal(size=(N, 3))


def one_column(generator: np.random.Generator) -> np.ndarray:
    return generator.normal(size=(N, 1))


TABLES = [
    normal, few_values, decimals, duplicates, far_from_zero, constant, outlier, clusters, one_column,
]  # fmt: skip


# --- training sets ------------------------------------------------------------------------------


def nested(generator: np.random.Generator, k: int = 5, n: int = N) -> list[Resample]:
    """Every fold and every pair of folds left out."""
    part = Partition(1, k, generator.permutation(np.arange(n) % k))
    sets = [(f,) for f in range(k)] + list(combinations(range(k), 2))
    return [part.without(*folds) for folds in sets]


def whole(generator: np.random.Generator) -> list[Resample]:
    """Sets that predict their own training rows too; the last one predicts nothing else."""
    folds = [
        Resample(r.name, r.train, {**r.held, TRAIN: r.train}) for r in nested(generator, 3)[:3]
    ]
    return [*folds, Resample("full", np.arange(N), {TRAIN: np.arange(N)})]


def rounds(generator: np.random.Generator) -> list[Resample]:
    """Small training sets, in no order."""
    shuffled = [generator.permutation(N) for _ in range(6)]
    return [Resample(f"mc.{i}", s[:25], {f"mc.{i}": s[25:]}) for i, s in enumerate(shuffled)]


def bags(generator: np.random.Generator) -> list[Resample]:
    """A row is in training as often as it was drawn."""
    drawn = [np.sort(generator.integers(0, N, N)) for _ in range(6)]
    held = [np.setdiff1d(np.arange(N), rows) for rows in drawn]
    return [
        Resample(f"bag.{i}", rows, {f"bag.{i}": out})
        for i, (rows, out) in enumerate(zip(drawn, held, strict=True))
    ]


def scattered(generator: np.random.Generator) -> list[Resample]:
    """Bags in which the copies of a row do not follow one another."""
    return [replace(bag, train=generator.permutation(bag.train)) for bag in bags(generator)]


SETS = [nested, whole, rounds, bags, scattered]
