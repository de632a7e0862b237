"""Which values of a hyper-parameter are simpler: only numbers, and None, have an order."""

from typing import Any

import pandas as pd
import pytest

import heldout
from heldout.errors import HeldoutError
from heldout.learners.learner import define


def simpler(**block: Any) -> dict[str, str]:
    return define("mine", block).simpler


def test_the_catalogues_order_is_for_numbers() -> None:
    known = simpler(estimator="forest", grid={"max_features": [0.3, 0.5, None]})
    assert known["max_features"] == "smaller"
    for axis in (["sqrt", 0.3], {"random": {"choice": [0.3, "log2"]}, "n": 2}):
        others = simpler(estimator="forest", grid={"max_features": axis, "n_estimators": [5, 9]})
        assert others == {one: way for one, way in known.items() if one != "max_features"}
    drawn = {"random": {"max_features": {"choice": ["sqrt", 3]}}, "n": 2}
    assert "max_features" not in simpler(estimator="forest", grid=drawn)
    steps = simpler(steps=["prepare", "forest"], grid={"forest__max_features": ["sqrt", 3]})
    assert "max_features" not in steps


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"estimator": "forest", "grid": {"max_features": [3, "sqrt"]},
          "simpler": {"max_features": "smaller"}}, "learners.mine.simpler.max_features: 'sqrt' in its grid"),
        ({"steps": ["prepare", "svm"], "grid": {"svm__gamma": ["scale", 1]},
          "simpler": {"gamma": "smaller"}}, "simpler.gamma: 'scale' in its grid is no number"),
        ({"steps": ["prepare", "svm"], "grid": {"svm__gamma": ["scale", 1]},
          "simpler": {"svm__gamma": "smaller"}}, "simpler.svm__gamma: 'scale'"),
        ({"estimator": "ridge", "grid": {"features": [["a"], ["a", "b"]]},
          "simpler": {"features": "smaller"}}, "leave 'features' out of simpler"),
    ],
)  # fmt: skip
def test_what_has_no_order_is_refused(block: dict[str, Any], said: str) -> None:
    with pytest.raises(HeldoutError, match=said):
        define("mine", block)


@pytest.mark.parametrize("rule", ["min", "one_se", "confidence_set"])
def test_a_grid_of_words_and_numbers_is_chosen_from(rule: str) -> None:
    """As forests are tuned: max_features of sqrt, or a share."""
    table = pd.DataFrame({"a": range(40), "b": [1, 5, 2, 4] * 10, "y": ["no", "yes"] * 20})
    grid = {"max_features": ["sqrt", 0.5, None], "n_estimators": [5]}
    forest = {"estimator": "forest", "grid": grid}
    found = heldout.evaluate(table, "y", {"rf": forest}, select={"by": "kfold", "rule": rule})
    assert found.selection["theta"]["max_features"] in grid["max_features"]
