"""Every estimator as plain loops over scikit-learn fits: slow, direct, independent.

Takes the folds and seeds of a finished run and nothing else from heldout's own estimators.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Fit = Callable[[np.ndarray, dict[str, Any], str], Any]
"""(training rows, θ, held-out set's name) → fitted model."""
Held = tuple[np.ndarray, np.ndarray]
"""The rows of a held-out set, and their losses."""
Choose = Callable[[list[dict[str, Any]], list[list[Held]]], int]
"""(every θ, the held-out sets of each θ) → the position of the chosen θ."""


def choose_smallest(_: list[dict[str, Any]], held: list[list[Held]]) -> int:
    """The first θ with the smallest mean over sets of the mean loss."""
    return int(np.argmin([mean_of_means(sets) for sets in held]))


def mean_of_means(sets: list[Held]) -> float:
    return float(np.mean([losses.mean() for _, losses in sets]))


def standard_error(sets: list[Held], unit: np.ndarray) -> float:
    """Of K-fold at a fixed θ: √2 times the root of the test noise, averaged over partitions."""
    rows = [row for held, _ in sets for row in held]
    repeats = len(rows) // len(set(rows))
    k, grouped = len(sets) // repeats, len(set(unit.tolist())) < len(unit)
    noises = [
        test_noise([one for _, one in part], [unit[held] for held, _ in part], grouped)
        for part in (sets[r * k : (r + 1) * k] for r in range(repeats))
    ]
    return float(np.sqrt(2 * np.mean(noises)))


def choose_one_se(name: str, larger_is_simpler: bool, unit: np.ndarray) -> Choose:
    """The simplest θ whose risk is at most the smallest plus its standard error."""

    def choose(thetas: list[dict[str, Any]], held: list[list[Held]]) -> int:
        risks = [mean_of_means(sets) for sets in held]
        best = int(np.argmin(risks))
        limit = risks[best] + standard_error(held[best], unit)
        near = [i for i in range(len(thetas)) if risks[i] <= limit]
        simplest = max if larger_is_simpler else min
        return simplest(near, key=lambda i: thetas[i][name])

    return choose


def choose_first_local_min(patience: int, unit: np.ndarray) -> Choose:
    """The smallest risk before `patience` risks above it by more than its standard error."""

    def choose(_: list[dict[str, Any]], held: list[list[Held]]) -> int:
        risks = [mean_of_means(sets) for sets in held]
        best, above = 0, 0
        for i in range(1, len(risks)):
            if risks[i] < risks[best]:
                best, above = i, 0
            elif risks[i] - risks[best] > standard_error(held[best], unit):
                above += 1
            if above == patience:
                return best
        return best

    return choose


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

    def held_sets(self, fold: np.ndarray, repeat: int, theta: dict[str, Any]) -> list[Held]:
        """For each fold its rows, and their losses by the model trained on the other folds."""
        found = []
        k = fold.max() + 1
        for f in range(k):
            train, held = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
            found.append((held, self.losses(train, held, theta, f"k{k}.r{repeat}.f{f + 1:02d}")))
        return found

    def nested(
        self, folds: list[np.ndarray], dev: bool, choose: Choose = choose_smallest
    ) -> tuple[float, list[int]]:
        """The definition: for every outer fold an inner cross-validation of every θ on the other folds."""
        errors, chosen = [], []
        for repeat, fold in enumerate(folds, start=1):
            k = int(fold.max()) + 1
            for outer in range(k):
                inner_folds = [(outer + 1) % k] if dev else [j for j in range(k) if j != outer]
                tried = []
                for theta in self.thetas:
                    inner = []
                    for j in inner_folds:
                        a, b = sorted((outer, j))
                        name = f"k{k}.r{repeat}.f{a + 1:02d}+f{b + 1:02d}"
                        train = np.flatnonzero((fold != outer) & (fold != j))
                        held = np.flatnonzero(fold == j)
                        inner.append((held, self.losses(train, held, theta, name)))
                    tried.append(inner)
                best = choose(self.thetas, tried)
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

    def fold_losses(
        self, fold: np.ndarray, repeat: int, theta: dict[str, Any], held: int, *others: int
    ) -> Any:
        """The losses on fold `held` of the model trained without it and without the other folds."""
        left_out = sorted((held, *others))
        names = "+".join(f"f{f + 1:02d}" for f in left_out)
        train = np.flatnonzero(~np.isin(fold, left_out))
        name = f"k{fold.max() + 1}.r{repeat}.{names}"
        return self.losses(train, np.flatnonzero(fold == held), theta, name)


def test_noise(losses: list[Any], units: list[Any], grouped: bool) -> float:
    """The variance of the mean over folds that comes from their rows, unit by unit."""
    centre = float(np.mean([np.mean(one) for one in losses]))
    sums: dict[Any, float] = {}
    for one, of in zip(losses, units, strict=True):
        for loss, unit in zip(one, of, strict=True):
            sums[unit] = sums.get(unit, 0.0) + (loss - centre) / (len(losses) * len(one))
    total = sum(value**2 for value in sums.values())
    return total * len(sums) / (len(sums) - 1) if grouped else total


test_noise.__test__ = False  # type: ignore[attr-defined]


def jackknife_parts(
    learners: list[BruteForce], chosen: list[list[tuple[int, int]]], folds: list[Any], unit: Any,
    selects: bool, pairs: bool = True,
) -> tuple[float, float, float]:  # fmt: skip
    """Test noise, training variability and selection of SE², in plain loops.

    `chosen[r][i]`: the learner and the position of θ for fold i of partition r.
    """
    grouped = len(set(unit.tolist())) < len(unit)
    noises, variabilities, selections = [], [], []
    for repeat, (fold, picks) in enumerate(zip(folds, chosen, strict=True), start=1):
        k = int(fold.max()) + 1
        units = [unit[fold == i] for i in range(k)]
        outer = [
            learners[a].fold_losses(fold, repeat, learners[a].thetas[t], i)
            for i, (a, t) in enumerate(picks)
        ]
        noises.append(test_noise(outer, units, grouped))
        if pairs:
            jackknife = 0.0
            for j in range(k):
                gaps = []
                for i in range(k):
                    if i != j:
                        a, t = picks[i]
                        values = {
                            other: learners[a]
                            .fold_losses(fold, repeat, learners[a].thetas[t], i, other)
                            .mean()
                            for other in range(k)
                            if other != i
                        }
                        gaps.append(values[j] - np.mean(list(values.values())))
                jackknife += np.mean(gaps) ** 2
            variabilities.append((k - 1) / k * jackknife)
        if selects:
            table = [
                [one.fold_losses(fold, repeat, theta, i) for i in range(k)]
                for one in learners
                for theta in one.thetas
            ]
            risks = [np.mean([part.mean() for part in row]) for row in table]
            best = table[int(np.argmin(risks))]
            near = []
            for row in table:
                gap = [x - y for x, y in zip(row, best, strict=True)]
                variance = test_noise(gap, units, grouped)
                if np.mean([part.mean() for part in gap]) <= 2 * np.sqrt(variance):
                    near.append(variance)
            selections.append((k - 1) / 8 * np.mean(near))
    noise = float(np.mean(noises))
    return (
        1.1 * noise if pairs else 2 * noise,
        float(np.mean(variabilities)) if pairs else 0.0,
        float(np.mean(selections)) if selects else 0.0,
    )
