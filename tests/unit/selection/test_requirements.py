"""What a card says must be installed is what the model is made of."""

from importlib.metadata import version

from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import Pipeline
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV

from heldout.selection.requirements import requirements


def test_libraries_of_nested_estimators_are_listed() -> None:
    model = CalibratedClassifierCV(LGBMClassifier())
    found = requirements(Pipeline([("more", RandomOverSampler()), ("model", model)]), "{}")
    assert f"lightgbm=={version('lightgbm')}" in found
    assert f"imbalanced-learn=={version('imbalanced-learn')}" in found
    assert [one.partition("==")[0] for one in found[:2]] == ["heldout", "joblib"]


class OwnEstimator(RandomOverSampler):
    """Of a module that nobody can install."""


def test_modules_of_the_users_own_are_not_listed() -> None:
    assert len(requirements(OwnEstimator(), "{}")) == 2
