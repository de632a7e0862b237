"""From a learner's definition and a θ to scikit-learn objects.

Everything that learns from data is a step of the Pipeline and sees training rows only:
``prepare`` (median imputation with indicators, one-hot, scaling), ``poly`` where the learner
is polynomial, and ``model``.
"""

import copy
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures

from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError, did_you_mean
from heldout.learners.definition import FEATURES, Definition
from heldout.names import Theta, canonical
from heldout.numerics.preprocessing import Preparation

MODEL, PREPARE, POLY = "model", "prepare", "poly"
CLASS_WEIGHT = "class_weight"


@dataclass(frozen=True)
class Recipe:
    """A θ, sorted by what it reaches: columns, the polynomial, the preparation, the model."""

    columns: tuple[int, ...]
    preparation: dict[str, Any]
    poly: dict[str, Any]
    model: dict[str, Any]

    @cached_property
    def shared(self) -> str:
        """θ with equal text share their fitted preprocessing."""
        return canonical([self.columns, self.preparation, self.poly])


class Builder:
    """Builds the parts of one learner's Pipelines for one table."""

    def __init__(self, definition: Definition, table: Prepared):
        self.definition = definition
        self.table = table
        self.classification = table.classification
        self.make = import_estimator(definition.import_path(self.classification), definition.name)
        self._numbers = set(table.columns_of("number") + table.columns_of("boolean"))

    @cached_property
    def prototype(self) -> BaseEstimator:
        """The estimator with its fixed parameters."""
        fixed = {k: v for k, v in self.definition.params.items() if not self._reaches_step(k)}
        try:
            estimator = self.make()
            return set_params(estimator, self._by_code(fixed), self._where("params"))
        except TypeError as error:
            raise HeldoutError(f"{self._where('estimator')}: cannot be made: {error}") from None

    @cached_property
    def _seeded(self) -> list[str]:
        """The names of the parameters that want a seed."""
        return [
            name
            for name, value in self.prototype.get_params().items()
            if name.split("__")[-1] == "random_state" and value is None
        ]

    @cached_property
    def _is_flat(self) -> bool:
        """Whether a plain copy of the prototype is a clone: no parameter is an estimator."""
        given, held = self.prototype.get_params(), vars(self.prototype)
        others = [value for name, value in held.items() if name not in given]
        return (
            not any("__" in name for name in given)
            and set(given) <= set(held)
            and all(value is None or isinstance(value, int | float | str) for value in others)
        )

    def recipe(self, theta: Theta) -> Recipe:
        """Sort the names of θ and of the fixed parameters by the step they reach."""
        fixed = {k: v for k, v in self.definition.params.items() if self._reaches_step(k)}
        both = self._by_code({**fixed, **theta})
        names = both.pop(FEATURES, None)
        parts: dict[str, dict[str, Any]] = {PREPARE: {}, POLY: {}, MODEL: {}}
        for name, value in both.items():
            step, _, rest = name.partition("__")
            if step in parts and rest:
                parts[step][rest] = value
            else:
                parts[MODEL][name] = value
        return Recipe(self._columns(names), parts[PREPARE], parts[POLY], parts[MODEL])

    def preprocessing(self, recipe: Recipe) -> Pipeline:
        """The unfitted steps before the model."""
        steps: list[tuple[str, BaseEstimator]] = [(PREPARE, self._table_step(recipe.columns))]
        if self.definition.polynomial:
            steps.append((POLY, PolynomialFeatures(include_bias=False)))
        pipeline = Pipeline(steps)
        given = {f"{PREPARE}__{k}": v for k, v in recipe.preparation.items()}
        given |= {f"{POLY}__{k}": v for k, v in recipe.poly.items()}
        return set_params(pipeline, given, self._where("grid")) if given else pipeline

    def estimator(self, recipe: Recipe, seed: int) -> BaseEstimator:
        """The unfitted model with this θ and, where it draws at random, this seed."""
        seeds = {name: seed for name in self._seeded if name not in recipe.model}
        if not self._is_flat or not set(recipe.model) <= set(vars(self.prototype)):
            estimator = set_params(clone(self.prototype), recipe.model, self._where("grid"))
            return estimator.set_params(**seeds)
        estimator = copy.copy(self.prototype)
        estimator.__dict__.update(recipe.model)
        estimator.__dict__.update(seeds)
        return estimator

    def _by_code(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with class weights by code, since a fit sees codes and not labels."""
        return {
            name: self._weights(value)
            if name.split("__")[-1] == CLASS_WEIGHT and isinstance(value, dict)
            else value
            for name, value in params.items()
        }

    def _weights(self, by_label: dict[Any, float]) -> dict[int, float]:
        labels = [str(label) for label in self.table.classes or []]
        for label in map(str, by_label):
            if label not in labels:
                where = self._where(CLASS_WEIGHT)
                raise HeldoutError(f"{where}: no class '{label}'{did_you_mean(label, labels)}")
        return {labels.index(str(label)): weight for label, weight in by_label.items()}

    def _table_step(self, columns: tuple[int, ...]) -> Preparation:
        return Preparation(
            numbers=[i for i in columns if i in self._numbers],
            categories=[i for i in columns if i not in self._numbers],
            scale=self.definition.scale,
        )

    def _columns(self, names: list[str] | None) -> tuple[int, ...]:
        known = self.table.names
        if names is None:
            return tuple(range(len(known)))
        for name in names:
            if name not in known:
                where = self._where(f"grid.{FEATURES}")
                raise HeldoutError(f"{where}: no column '{name}'{did_you_mean(name, known)}")
        if not names:
            raise HeldoutError(f"{self._where(f'grid.{FEATURES}')}: an empty list of columns")
        return tuple(sorted(known.index(name) for name in set(names)))

    def _reaches_step(self, name: str) -> bool:
        return name == FEATURES or name.split("__")[0] in (PREPARE, POLY, MODEL)

    def _where(self, key: str) -> str:
        return f"learners.{self.definition.name}.{key}"


def import_estimator(path: str, learner: str) -> Any:
    """The class or factory behind an import path (`package.module.Name` or `package.module:Name`)."""
    where = f"learners.{learner}.estimator"
    module_name, _, name = path.replace(":", ".").rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise HeldoutError(f"{where}: cannot import '{module_name}': {error}") from None
    if not hasattr(module, name):
        public = [n for n in dir(module) if not n.startswith("_")]
        raise HeldoutError(f"{where}: no '{name}' in {module_name}{did_you_mean(name, public)}")
    return getattr(module, name)


def clone(estimator: BaseEstimator) -> BaseEstimator:
    """A fresh, unfitted copy."""
    from sklearn.base import clone as sklearn_clone

    return sklearn_clone(estimator)


def set_params(estimator: BaseEstimator, params: Mapping[str, Any], where: str) -> BaseEstimator:
    """`set_params`, with an error that says which name is wrong and what was probably meant."""
    known = estimator.get_params()
    for name in params:
        if name not in known and name.split("__")[0] not in known:
            raise HeldoutError(
                f"{where}: {type(estimator).__name__} has no parameter '{name}'"
                f"{did_you_mean(name, sorted(known))}"
            )
    try:
        return estimator.set_params(**params)
    except (ValueError, AttributeError) as error:
        raise HeldoutError(f"{where}: {error}") from None


def check_learner(builder: Builder, thetas: list[Theta], loss_needs: str | None) -> None:
    """Refuse, before any fit, what the estimator will refuse: names, values, the kind of target."""
    prototype = builder.prototype
    name = builder.definition.name
    known = hasattr(prototype, "__sklearn_tags__")
    if known and is_classifier(prototype) != builder.classification:
        kind = "classification" if builder.classification else "regression"
        raise HeldoutError(f"learners.{name}: {type(prototype).__name__} is not for {kind}")
    seen: set[str] = set()
    for theta in thetas:
        recipe = builder.recipe(theta)
        fresh = {k: v for k, v in recipe.model.items() if canonical([k, v]) not in seen}
        seen |= {canonical([k, v]) for k, v in fresh.items()}
        if fresh or not seen:
            _check_values(builder.estimator(recipe, 0), name, theta)
        if recipe.shared not in seen:
            seen.add(recipe.shared)
            _check_values(builder.preprocessing(recipe), name, theta)
    if loss_needs == "proba" and not _gives_probabilities(builder, thetas[0]):
        raise HeldoutError(
            f"learners.{name}: {type(prototype).__name__} gives no probabilities, which the loss "
            "needs; choose loss: zero_one or another learner (SVC: params {probability: true})"
        )


def _gives_probabilities(builder: Builder, theta: Theta) -> bool:
    return hasattr(builder.estimator(builder.recipe(theta), 0), "predict_proba")


def _check_values(estimator: BaseEstimator, learner: str, theta: Theta) -> None:
    steps = (
        [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]
    )
    for step in steps:
        try:
            if hasattr(step, "_parameter_constraints"):
                step._validate_params()
        except ValueError as error:
            raise HeldoutError(
                f"learner '{learner}' refuses θ = {canonical(theta)}: {error}"
            ) from None


def aligned(proba: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    """Probabilities with a column for every class of the task; 0 where training lacked the class."""
    if proba.shape[1] == count:
        return proba
    whole = np.zeros((len(proba), count))
    whole[:, np.asarray(classes, int)] = proba
    return whole
