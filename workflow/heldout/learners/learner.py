"""A learner as the config declares it: its definition, its grid, and an order of simplicity.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from heldout.errors import HeldoutError
from heldout.learners.catalogue import entry_for
from heldout.learners.definition import Definition
from heldout.learners.grid import endless_axis, expand, size
from heldout.names import Theta, seed_for
from heldout.user_code.source import estimator_source


@dataclass(frozen=True, kw_only=True)
class Learner(Definition):
    """A named family of algorithms {A_θ : θ ∈ grid}.

    Parameters
    ----------
    grid
        The axis of each hyper-parameter, as in the config.
    simpler
        For `one_se`: whether the `larger` or the `smaller` value of a hyper-parameter is simpler.
    instead
        What to use for the kind of target that the learner is not for.

    The other parameters are those of `Definition`.
    """

    grid: dict[str, Any]
    simpler: dict[str, str] = field(default_factory=dict)
    instead: str = ""

    @property
    def endless(self) -> bool:
        """Whether the grid has no end: its θ are scanned, not listed."""
        return endless_axis(self.grid, self._where) is not None

    def thetas(self, seed: int) -> list[Theta]:
        """All θ of a finite grid, in order. Of θ with equal risk, selection takes the first."""
        if self.endless:
            raise ValueError(f"learner {self.name} has an endless grid")
        return expand(self.grid, seed_for(seed, "grid", self.name), self._where)

    @property
    def size(self) -> int:
        """How many θ a finite grid has, counted without listing them."""
        return size(self.grid, self._where)

    def first_thetas(self, count: int) -> list[Theta]:
        """The first θ of an endless grid."""
        axis = endless_axis(self.grid, self._where)
        assert axis is not None
        name, start, step = axis
        return [{name: start + step * i} for i in range(count)]

    @property
    def _where(self) -> str:
        """The grid's key in the config. Do not change this text: it seeds random grids."""
        return f"learners.{self.name}.grid"

    def import_path(self, classification: bool) -> str:
        """The import path of the estimator for this kind of target; an error if there is none."""
        path = self.path(classification)
        if path is None:
            kind = "classification" if classification else "regression"
            raise HeldoutError(f"learner '{self.name}' is not for {kind}: {self.instead}")
        return path

    def as_spec(self) -> dict[str, Any]:
        """The learner as JSON-ready data; `Learner(**spec)` makes it again."""
        return asdict(self)


def define(name: str, given: dict[str, Any] | None) -> Learner:
    """The learner of a config block, or of the catalogue alone.

    Parameters
    ----------
    name
        The learner's name; without a block it must be a short name of the catalogue.
    given
        The block `learners.NAME` of the config, with the keys that the user wrote; None if there is
        no such block.

    Returns
    -------
    Learner
        With the catalogue's defaults filled in.

    Examples
    --------
    >>> define("knn", None).thetas(seed=19)[:2]
    [{'n_neighbors': 1}, {'n_neighbors': 3}]
    >>> define("mine", {"estimator": "ridge", "grid": {"alpha": [1.0]}}).regressor
    'sklearn.linear_model.Ridge'
    """
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
    return Learner(
        name=name,
        classifier=entry.classifier,
        regressor=entry.regressor,
        params={**entry.params, **fixed},
        scale=entry.scale if scale is None else scale,
        polynomial=entry.polynomial,
        source=estimator_source(entry.classifier or entry.regressor or "", f"{where}.estimator"),
        native=entry.native,
        grid=grid,
        simpler={**entry.simpler, **block.get("simpler", {})},
        instead=entry.instead,
    )
