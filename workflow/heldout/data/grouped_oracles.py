"""Oracles of rows in groups. The risk is that for rows of new groups."""

import numpy as np

from heldout.data.classification_oracles import TwoClasses, logistic
from heldout.data.oracle import Oracle, Sample, normal_quadrature
from heldout.data.regression_oracles import GaussianLinear


class Grouped(Oracle):
    """Groups of equal size (the last may be cut off); a share of x is common to a group's rows."""

    grouped = True

    def units(self, n: int) -> np.ndarray:
        """One group after another."""
        return np.arange(n) // int(self.params["group_size"])

    def draw_features(self, units: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """x ~ N(0, I); the share `between` of its variance is between groups."""
        share = float(self.params["between"])
        own = generator.normal(size=(len(units), self.features))
        common = generator.normal(size=(count_of(units), self.features))
        return np.sqrt(1 - share) * own + np.sqrt(share) * common[units]

    def draw_effects(self, units: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """u ~ N(0, group_effect²), the same for all rows of a group."""
        return float(self.params["group_effect"]) * generator.normal(size=count_of(units))[units]

    def integration_rows(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """Each row from a group of its own, so that they are independent."""
        return self.draw_features(np.arange(n), generator)


class GroupedLinear(Grouped, GaussianLinear):
    """y = xβ + u + ε with a random effect u of the group."""

    tails = None

    @property
    def noise(self) -> float:
        """The standard deviation of y given x in a new group: of u + ε."""
        return float(np.hypot(self.params["noise"], self.params["group_effect"]))

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features, effects of groups, noise."""
        rows = self.draw_features(units := self.units(n), generator)
        own = float(self.params["noise"]) * generator.normal(size=n)
        return rows, self.known(rows) + self.draw_effects(units, generator) + own


class GroupedClasses(Grouped, TwoClasses):
    """P(yes | x, u) = 1/(1 + exp(−xβ − u)) with a random effect u of the group; ‖β‖ = strength."""

    def _logits(self, rows: np.ndarray) -> np.ndarray:
        count = int(self.params["informative"])
        return float(self.params["strength"]) / np.sqrt(count) * rows[:, :count].sum(axis=1)

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Features, effects of groups, labels."""
        rows = self.draw_features(units := self.units(n), generator)
        yes = logistic(self._logits(rows) + self.draw_effects(units, generator))
        return rows, (generator.random(n) < yes).astype(np.int64)

    def share_of_yes(self, rows: np.ndarray) -> np.ndarray:
        """The mean over u, by Gauss–Hermite quadrature."""
        nodes, weights = normal_quadrature()
        effects = float(self.params["group_effect"]) * nodes
        return logistic(self._logits(rows)[:, None] + effects) @ weights


def count_of(units: np.ndarray) -> int:
    """The number of groups."""
    return int(units.max()) + 1 if len(units) else 0
