"""scikit-learn's own check of parameter values, which it otherwise makes when it fits."""

from typing import Any


def validate(estimator: Any) -> None:
    """Raise ValueError for a value that the estimator would refuse when it is fitted.

    Estimators without such a check, of other packages for instance, pass.
    """
    if hasattr(estimator, "_parameter_constraints") and hasattr(estimator, "_validate_params"):
        estimator._validate_params()
