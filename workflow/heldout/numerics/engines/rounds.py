"""LightGBM, XGBoost and CatBoost: one fit of the longest run serves every number of rounds.

Everything else is as in the engine `steps`. Where no split is left to make before the last round, each θ is
fitted by itself: which rounds a shorter run would have is not known then. Where CatBoost has other defaults for short
runs, the longest of these is fitted, too.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from heldout.names import Theta, canonical
from heldout.numerics.engines import steps
from heldout.numerics.pipeline import Builder, Recipe
from heldout.numerics.predict import predict
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.steps.first_rounds import (
    PARAMETERS,
    first_rounds,
    has_rounds,
    is_exact,
    rows_for,
    same_defaults,
)
from heldout.numerics.steps.stages import Stages, stages
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit and predict each θ; those that differ in the number of rounds only, the longest first."""
    families = _Families(problem.builder, thetas)
    longest = _Longest(families)
    in_order = sorted(thetas, key=families.place)
    yield from steps.run(problem, in_order, longest.fit, longest.predict)


class _Families:
    """Which θ differ in the number of rounds only."""

    def __init__(self, builder: Builder, thetas: Sequence[Theta]):
        self._builder = builder
        self._places: dict[str, tuple[int, int]] = {}
        self.counts: dict[str, list[int]] = {}
        for theta in thetas:
            try:
                family, _, rounds = self.of(builder.recipe(theta))
            except Exception:  # told when it is fitted
                continue
            self.counts.setdefault(family, []).append(rounds)
            self._places[canonical(theta)] = [*self.counts].index(family), -rounds

    def place(self, theta: Theta) -> tuple[int, int]:
        """Where a θ comes: family by family, and the largest number of rounds first."""
        return self._places.get(canonical(theta), (-1, 0))

    def of(self, recipe: Recipe) -> tuple[str, str, int]:
        """The family of a θ, the parameter that is the number of rounds, and its value."""
        rest = {name: value for name, value in recipe.model.items() if name not in PARAMETERS}
        given = {**self._fixed, **recipe.model}
        name = next(name for name in PARAMETERS if given.get(name) is not None)
        return recipe.shared + canonical(rest), name, int(given[name])

    @cached_property
    def _fixed(self) -> dict[str, Any]:
        params: dict[str, Any] = self._builder.prototype.get_params()
        return params


class _Longest:
    """Fits models, and keeps the last one that was fitted: shorter ones are cut from it, and their predictions too."""

    def __init__(self, families: _Families):
        self._families = families
        self._family, self._longest, self._model = "", 0, None
        self._rounds = 0
        self._stages: Stages = {}
        self._rows: Any = None

    def fit(
        self, recipe: Recipe, model: Any, train: Any, target: Any, weights: dict[str, Any]
    ) -> Any:
        """The fitted model."""
        family, parameter, self._rounds = self._families.of(recipe)
        if family == self._family and self._begins_as(model, train):
            return first_rounds(self._model, model, self._rounds)
        self._model = None  # before the next one is made: there is memory for one
        self._stages, self._rows = {}, None
        fitted = steps.fit(recipe, model, train, target, weights)
        if has_rounds(fitted, self._rounds) and is_exact(type(model), parameter):
            self._family, self._longest, self._model = family, self._rounds, fitted
        return fitted

    def _begins_as(self, model: Any, train: Any) -> bool:
        """Whether the longest model begins as this one."""
        shorter = self._model is not None and self._rounds <= self._longest
        return shorter and same_defaults(model, train, self._longest, self._rounds)

    def predict(self, model: Any, held: Any, classes: list[Any] | None) -> Predictions:
        """The predictions of the model that was fitted last."""
        if self._model is None:
            return predict(model, held, classes)
        if self._rows is None:
            counts = self._families.counts[self._family]
            self._rows = rows_for(model, held)
            self._stages = stages(model, held, [one for one in counts if one <= self._longest])
        return predict(self._stages.get(self._rounds, model), self._rows, classes)
