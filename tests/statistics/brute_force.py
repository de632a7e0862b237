"""Every estimator as plain loops over scikit-learn fits: slow, direct, independent.

Takes the folds and seeds of a finished run and nothing else from heldout's own estimators.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Fit = Callable[[np.ndarray, dict[str, Any], str], Any]
"""(training rows, θ, held-out set's name) → fitted model."""


@dataclass
class BruteForce:
    """Data, a way to fit, and a loss per example."""

    features: np.ndarray
    target: np.ndarray
    thetas: list[dict[str, Any]]
    fit: Fit
    loss: Callable[[Any, np.ndarray, np.ndarray], np.ndarray]
    _fitted: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Fits by held-out set and θ, so that the same plain fit is not done for every test."""

    def losses(self, train: np.ndarray, held: np.ndarray, theta: dict[str, Any], name: str) -> Any:
        place = (name, str(theta))
        if place not in self._fitted:
            self._fitted[place] = self.fit(train, theta, name)
        return self.loss(self._fitted[place], self.features[held], self.target[held])

    def training(self, theta: dict[str, Any]) -> float:
        rows = np.arange(len(self.target))
        return float(self.losses(rows, rows, theta, "full").mean())

    def fold_means(self, fold: np.ndarray, repeat: int, theta: dict[str, Any]) -> list[float]:
        k = fold.max() + 1
        return [
            float(
                self.losses(
                    np.flatnonzero(fold != f),
                    np.flatnonzero(fold == f),
                    theta,
                    f"k{k}.r{repeat}.f{f + 1:02d}",
                ).mean()
            )
            for f in range(k)
        ]

    def kfold(self, folds: list[np.ndarray], theta: dict[str, Any]) -> float:
        means = [self.fold_means(fold, r + 1, theta) for r, fold in enumerate(folds)]
        return float(np.mean(means))

    def nested(self, folds: list[np.ndarray], dev: bool) -> tuple[float, list[int]]:
        """The definition: for every outer fold an inner cross-validation of every θ on the other folds."""
        errors, chosen = [], []
        for repeat, fold in enumerate(folds, start=1):
            k = int(fold.max()) + 1
            for outer in range(k):
                inner_folds = [(outer + 1) % k] if dev else [j for j in range(k) if j != outer]
                risks = []
                for theta in self.thetas:
                    inner = []
                    for j in inner_folds:
                        a, b = sorted((outer, j))
                        name = f"k{k}.r{repeat}.f{a + 1:02d}+f{b + 1:02d}"
                        train = np.flatnonzero((fold != outer) & (fold != j))
                        held = np.flatnonzero(fold == j)
                        inner.append(float(self.losses(train, held, theta, name).mean()))
                    risks.append(float(np.mean(inner)))
                best = int(np.argmin(risks))
                name = f"k{k}.r{repeat}.f{outer + 1:02d}"
                train, held = np.flatnonzero(fold != outer), np.flatnonzero(fold == outer)
                errors.append(float(self.losses(train, held, self.thetas[best], name).mean()))
                chosen.append(best)
        return float(np.mean(errors)), chosen

    def loo(self, units: np.ndarray, theta: dict[str, Any]) -> float:
        means = []
        for i, unit in enumerate(np.unique(units), start=1):
            train, held = np.flatnonzero(units != unit), np.flatnonzero(units == unit)
            means.append(float(self.losses(train, held, theta, f"loo.{i}").mean()))
        return float(np.mean(means))

    def montecarlo(self, held_sets: dict[int, np.ndarray], theta: dict[str, Any]) -> float:
        everything = np.arange(len(self.target))
        return float(
            np.mean(
                [
                    self.losses(np.setdiff1d(everything, held), held, theta, f"mc.r{r:03d}").mean()
                    for r, held in held_sets.items()
                ]
            )
        )

    def bags(self, bags: dict[int, np.ndarray], theta: dict[str, Any]) -> tuple[float, float]:
        """The mean over bags, and Efron's mean over rows."""
        everything = np.arange(len(self.target))
        means, by_row = [], [[] for _ in everything]
        for number, bag in bags.items():
            held = np.setdiff1d(everything, bag)
            losses = self.losses(np.sort(bag), held, theta, f"bag.{number:03d}")
            means.append(losses.mean())
            for row, loss in zip(held, losses, strict=True):
                by_row[row].append(loss)
        return float(np.mean(means)), float(np.mean([np.mean(r) for r in by_row if r]))

    def no_information(self, theta: dict[str, Any]) -> float:
        """All n² pairs, one by one."""
        n = len(self.target)
        model = self.fit(np.arange(n), theta, "full")
        rows = np.repeat(np.arange(n), n)
        targets = np.tile(self.target, n)
        return float(self.loss(model, self.features[rows], targets).mean())

    def adjusted(self, fold: np.ndarray, theta: dict[str, Any]) -> float:
        """Burman: CV + e − mean risk of the fold models on all data."""
        k = fold.max() + 1
        everything = np.arange(len(self.target))
        whole = [
            self.losses(
                np.flatnonzero(fold != f), everything, theta, f"k{k}.r1.f{f + 1:02d}"
            ).mean()
            for f in range(k)
        ]
        return self.kfold([fold], theta) + self.training(theta) - float(np.mean(whole))
