"""Classes that follow scikit-learn's conventions loosely work, or fail with one clear line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mixed_table import TRAIN, outcomes_of, predictions_of, table_for

from heldout.cells.plan import columns_of
from heldout.cells.preflight import checked_builder
from heldout.learners.learner import define

WORK = ["AsColumn", "AsList", "AsFloats", "AsTexts", "Changing", "Singles", "Backwards"]


def block_of(name: str, steps: bool) -> dict[str, Any]:
    path = f"loose_models.{name}"
    return {"steps": ["prepare", path]} if steps else {"estimator": path}


@pytest.mark.parametrize("steps", [True, False])
@pytest.mark.parametrize("name", WORK)
def test_they_predict_what_the_plain_class_predicts(tmp_path: Path, name: str, steps: bool) -> None:
    table = table_for(tmp_path, "label")
    learner = define("mine", block_of(name, steps))
    assert checked_builder(learner, columns_of(table), [{}], "proba")
    expected = predictions_of(table, block_of("Nearest", steps))
    found = predictions_of(table, block_of(name, steps))
    np.testing.assert_array_equal(found.label, expected.label)
    np.testing.assert_array_equal(found.proba, expected.proba)
    assert found.proba.dtype == np.float64
    assert found.decision is None


@pytest.mark.parametrize("steps", [True, False])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PlusMinus", r"PlusMinus\.predict returns int64 values of shape \(30,\), such as"),
        (
            "TwoColumns",
            r"TwoColumns\.predict_proba returns no probabilities: a row is \[0.0, 0.0\]",
        ),
        ("Scores", r"Scores\.predict_proba returns no probabilities: a row is \[.*3.0"),
        ("Negative", r"Negative\.predict_proba returns no probabilities: a row is \[.*-0.66"),
        ("OfOneClass", r"OfOneClass\.predict_proba returns values of shape \(30,\); expected 30"),
        ("TooFew", r"TooFew\.predict returns values of shape \(29,\) for 30 rows"),
        ("OtherClasses", r"OtherClasses\.classes_ is \[-1, 0, 1\]; expected the labels"),
    ],
)
def test_wrong_labels_are_never_taken_for_others(
    tmp_path: Path, name: str, message: str, steps: bool
) -> None:
    with pytest.raises(ValueError, match=message):
        outcomes_of(table_for(tmp_path, "label"), block_of(name, steps))


def test_a_step_needs_no_more_than_fit_and_transform(tmp_path: Path) -> None:
    table = table_for(tmp_path, "label")
    [outcome] = outcomes_of(
        table, {"steps": ["prepare", "loose_models.Centred", "knn"], "grid": {}}
    )
    assert len(outcome.predictions.label) == table.n - TRAIN


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "WithoutMissing",
            r"step 'withoutmissing' gives \(\d+, 6\) for 30 rows; a step before the",
        ),
        ("Sorted", "step 'sorted' gives rows with another index than it was given"),
        ("Nothing", "step 'nothing' gives NoneType for 60 rows"),
    ],
)
def test_a_step_keeps_all_rows_in_their_order(tmp_path: Path, name: str, message: str) -> None:
    block = {"steps": [f"loose_models.{name}", "prepare", "ridge"], "grid": {"alpha": [1]}}
    with pytest.raises(ValueError, match=message):
        outcomes_of(table_for(tmp_path, "score"), block)


def test_numbers_that_are_not_one_for_each_row(tmp_path: Path) -> None:
    message = (
        r"TooFew\.predict returns values of shape \(29,\); expected a number for each of 30 rows"
    )
    with pytest.raises(ValueError, match=message):
        outcomes_of(table_for(tmp_path, "score"), block_of("TooFew", steps=True))
