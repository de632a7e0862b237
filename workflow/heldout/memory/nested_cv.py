"""`heldout.NestedCV`: an estimator that tunes, selects, and estimates the risk of doing so, when it is fitted."""

from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from heldout.errors import HeldoutError
from heldout.learners.lookup import entry_for, short_names
from heldout.measures.choice import classification_of
from heldout.memory.arrays import Arrays, class_order, frame_of
from heldout.memory.evaluate import evaluate
from heldout.memory.evaluation import Evaluation
from heldout.memory.objects import is_estimator
from heldout.predictions import Predictions

Method = TypeVar("Method", bound=Callable[..., Any])
CLASSIFICATION, REGRESSION = "classification", "regression"
KINDS = {CLASSIFICATION: "classifier", REGRESSION: "regressor"}
LOSSES = {CLASSIFICATION: "zero_one", REGRESSION: "squared"}
"""What θ is chosen by where no loss is given."""


class CannotFitError(HeldoutError, ValueError):
    """What scikit-learn's tools expect of an estimator that refuses its data."""


def _if_given(method: str) -> Callable[[Method], Method]:
    """Only where the model has a method; before the fit, where it may have it."""

    def check(self: "NestedCV") -> bool:
        if hasattr(self, "results_"):
            return hasattr(self.results_.model.pipeline[-1], method)
        return hasattr(self.learners, method) or not is_estimator(self.learners)

    found: Callable[[Method], Method] = available_if(check)
    return found


class NestedCV(MetaEstimatorMixin, BaseEstimator):
    """Tunes learners, selects one, fits it to all rows, and says what to expect of it on new ones.

    It is a classifier or a regressor as `task` says, or as the loss or the learners tell, as a GridSearchCV is
    what its estimator is. If none of these tells, the target decides: texts and booleans are classes.

    Parameters
    ----------
    learners
        What `heldout.evaluate` takes: an estimator, a Pipeline, a short name, several of these, or a mapping.
    grid
        The hyper-parameters of a single learner, and their values.
    loss, metrics, estimators, kfold, select
        As in the config.
    task
        `classification` or `regression`.
    seed, level
        The root of every random choice, and the level of intervals.
    cores
        How many processes share the fits.
    options
        Further keys of a task in the config, such as `{"montecarlo": {"rounds": 10}}`.

    Attributes
    ----------
    results_
        The tables, the selection and the answer, as `heldout.evaluate` returns them.
    best_estimator_, best_params_, best_learner_
        The selected model, fitted to all rows: it takes a DataFrame. Its θ, and its learner.
    risk_, interval_
        The risk to expect of the whole procedure, and the ends of its interval; None where none holds.
    classes_
        The labels of a classifier.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NestedCV(SVC(), grid={"C": [0.1, 1, 10]}, kfold={"k": 3}).fit(X, y)
    >>> model.best_params_, model.predict(X[:2]).tolist()
    ({'C': 10}, [0, 0])
    >>> 0 <= model.interval_[0] <= model.risk_ <= model.interval_[1] <= 1
    True
    """

    classes_: np.ndarray

    def __init__(
        self,
        learners: Any,
        *,
        grid: Mapping[str, Any] | None = None,
        loss: Any = None,
        metrics: Any = None,
        estimators: Any = None,
        kfold: Mapping[str, Any] | None = None,
        select: Mapping[str, Any] | None = None,
        task: str | None = None,
        seed: int = 19,
        level: float = 0.95,
        cores: int = 1,
        options: Mapping[str, Any] | None = None,
    ):
        self.learners = learners
        self.grid = grid
        self.loss = loss
        self.metrics = metrics
        self.estimators = estimators
        self.kfold = kfold
        self.select = select
        self.task = task
        self.seed = seed
        self.level = level
        self.cores = cores
        self.options = options

    # --- fitting ------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Tune, select, estimate, and fit the selected model to all rows.

        Parameters
        ----------
        X
            Rows: numbers, with NaN where one is missing, or a DataFrame with columns of any kind.
        y
            Labels or numbers.
        groups
            Rows of a group always stay together.
        sample_weight
            The weights of rows, in fits and in every mean.

        Returns
        -------
        NestedCV
            Itself, fitted.
        """
        task = self._task()
        given = Arrays.of(self, X, y, groups, sample_weight)
        if task == CLASSIFICATION:
            check_classification_targets(given.target)
            if len(np.unique(given.target)) < 2:
                raise CannotFitError("y has one class only: nothing to learn")
        try:
            found = evaluate(
                given.frame,
                given.names.target,
                self._learners(),
                cores=self.cores,
                progress=False,
                **self._keys(given, task),
            )
        except HeldoutError as error:
            raise CannotFitError(str(error)) from error
        return self._remember(found, given)

    def _task(self) -> str | None:
        if self.task not in (None, *KINDS):
            raise CannotFitError(f"task: expected one of {', '.join(KINDS)}, found {self.task!r}")
        kind = self._estimator_type()
        return next((task for task, one in KINDS.items() if one == kind), None)

    def _learners(self) -> Any:
        if self.grid is None:
            return self.learners
        if not (isinstance(self.learners, str) or is_estimator(self.learners)):
            raise CannotFitError(
                "grid: is for a single learner; give each learner its own grid: {estimator: …, grid: …}"
            )
        return {"estimator": self.learners, "grid": self.grid}

    def _keys(self, given: Arrays, task: str | None) -> dict[str, Any]:
        """The keys of the task in the config."""
        loss = self.loss if self.loss is not None or task is None else LOSSES[task]
        named = {
            "loss": loss,
            "metrics": self.metrics,
            "estimators": self.estimators,
            "kfold": self.kfold,
            "select": self.select,
            "groups": given.names.groups,
            "weights": given.names.weights,
            "types": given.types or None,
            "missing_target": "refuse",
        }
        keys = {key: value for key, value in named.items() if value is not None}
        return {**keys, "seed": self.seed, "level": self.level, **(self.options or {})}

    def _remember(self, found: Evaluation, given: Arrays) -> Self:
        row = found.headline
        self.results_ = found
        self.best_estimator_, self.best_learner_ = found.model, found.selection["learner"]
        self.best_params_ = found.selection["theta"]
        self.risk_ = None if row is None else row["risk"]
        ends = None if row is None else (row["ci_low"], row["ci_high"])
        self.interval_ = None if ends is None or None in ends else ends
        self._columns = list(given.columns)
        if hasattr(self, "classes_"):
            del self.classes_
        if found.classes is not None:
            self.classes_, self._order = class_order(given, found.facts["schema"])
        return self

    # --- predicting ---------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The label or number of each row, by the selected model."""
        said = self._said(X)
        return said.value if said.label is None else self.classes_[self._order[said.label]]  # type: ignore[return-value]

    @_if_given("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of `classes_`."""
        said = self._said(X)
        assert said.proba is not None
        return said.proba[:, np.argsort(self._order)]

    @_if_given("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision value of each row; of more than two classes, one for each, in the order of `classes_`."""
        said = self._said(X)
        assert said.decision is not None
        if said.decision.ndim == 1:
            return said.decision if self._order[0] == 0 else -said.decision
        return said.decision[:, np.argsort(self._order)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right labels, or R², as in scikit-learn. What to expect of new rows is in `risk_`."""
        judge = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))

    def _said(self, X: Any) -> Predictions:
        check_is_fitted(self)
        return self.results_.model.predictions(frame_of(self, X, self._columns))

    # --- what scikit-learn asks ---------------------------------------------------------------

    def __sklearn_tags__(self) -> Tags:
        """What it is depends on its task, loss and learners."""
        tags = super().__sklearn_tags__()
        kind = self._estimator_type()
        of = self._known_tags(kind)
        tags.estimator_type = kind
        tags.classifier_tags = (
            of.classifier_tags if of and kind == "classifier" else tags.classifier_tags
        )
        tags.regressor_tags = (
            of.regressor_tags if of and kind == "regressor" else tags.regressor_tags
        )
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        return tags

    def _known_tags(self, kind: str | None) -> Tags | None:
        from sklearn.dummy import DummyClassifier, DummyRegressor

        plain = {"classifier": DummyClassifier(), "regressor": DummyRegressor()}
        found = plain.get(kind or "")
        return None if found is None else get_tags(found)

    def _estimator_type(self) -> str | None:
        """`classifier` or `regressor`, as far as it is known before the target is."""
        if self.task in KINDS:
            return KINDS[self.task]
        by_loss = None if self.loss is None else classification_of(self.loss)
        if by_loss is not None:
            return KINDS[CLASSIFICATION if by_loss else REGRESSION]
        several = self.learners
        if isinstance(several, Mapping) and not {"estimator", "steps"} & set(several):
            several = list(several.values())
        listed = several if isinstance(several, list | tuple) else [several]
        return next((kind for kind in map(_type_of, listed) if kind), None)


def _type_of(learner: Any) -> str | None:
    """What a learner is for, if it is not for both."""
    made = learner.get("estimator") if isinstance(learner, Mapping) else learner
    if is_estimator(made):
        found = get_tags(made).estimator_type if hasattr(made, "__sklearn_tags__") else None
        return found if found in KINDS.values() else None
    if made in short_names():
        entry = entry_for(made, "learners")
        pair = {"classifier": entry.classifier, "regressor": entry.regressor}
        known = [kind for kind, path in pair.items() if path]
        return known[0] if len(known) == 1 else None
    return None
