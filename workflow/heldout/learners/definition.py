"""The part of a learner that its fits depend on, without grid, defaults and messages.

The numeric code imports this module, so the key of every cell depends on it. Standard library only.
"""

from dataclasses import dataclass
from typing import Any

FEATURES = "features"
"""The hyper-parameter whose values are lists of columns."""


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
    """

    name: str
    classifier: str | None
    regressor: str | None
    params: dict[str, Any]
    scale: bool
    polynomial: bool
    source: str = ""
    native: bool = False

    def path(self, classification: bool) -> str | None:
        """The import path of the estimator for this kind of target; None if there is none."""
        return self.classifier if classification else self.regressor
