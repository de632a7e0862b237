"""The steps before a model, fitted one after another; what θ share is fitted once per training set.

A step is shared by θ that agree in the parameters of this step and of those before it. No step's numbers depend
on which other θ are fitted: it gets rows of its own, so that it may change them, and numpy's global state is seeded
before it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heldout.names import Theta, canonical
from heldout.numerics.pipeline import Recipe
from heldout.numerics.preprocessing import Preprocessor
from heldout.numerics.problem import Problem
from heldout.numerics.rows import own_rows
from heldout.numerics.steps.builder import ComposedBuilder
from heldout.numerics.steps.prepare import Prepare
from heldout.numerics.steps.table import TableColumns

WEIGHTED = (Prepare, Preprocessor)
"""Steps whose scales count the weights of rows."""
OWN = (*WEIGHTED, TableColumns)
"""Steps that transform the rows they were fitted to as they transform others, and change no row in its place."""
MEMORY = "steps"
"""Where a problem keeps fitted steps: the name of their learner, and by their number what they were fitted from."""


class Fitted(NamedTuple):
    """Some first steps, and what they make of the rows."""

    steps: tuple[tuple[str, Any], ...]
    """Fitted, with their names; a text for one that is switched off."""
    train: Any
    target: np.ndarray
    held: Any


@contextmanager
def global_seed(seed: int) -> Iterator[None]:
    """For functions that draw from numpy's global state and take no seed, such as mutual information.

    Parameters
    ----------
    seed
        The seed of the fit.

    Returns
    -------
    context manager
        It puts the state back.

    Examples
    --------
    >>> with global_seed(7):
    ...     one = np.random.random()
    >>> with global_seed(7):
    ...     one == np.random.random()
    True
    """
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


class Chain:
    """Fits the steps of one learner on one training set.

    Parameters
    ----------
    problem
        The training set.
    recipes
        All θ to come, sorted by step: what several of them share is kept.
    """

    def __init__(self, problem: Problem, recipes: Sequence[Recipe]):
        self.problem = problem
        definition = problem.builder.definition
        about = [definition.steps, definition.params, definition.scale, definition.source]
        learner = f"{problem.seed}:{definition.name}:{canonical(about)}"
        if problem.preprocessed.get(MEMORY, ("",))[0] != learner:
            problem.preprocessed[MEMORY] = learner, {}
        self._memory: dict[int, tuple[str, Fitted]] = problem.preprocessed[MEMORY][1]
        keys = [step_keys(problem.builder, recipe) for recipe in recipes]
        counts = [len({one[i] for one in keys}) for i in range(len(keys[0]))] if keys else []
        self._branches = {i for i, pair in enumerate(pairwise(counts)) if pair[1] > pair[0]}

    def fitted(self, recipe: Recipe) -> Fitted:
        """All steps before the model for one θ."""
        keys, memory = step_keys(self.problem.builder, recipe), self._memory
        last = len(keys) - 1
        known = max((i for i in memory if i <= last and memory[i][0] == keys[i]), default=None)
        if known == last:
            return memory[last][1]
        start = 0 if known is None else known + 1
        found = self._start() if known is None else memory[known][1]
        steps = self._builder.preprocessing(recipe, self.problem.seed).steps[: last + 1]
        for i in range(start, last + 1):
            found = self._with(found, *steps[i])
            if i == last or i in self._branches:
                memory[i] = keys[i], found
        return found

    @property
    def _builder(self) -> ComposedBuilder:
        assert isinstance(self.problem.builder, ComposedBuilder)
        return self.problem.builder

    def _start(self) -> Fitted:
        problem = self.problem
        return Fitted((), problem.train_features, problem.train_target, problem.held_features)

    def _with(self, before: Fitted, name: str, step: Any) -> Fitted:
        """One step more."""
        steps, train, target, held = before
        after = (*steps, (name, step))
        if isinstance(step, str):  # switched off
            return Fitted(after, train, target, held)
        with global_seed(self.problem.seed):
            same = held is train and isinstance(step, OWN)
            if not isinstance(step, OWN):
                train, held = own_rows(train), own_rows(held)
            if hasattr(step, "fit_resample"):  # in training only: held-out rows stay as they are
                train, target = step.fit_resample(train, target)
                return Fitted(after, train, np.asarray(target), held)
            made = _fit_transform(step, train, target, self.problem.weights)
            others = made if same else step.transform(held)
        check_same_rows(name, before.train, made)
        check_same_rows(name, before.held, others)
        return Fitted(after, made, target, others)


def step_keys(builder: Any, recipe: Recipe) -> list[str]:
    """For each step before the model a text that is equal for all θ with the same steps up to it.

    Parameters
    ----------
    builder
        The learner's.
    recipe
        A θ.

    Returns
    -------
    list of str
        One, where the steps are not the learner's own, or each inner fold fits them.
    """
    if not builder.takes_frame:
        return [recipe.shared] * (2 if builder.definition.polynomial else 1)
    keys = [canonical([recipe.columns])]
    for name in [] if builder.calibrates_all else [step["name"] for step in builder.before]:
        given = {k: v for k, v in recipe.prepare.items() if k.split("__")[0] == name}
        keys.append(canonical([keys[-1], name, given]))
    return keys


def check_same_rows(name: str, given: Any, made: Any) -> None:
    """Refuse a step that leaves rows out or puts them in another order: predictions would be of other rows.

    Parameters
    ----------
    name
        Of the step.
    given, made
        The rows before and after it.

    Raises
    ------
    ValueError
        Names the step.
    """
    if getattr(made, "shape", (-1,))[0] != len_of(given):
        found = made.shape if hasattr(made, "shape") else type(made).__name__
        raise ValueError(
            f"step '{name}' gives {found} for {len_of(given)} rows; a step before the model gives a row for each"
        )
    both = isinstance(made, pd.DataFrame) and isinstance(given, pd.DataFrame)
    if both and not (made.index.equals(given.index) or isinstance(made.index, pd.RangeIndex)):
        raise ValueError(
            f"step '{name}' gives rows with another index than it was given: they are in another order, or not "
            f"the same rows"
        )


def len_of(rows: Any) -> int:
    """How many rows there are; also of a sparse matrix, which has no length."""
    return int(rows.shape[0])


def together(builder: Any, thetas: Sequence[Theta]) -> tuple[list[Theta], list[Recipe]]:
    """θ with the same first steps one after another, and the recipes of those that have one.

    Parameters
    ----------
    builder
        The learner's.
    thetas
        In any order.

    Returns
    -------
    tuple
        The same θ, and recipes.
    """
    places: dict[str, int] = {}
    found: list[tuple[list[int], Theta]] = []
    recipes = []
    for theta in thetas:
        try:
            recipe = builder.recipe(theta)
            keys = step_keys(builder, recipe)
        except Exception:  # told when it is fitted
            found.append(([], theta))
            continue
        recipes.append(recipe)
        found.append(([places.setdefault(key, len(places)) for key in keys], theta))
    return [theta for _, theta in sorted(found, key=lambda pair: pair[0])], recipes


def _fit_transform(step: Any, train: Any, target: Any, weights: np.ndarray | None) -> Any:
    """Fit a step, and transform the rows it was fitted to. Weights are for heldout's own steps."""
    if isinstance(step, WEIGHTED):
        return step.fit_transform(train, target, weights)
    if hasattr(step, "fit_transform"):
        return step.fit_transform(train, target)
    return step.fit(own_rows(train), target).transform(train)
