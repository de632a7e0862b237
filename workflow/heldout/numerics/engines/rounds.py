"""LightGBM, XGBoost and CatBoost: one fit of the longest run serves every number of rounds.

Everything else is as in the engine `steps`. Where no split is left to make before the last round, each θ is
fitted by itself: which rounds a shorter run would have is not known then.
"""

from collections.abc import Iterator
from typing import Any

from heldout.names import Theta, canonical
from heldout.numerics.engines import steps
from heldout.numerics.pipeline import Builder, Recipe
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.steps.first_rounds import PARAMETERS, first_rounds, has_rounds, is_exact


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit and predict each θ; those that differ in the number of rounds only, the longest first."""
    builder = problem.builder
    families: dict[str, int] = {}

    def place(theta: Theta) -> tuple[int, int]:
        try:
            recipe = builder.recipe(theta)
            rounds = _rounds(builder, recipe)[1]
        except Exception:  # told when it is fitted
            return -1, 0
        return families.setdefault(_family(recipe), len(families)), -rounds

    yield from steps.run(problem, sorted(thetas, key=place), _Longest(builder))


class _Longest:
    """Fits models, and keeps the last one that was fitted: shorter ones are cut from it."""

    def __init__(self, builder: Builder):
        self._builder = builder
        self._family, self._rounds, self._model = "", 0, None

    def __call__(
        self, recipe: Recipe, model: Any, train: Any, target: Any, weights: dict[str, Any]
    ) -> Any:
        """The fitted model."""
        family, (parameter, rounds) = _family(recipe), _rounds(self._builder, recipe)
        if self._model is not None and family == self._family and rounds <= self._rounds:
            return first_rounds(self._model, model, rounds)
        self._model = None  # before the next one is made: there is memory for one
        fitted = steps.fit(recipe, model, train, target, weights)
        if has_rounds(fitted, rounds) and is_exact(type(model), parameter):
            self._family, self._rounds, self._model = family, rounds, fitted
        return fitted


def _family(recipe: Recipe) -> str:
    """A text that is equal for all θ that differ in the number of rounds only."""
    rest = {name: value for name, value in recipe.model.items() if name not in PARAMETERS}
    return recipe.shared + canonical(rest)


def _rounds(builder: Builder, recipe: Recipe) -> tuple[str, int]:
    """The parameter that is the number of rounds, and its value."""
    given = {**builder.prototype.get_params(), **recipe.model}
    name = next(name for name in PARAMETERS if given.get(name) is not None)
    return name, int(given[name])
