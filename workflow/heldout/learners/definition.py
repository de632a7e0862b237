"""The part of a learner that its fits depend on, without grid, defaults and messages.

The numeric code imports this module, so the key of every cell depends on it. Standard library only.
"""

from dataclasses import dataclass, field
from typing import Any

FEATURES = "features"
"""The hyper-parameter whose values are lists of columns."""
MAKE, TAKE = "make", "take"
"""The keys of objects among parameters: an estimator that is made, a function that is taken."""
FORESTS = tuple(
    f"sklearn.ensemble.{name}"
    for name in (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    )
)
"""scikit-learn's forests: each tree is grown apart from the others, from a seed of its own."""
TAKE_COLUMNS = ("lightgbm.", "xgboost.", "catboost.")
"""Libraries whose estimators take columns as they are, categories and missing values too."""


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A family of algorithms {A_θ}: which estimator, with which fixed parameters.

    Parameters
    ----------
    name
        The learner's name in the config.
    classifier, regressor
        Import paths of the estimator for classes and for numbers; None if it has none.
    params
        Fixed parameters of the estimator and of the steps before it.
    scale
        Whether numbers are standardised.
    polynomial
        Whether polynomial features are made before the model.
    native
        Whether the estimator itself knows missing values and categories: they are neither replaced nor made
        columns of 0 and 1, unless `scale` is on.
    source
        The version, or the digest of the code, of an estimator that is not scikit-learn's own.
    steps
        The user's Pipeline in canonical form (`learners.steps`): the steps before the model, and last
        the model's name. Empty for a learner that is an estimator alone.
    calibrate
        How probabilities are calibrated: sigmoid or isotonic; None if they are not.
    target
        What the target is transformed by before the fit, and back after it: log or log1p; or None.
    threads
        How many threads a fit may use. No number depends on it, and no key.
    made
        The user's own estimator, of which every fit gets a clone; None if it is made from its import path. Only in
        memory: no file and no key of a cell holds it.
    """

    name: str
    classifier: str | None
    regressor: str | None
    params: dict[str, Any]
    scale: bool
    polynomial: bool
    source: str = ""
    native: bool = False
    steps: list[dict[str, Any]] = field(default_factory=list)
    calibrate: str | None = None
    target: str | None = None
    threads: int = 1
    made: Any = None

    def takes_columns(self, classification: bool) -> bool:
        """Whether the estimator takes columns as they are."""
        return (self.path(classification) or "").startswith(TAKE_COLUMNS)

    def composed(self, classification: bool) -> bool:
        """Whether the learner is more than heldout's preprocessing and an estimator."""
        more = self.steps or self.calibrate or self.target
        return bool(more) or self.takes_columns(classification)

    def path(self, classification: bool) -> str | None:
        """The import path of the estimator for this kind of target; None if there is none."""
        return self.classifier if classification else self.regressor
