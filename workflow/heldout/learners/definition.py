"""A learner as the workflow passes it on: everything that its fits depend on, and nothing else."""

from dataclasses import asdict, dataclass
from typing import Any

from heldout.errors import HeldoutError
from heldout.learners.catalogue import entry_for
from heldout.learners.grid import endless_axis, expand
from heldout.names import Theta, canonical, seed_for
from heldout.provenance import estimator_source

FEATURES = "features"
"""The grid axis whose values are lists of columns."""


@dataclass(frozen=True)
class Definition:
    """A named family of algorithms {A_θ : θ ∈ grid}."""

    name: str
    classifier: str | None
    regressor: str | None
    params: dict[str, Any]
    scale: bool
    polynomial: bool
    grid: dict[str, Any]
    simpler: dict[str, str]
    instead: str = ""
    source: str = ""
    """The version or the digest of the code of an estimator that is not scikit-learn's own."""

    @property
    def endless(self) -> bool:
        """Whether the grid has no end: its θ are scanned, not listed."""
        return endless_axis(self.grid, self._where) is not None

    def thetas(self, seed: int) -> list[Theta]:
        """All θ of a finite grid, in order. The first of equals wins a selection."""
        if self.endless:
            raise ValueError(f"learner {self.name} has an endless grid")
        return expand(self.grid, seed_for(seed, "grid", self.name), self._where)

    def first_thetas(self, count: int) -> list[Theta]:
        """The first θ of an endless grid."""
        axis = endless_axis(self.grid, self._where)
        assert axis is not None
        name, start, step = axis
        return [{name: start + step * i} for i in range(count)]

    @property
    def _where(self) -> str:
        return f"learners.{self.name}.grid"

    def import_path(self, classification: bool) -> str:
        """The estimator's class for this kind of target."""
        path = self.classifier if classification else self.regressor
        if path is None:
            kind = "classification" if classification else "regression"
            raise HeldoutError(f"learner '{self.name}' is not for {kind}: {self.instead}")
        return path

    def family(self, classification: bool) -> str:
        """Canonical text of all that a fit depends on besides θ, rows and seed."""
        return canonical(
            {
                "estimator": self.import_path(classification),
                "params": self.params,
                "scale": self.scale,
                "polynomial": self.polynomial,
                "source": self.source,
            }
        )

    def as_spec(self) -> dict[str, Any]:
        """A JSON-ready form; `Definition(**spec)` brings it back."""
        return asdict(self)


def define(name: str, given: dict[str, Any] | None) -> Definition:
    """The definition of a learner from its config block, or from the catalog alone."""
    where = f"learners.{name}"
    block = given or {"estimator": name}
    entry = entry_for(block["estimator"], where)
    fixed = block.get("params", {})
    default_grid = {key: axis for key, axis in entry.grid.items() if key not in fixed}
    grid = block.get("grid", default_grid)
    overlap = sorted(set(grid) & set(fixed))
    if overlap:
        raise HeldoutError(f"{where}: '{overlap[0]}' stands both in params and in grid")
    scale = block.get("scale")
    return Definition(
        name=name,
        classifier=entry.classifier,
        regressor=entry.regressor,
        params={**entry.params, **fixed},
        scale=entry.scale if scale is None else scale,
        polynomial=entry.polynomial,
        grid=grid,
        simpler={**entry.simpler, **block.get("simpler", {})},
        instead=entry.instead,
        source=estimator_source(entry.classifier or entry.regressor or ""),
    )
