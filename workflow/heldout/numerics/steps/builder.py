"""From the definition of a composed learner to its Pipeline: steps, calibration, transformed targets."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.pipeline import Pipeline

from heldout.learners.definition import FEATURES, Definition
from heldout.names import Theta
from heldout.numerics import errors
from heldout.numerics.errors import LearnerError
from heldout.numerics.making import factory_of, import_estimator, new_estimator, with_made
from heldout.numerics.parameters import known_params, seeded_folds, unset_seeds, with_tuples
from heldout.numerics.pipeline import MODEL, POLY, PREPARE, Builder, Columns, Recipe
from heldout.numerics.steps.native import LEVELS, WORDS
from heldout.numerics.steps.output import name_columns
from heldout.numerics.steps.table import GROUP, ByKind, TableColumns

OWN = "heldout.numerics.steps."
PREPARED, NATIVE_COLUMNS = f"{OWN}prepare.Prepare", f"{OWN}native.NativeColumns"
KNOW_KINDS = (PREPARED, NATIVE_COLUMNS)
"""Steps that are told the kinds of the table's columns."""
FOLLOWED = ("heldout.numerics.steps.prepare:Prepare", "heldout.numerics.steps.ordinal:Ordinal")
"""Steps that nothing imports by name here; so their code is in the keys too."""
OURS = {
    "catboost.CatBoostClassifier": "heldout.numerics.steps.catboost_models:CatBoostClassifier",
    "catboost.CatBoostRegressor": "heldout.numerics.steps.catboost_models:CatBoostRegressor",
    "xgboost.XGBClassifier": "heldout.numerics.steps.xgboost_models:XGBClassifier",
    "xgboost.XGBRFClassifier": "heldout.numerics.steps.xgboost_models:XGBRFClassifier",
}
"""Classes that are told which columns are categories, and those that need codes without gaps."""
TABLE, NATIVE, PASSTHROUGH = "table", "native", "passthrough"
IMPUTER = "sklearn.impute.SimpleImputer"
GROUPS = tuple(dict.fromkeys(GROUP.values()))
POLYNOMIAL = "sklearn.preprocessing.PolynomialFeatures"
TARGETS = {"log": (np.log, np.exp), "log1p": (np.log1p, np.expm1)}
"""Transformations of the target, and back."""
ENDED = "a grid can switch a step off (passthrough); other values go to its parameters: {}__NAME"


class ComposedBuilder(Builder):
    """Builds the Pipelines of a learner with steps, calibration, a transformed target, or native columns.

    Parameters
    ----------
    definition
        The learner.
    columns
        The columns of the table.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> learner = define("mine", {"steps": ["impute", "scale", "ridge"]})
    >>> builder = ComposedBuilder(learner, Columns(["a"], frozenset({0}), None))
    >>> [name for name, _ in builder.preprocessing(builder.recipe({"alpha": 2.0})).steps]
    ['table', 'impute', 'scale']
    """

    def __init__(self, definition: Definition, columns: Columns):
        super().__init__(definition, columns)
        self._factory = factory_of(definition.made, OURS.get(self.path, self.path))
        self.native = definition.takes_columns(self.classification)
        self.takes_frame = bool(definition.steps or self.native or columns.texts)
        self.name = definition.steps[-1]["name"] if definition.steps else MODEL
        self._kinds = {name: columns.kind(i) for i, name in enumerate(columns.names)}

    # --- steps ------------------------------------------------------------------------------------

    @cached_property
    def before(self) -> list[dict[str, Any]]:
        """The steps before the model, in canonical form."""
        steps = list(self.definition.steps[:-1])
        if not self.definition.steps and not self.native:
            scale = {"scale": self.definition.scale}
            steps = [{"name": PREPARE, "path": PREPARED, "params": scale}]
            if self.definition.polynomial:
                params = {"include_bias": False}
                steps.append({"name": POLY, "path": POLYNOMIAL, "params": params})
        if self.native and NATIVE_COLUMNS not in [step.get("path") for step in steps]:
            steps.append({"name": NATIVE, "path": NATIVE_COLUMNS, "params": {}})
        return steps

    @cached_property
    def samples(self) -> bool:
        """Whether a step changes which rows are trained on."""
        return any(hasattr(self._made(step), "fit_resample") for step in self.before)

    def _reaches_step(self, name: str) -> bool:
        if not self.takes_frame:
            return super()._reaches_step(name)
        return name == FEATURES or name.split("__")[0] in self._names

    @cached_property
    def _names(self) -> set[str]:
        return {step["name"] for step in self.before}

    def recipe(self, theta: Theta) -> Recipe:
        """Sort the values of θ, and fixed parameters of steps, by what they reach."""
        if not self.takes_frame:
            return super().recipe(theta)
        fixed = {k: v for k, v in self.definition.params.items() if self._reaches_step(k)}
        both = self._by_code({**fixed, **theta})
        columns = self._positions(both.pop(FEATURES, None))
        steps = {name: value for name, value in both.items() if self._reaches_step(name)}
        model = {
            name.removeprefix(f"{self.name}__"): value
            for name, value in both.items()
            if name not in steps
        }
        self._check_steps(model)
        return Recipe(columns, steps, {}, with_made(model, self.classification))

    @cached_property
    def _parts(self) -> set[str]:
        """The parameters of the model, which may be parts with parameters of their own."""
        return known_params(self.prototype)[0]

    def _check_steps(self, model: Mapping[str, Any]) -> None:
        """Refuse a name that is neither of a step nor of a part of the model."""
        for name in model:
            owner = name.split("__")[0]
            if owner != name and owner not in self._parts:
                steps = [step["name"] for step in self.before]
                raise LearnerError(
                    errors.UNKNOWN_STEP, key="grid", name=owner, known=[*steps, self.name]
                )

    def preprocessing(self, recipe: Recipe, seed: int = 0) -> Pipeline:
        """The unfitted steps before the model."""
        if not self.takes_frame:
            return super().preprocessing(recipe, seed)
        names = [self.columns.names[i] for i in recipe.columns]
        steps: list[tuple[str, Any]] = [(TABLE, TableColumns(names))]
        steps += [(step["name"], self._made(step)) for step in self.before]
        pipeline = self.pipeline(steps)
        self._set(pipeline, with_made(recipe.prepare, self.classification))
        seeds: dict[str, Any] = dict.fromkeys(unset_seeds(pipeline), seed)
        seeds |= seeded_folds(pipeline, seed, self.classification)
        if seeds:
            pipeline.set_params(**seeds)
        for _, step in pipeline.steps:
            name_columns(step)
        return pipeline

    def pipeline(self, steps: Sequence[tuple[str, Any]]) -> Pipeline:
        """A Pipeline of scikit-learn; of imbalanced-learn, if a step samples rows."""
        if not any(hasattr(step, "fit_resample") for _, step in steps):
            return Pipeline(list(steps))
        made: Pipeline = import_estimator("imblearn.pipeline.Pipeline")(list(steps))
        return made

    def _made(self, step: dict[str, Any], of: Sequence[str] = ()) -> Any:
        """A step; `of` are the columns of the part of `columns` that it is in."""
        if "columns" in step:
            return self._column_transformer(step)
        given = with_made(self._by_code(step["params"]), self.classification)
        if step["path"] == IMPUTER and given.get("strategy") == "auto":
            groups = {one if one in GROUPS else GROUP.get(self._kinds.get(one, "")) for one in of}
            words = bool(groups) and groups <= {"categories", "texts"}
            given["strategy"] = "most_frequent" if words else "median"
        if step["path"] in KNOW_KINDS:
            style = WORDS if self.path.startswith("catboost.") else LEVELS
            native = {"style": style} if step["path"] == NATIVE_COLUMNS else {}
            given = {"kinds": self._kinds, **native, **given}
        try:
            made = new_estimator(import_estimator(step["path"]), given)
        except LearnerError as error:
            raise LearnerError(error.problem, **{**error.facts, "key": "steps"}) from None
        if not any(hasattr(made, method) for method in ("transform", "fit_resample")):
            text = f"'{step['name']}' is no step before a model: {type(made).__name__} has no transform"
            raise LearnerError(errors.REFUSED_PARAMETER, key="steps", error=text)
        return made

    def _column_transformer(self, step: dict[str, Any]) -> ColumnTransformer:
        parts = [
            (part["name"], self._of_part(part["steps"], part["of"]), self._chosen(part["of"]))
            for part in step["columns"]
        ]
        return ColumnTransformer(parts, remainder=step["rest"])

    def _of_part(self, steps: Any, of: Sequence[str]) -> Any:
        if isinstance(steps, str):
            return steps
        made = [(step["name"], self._made(step, of)) for step in steps]
        for name, one in made:
            if hasattr(one, "fit_resample"):
                text = f"'{name}' changes the rows, and cannot do so for some columns only; make it a step of its own"
                raise LearnerError(errors.REFUSED_PARAMETER, key="steps", error=text)
        return Pipeline(made)

    def _chosen(self, of: list[str]) -> ByKind:
        groups = [one for one in of if one in GROUPS]
        names = [one for one in of if one not in groups]
        first = "columns" in self.before[0]
        for name in names:
            if first and name not in self._kinds:
                known = [*self.columns.names, *GROUPS]
                raise LearnerError(errors.UNKNOWN_COLUMN, key="steps", name=name, known=known)
        return ByKind(groups, names, self._kinds)

    def _set(self, pipeline: Pipeline, params: Mapping[str, Any]) -> None:
        """Parameters of steps first, and then steps that are switched off."""
        known = pipeline.get_params()
        for name in params:
            if name not in known:
                same = [one for one in known if one.startswith(name.split("__")[0] + "__")]
                raise LearnerError(
                    errors.UNKNOWN_PARAMETER,
                    key="grid",
                    owner="the Pipeline",
                    name=name,
                    known=same,
                )
        off = {name: value for name, value in params.items() if name in self._names}
        for name, value in off.items():
            if value != PASSTHROUGH:
                raise LearnerError(
                    errors.REFUSED_PARAMETER, key="grid", error=f"{name}: {ENDED.format(name)}"
                )
        inner = {name: value for name, value in params.items() if name not in off}
        try:
            pipeline.set_params(**with_tuples(inner, known))
            pipeline.set_params(**off)
        except (ValueError, AttributeError, TypeError) as error:
            raise LearnerError(errors.REFUSED_PARAMETER, key="grid", error=error) from None

    # --- the model ----------------------------------------------------------------------------------

    @property
    def calibrates_all(self) -> bool:
        """Whether the whole Pipeline, not the model alone, is fitted on each inner fold."""
        return bool(self.definition.calibrate and self.definition.steps)

    def estimator(self, recipe: Recipe, seed: int) -> BaseEstimator:
        """The unfitted model; with a transformed target, inside what transforms it."""
        model = super().estimator(recipe, seed)
        if self.definition.target is None:
            return model
        there, back = TARGETS[self.definition.target]
        return TransformedTargetRegressor(model, func=there, inverse_func=back, check_inverse=False)

    def gives(self, theta: Theta, methods: Sequence[str]) -> bool:
        """Whether the model has one of some methods; a calibrated one gives probabilities."""
        if self.definition.calibrate:
            return "predict_proba" in methods
        return super().gives(theta, methods)

    def refuses_weights(self) -> str | None:
        """Why rows cannot have weights; None if they can."""
        if self.samples:
            return "a step samples rows, and new rows have no weights"
        if self.calibrates_all:
            return "calibrate with steps passes no weights on"
        return super().refuses_weights()
