"""From a learner's definition and a θ to scikit-learn objects.

Everything that learns from data is a step of the Pipeline and sees training rows only:
``prepare`` (median imputation with indicators, one-hot, scaling), ``poly`` where the learner
is polynomial, and ``model``.
"""

import copy
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.validation import has_fit_parameter

from heldout.learners.definition import FEATURES, TAKE, Definition
from heldout.names import Theta, canonical
from heldout.numerics import errors
from heldout.numerics.errors import LearnerError
from heldout.numerics.making import copied, factory_of, new_estimator, set_params, with_made
from heldout.numerics.parameters import unset_seeds
from heldout.numerics.preprocessing import Preprocessor

MODEL, PREPARE, POLY = "model", "prepare", "poly"
SAMPLE_WEIGHT = "sample_weight"
"""The parameter of `fit` that takes the weights of rows."""
BY_LABEL = ("class_weight", "class_weights", "sampling_strategy")
"""Parameters that may be a mapping from labels."""
LABELS = ("pos_label", "constant")
"""Parameters of classifiers that are a label."""
CATEGORICAL, MAX_BINS = "categorical_features", "max_bins"
"""Parameters of estimators that know categories."""


@dataclass(frozen=True)
class Columns:
    """What a learner must know about the columns of a table.

    Parameters
    ----------
    names
        The names of the features, in order.
    numbers
        The positions of numbers, booleans and ordered categories. Features that are named nowhere here are
        categories.
    classes
        The labels of the target, in the order of their codes; None for a number.
    dates, many, texts
        The positions of dates, of categories with many levels, and of free texts.
    levels
        The number of levels of each category, by its position.
    ordered
        The positions of ordered categories, which are among the numbers too.

    Examples
    --------
    >>> Columns(["length", "colour"], frozenset({0}), ["no", "yes"]).classification
    True
    """

    names: list[str]
    numbers: frozenset[int]
    classes: list[Any] | None
    dates: frozenset[int] = frozenset()
    many: frozenset[int] = frozenset()
    texts: frozenset[int] = frozenset()
    levels: Mapping[int, int] = field(default_factory=dict)
    ordered: frozenset[int] = frozenset()

    def kind(self, position: int) -> str:
        """The kind of the feature at a position, for learners that take rows as a frame."""
        if position in self.ordered:
            return "ordered"
        named = {"number": self.numbers, "date": self.dates, "many": self.many, "text": self.texts}
        return next((kind for kind, found in named.items() if position in found), "category")

    @property
    def classification(self) -> bool:
        """Whether the target is one of several classes."""
        return self.classes is not None

    def is_category(self, position: int) -> bool:
        """Whether the feature at this position is a category whose levels are listed."""
        return position not in self._others

    @cached_property
    def _others(self) -> frozenset[int]:
        """The positions of all that are no listed categories."""
        return self.numbers | self.dates | self.many | self.texts


@dataclass(frozen=True)
class Recipe:
    """The values of a θ, sorted by the step of the Pipeline that they are parameters of.

    Parameters
    ----------
    columns
        The positions of the features that the learner uses.
    prepare, poly, model
        The parameters of each step, by name.
    native
        The positions of the categories that the model gets as they are; None if it knows neither
        categories nor missing values.
    """

    columns: tuple[int, ...]
    prepare: dict[str, Any]
    poly: dict[str, Any]
    model: dict[str, Any]
    native: tuple[int, ...] | None = None

    @cached_property
    def shared(self) -> str:
        """A text that is equal for all θ with the same preprocessing."""
        return f"{_text(self.columns)} {canonical([self.prepare, self.poly, self.native])}"


@functools.lru_cache(maxsize=64)
def _text(columns: tuple[int, ...]) -> str:
    """Of positions, which may be thousands, the same for every θ."""
    return canonical(columns)


class Builder:
    """Builds the parts of one learner's Pipelines for tables with given columns.

    Parameters
    ----------
    definition
        The learner.
    columns
        The columns of the table.

    Raises
    ------
    LearnerError
        If the learner is not for this kind of target, or its estimator cannot be imported.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> builder = Builder(define("tree", None), Columns(["a"], frozenset({0}), ["no", "yes"]))
    >>> builder.estimator(builder.recipe({"max_depth": 2}), seed=7)
    DecisionTreeClassifier(max_depth=2, random_state=7)
    """

    takes_frame = False
    """Whether rows are a DataFrame with the user's column names, not a matrix."""

    def __init__(self, definition: Definition, columns: Columns):
        self.definition = definition
        self.columns = columns
        self.classification = columns.classification
        path = definition.path(self.classification)
        if path is None:
            raise LearnerError(errors.NOT_FOR_TARGET, classification=self.classification)
        self.path = path
        self._factory = factory_of(definition.made, path)

    @cached_property
    def prototype(self) -> BaseEstimator:
        """The estimator with its fixed parameters."""
        fixed = {k: v for k, v in self.definition.params.items() if not self._reaches_step(k)}
        made = with_made(self._by_code({**self._by_label, **fixed}), self.classification)
        return new_estimator(self._factory, made)

    @property
    def _by_label(self) -> dict[str, Any]:
        """The parameters of the user's own estimator that hold labels; a single label is a code already."""
        made = self.definition.made
        given = {} if made is None or not self.classification else made.get_params()
        named = {k: (k.split("__")[-1], v) for k, v in given.items() if v is not None}
        several = {k: v for k, (name, v) in named.items() if name in BY_LABEL}
        single = {k: v for k, (name, v) in named.items() if name in LABELS}
        return {
            **several,
            **{k: next(iter(self._by_code_of(k, {v: 0}))) for k, v in single.items()},
        }

    @cached_property
    def _seeded(self) -> list[str]:
        """The names of the parameters that take a seed and have none yet."""
        return unset_seeds(self.prototype)

    def _reaches_step(self, name: str) -> bool:
        return name == FEATURES or name.split("__")[0] in (PREPARE, POLY, MODEL)

    @cached_property
    def _is_flat(self) -> bool:
        """Whether copying the prototype is the same as cloning it: no parameter is an estimator."""
        params, attributes = self.prototype.get_params(), vars(self.prototype)
        others = [value for name, value in attributes.items() if name not in params]
        return (
            not any("__" in name for name in params)
            and set(params) <= set(attributes)
            and all(value is None or isinstance(value, int | float | str) for value in others)
        )

    def recipe(self, theta: Theta) -> Recipe:
        """Sort the values of θ, and fixed parameters of steps, by the step they belong to."""
        fixed = {k: v for k, v in self.definition.params.items() if self._reaches_step(k)}
        both = self._by_code({**fixed, **theta})
        names = both.pop(FEATURES, None)
        steps: dict[str, dict[str, Any]] = {PREPARE: {}, POLY: {}, MODEL: {}}
        for name, value in both.items():
            step, _, rest = name.partition("__")
            if step in steps and rest:
                steps[step][rest] = value
            else:
                steps[MODEL][name] = value
        columns = self._positions(names)
        native = self._native(columns, steps[MODEL])
        if native and CATEGORICAL not in {**self.definition.params, **steps[MODEL]}:
            numbers = sum(i in self.columns.numbers for i in columns)
            steps[MODEL][CATEGORICAL] = list(range(numbers, numbers + len(native)))
        return Recipe(columns, steps[PREPARE], steps[POLY], steps[MODEL], native)

    def _native(self, columns: tuple[int, ...], params: dict[str, Any]) -> tuple[int, ...] | None:
        """The categories that the model gets as codes: those with no more levels than it has bins."""
        if not self.definition.native or self.definition.scale:
            return None
        known = {**self.prototype.get_params(), **params}
        levels, most = self.columns.levels, known[MAX_BINS]
        return tuple(i for i in columns if self.columns.is_category(i) and levels.get(i, 0) <= most)

    def preprocessing(self, recipe: Recipe, seed: int = 0) -> Pipeline:
        """The unfitted steps before the model. Nothing in these of a short name is random."""
        steps: list[tuple[str, BaseEstimator]] = [(PREPARE, self._preprocessor(recipe))]
        if self.definition.polynomial:
            steps.append((POLY, PolynomialFeatures(include_bias=False)))
        pipeline = Pipeline(steps)
        params = {f"{PREPARE}__{k}": v for k, v in recipe.prepare.items()}
        params |= {f"{POLY}__{k}": v for k, v in recipe.poly.items()}
        return set_params(pipeline, params, "grid") if params else pipeline

    def estimator(self, recipe: Recipe, seed: int) -> BaseEstimator:
        """The unfitted model with this θ and, for each random state that is not set, this seed."""
        seeds = {name: seed for name in self._seeded if name not in recipe.model}
        if not self._is_flat or not set(recipe.model) <= set(vars(self.prototype)):
            estimator = set_params(copied(self.prototype), recipe.model, "grid")
            return estimator.set_params(**seeds) if seeds else estimator
        estimator = copy.copy(self.prototype)
        estimator.__dict__.update(recipe.model)
        estimator.__dict__.update(seeds)
        return estimator

    def gives(self, theta: Theta, methods: Sequence[str]) -> bool:
        """Whether the model with this θ has one of some methods."""
        estimator = self.estimator(self.recipe(theta), 0)
        return any(hasattr(estimator, method) for method in methods)

    def refuses_weights(self) -> str | None:
        """Why rows cannot have weights; None if they can."""
        kind = type(self.prototype).__name__
        if has_fit_parameter(self.prototype, SAMPLE_WEIGHT):
            return None
        return f"{kind} takes no weights"

    def _by_code(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with class weights by code, since models are fitted on codes of labels."""
        return {name: self._coded(str(name), value) for name, value in params.items()}

    def _coded(self, name: str, value: Any) -> Any:
        """One of them; also those of estimators, and of grids, inside it."""
        if isinstance(value, list):
            return [self._coded(name, one) for one in value]
        if not isinstance(value, dict) or TAKE in value:
            return value
        if name.split("__")[-1] in BY_LABEL:
            return self._by_code_of(name, value)
        return self._by_code(value)

    def _by_code_of(self, key: str, by_label: dict[Any, float]) -> dict[int, float]:
        labels = [str(label) for label in self.columns.classes or []]
        for label in map(str, by_label):
            if label not in labels:
                raise LearnerError(errors.UNKNOWN_CLASS, key=key, name=label, known=labels)
        return {labels.index(str(label)): weight for label, weight in by_label.items()}

    def _preprocessor(self, recipe: Recipe) -> Preprocessor:
        kept = recipe.columns, recipe.native
        if kept not in self._by_kind:
            self._by_kind[kept] = self._sorted(*kept)
        numbers, categories, dates, many = (list(one) for one in self._by_kind[kept])
        return Preprocessor(
            numbers=numbers,
            categories=categories,
            scale=self.definition.scale,
            dates=dates,
            many=many,
            native=recipe.native is not None,
        )

    @cached_property
    def _by_kind(self) -> dict[Any, tuple[list[int], ...]]:
        """What has been sorted, since there may be thousands of columns and many training sets."""
        return {}

    def _sorted(
        self, columns: tuple[int, ...], native: tuple[int, ...] | None
    ) -> tuple[list[int], ...]:
        """Positions of numbers, of categories that get columns, of dates, of categories that are counted."""
        kinds = self.columns
        listed = [i for i in columns if kinds.is_category(i)]
        categories = listed if native is None else list(native)
        counted = {*listed} - {*categories}
        return (
            [i for i in columns if i in kinds.numbers],
            categories,
            [i for i in columns if i in kinds.dates],
            [i for i in columns if i in kinds.many or i in counted],
        )

    @cached_property
    def _all_positions(self) -> tuple[int, ...]:
        return tuple(range(len(self.columns.names)))

    def _positions(self, names: list[str] | None) -> tuple[int, ...]:
        known, key = self.columns.names, f"grid.{FEATURES}"
        if names is None:
            return self._all_positions
        for name in names:
            if name not in known:
                raise LearnerError(errors.UNKNOWN_COLUMN, key=key, name=name, known=known)
        if not names:
            raise LearnerError(errors.NO_COLUMNS, key=key)
        return tuple(sorted(known.index(name) for name in set(names)))
