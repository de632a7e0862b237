"""`calibrate:` is a loop with CalibratedClassifierCV inside the training rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from by_hand import COLUMNS, by_columns
from mixed_table import SEED, TRAIN, outcomes_of, predictions_of, problem_of, split, table_for
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from heldout.numerics.engines import steps
from heldout.numerics.steps.calibration import TooFewError, inner_folds
from heldout.numerics.steps.prepare import Prepare


def kinds(table: Any) -> dict[str, str]:
    return {column["name"]: column["kind"] for column in table.facts["schema"]["columns"]}


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_the_whole_pipeline_is_fitted_in_each_inner_fold(tmp_path: Path, method: str) -> None:
    table = table_for(tmp_path, "label")
    block = {"steps": [COLUMNS, "svm"], "grid": {"C": [2.0]}, "calibrate": method}
    train, target, held = split(table)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=SEED).split(train, target))
    model = make_pipeline(by_columns(), SVC(C=2.0, random_state=SEED))
    by_hand = CalibratedClassifierCV(model, method=method, cv=folds).fit(train, target)
    said = predictions_of(table, block)
    np.testing.assert_allclose(said.proba, by_hand.predict_proba(held), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(said.label, by_hand.predict(held))


def test_around_the_model_of_a_short_name_weights_are_passed_on(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare", weights="weight")
    block = {"estimator": "sklearn.svm.LinearSVC", "calibrate": "sigmoid"}
    train, target, held = split(table)
    weights = table.weights[:TRAIN]
    prepare = Prepare(kinds(table), scale=True)
    rows = prepare.fit_transform(train, target, weights)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=SEED).split(rows, target))
    model = CalibratedClassifierCV(LinearSVC(random_state=SEED), cv=folds)
    model.fit(rows, target, sample_weight=weights)
    expected = model.predict_proba(prepare.transform(held))
    np.testing.assert_allclose(predictions_of(table, block).proba, expected, rtol=0, atol=1e-10)


def test_groups_stay_together(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare", groups="group")
    problem = problem_of(table, {"steps": ["prepare", "svm"], "calibrate": "sigmoid"})
    units = problem.units
    assert units is not None
    folds = inner_folds(problem.train_target, units, SEED)
    assert len(folds) == 5
    assert all(not set(units[train]) & set(units[test]) for train, test in folds)
    splitter = StratifiedGroupKFold(5, shuffle=True, random_state=SEED)
    by_hand = list(splitter.split(problem.train_target, problem.train_target, units))
    for one, other in zip(folds, by_hand, strict=True):
        np.testing.assert_array_equal(one[1], other[1])
    [outcome] = steps.run(problem, [{}])
    assert outcome.error is None


def test_a_small_class_gets_fewer_folds_and_a_single_row_none() -> None:
    target = np.repeat([0, 1], [20, 3])
    assert len(inner_folds(target, None, 1)) == 3
    assert len(inner_folds(np.repeat([0, 1], [20, 2]), None, 1)) == 2
    with pytest.raises(TooFewError, match="a class has fewer than two rows among 21 training rows"):
        inner_folds(np.repeat([0, 1], [20, 1]), None, 1)
    one_group = np.array([*range(20), 20, 20, 20])
    with pytest.raises(TooFewError, match="two groups"):
        inner_folds(target, one_group, 1)


def test_a_calibrated_model_keeps_no_rows(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    [outcome] = outcomes_of(table, {"estimator": "majority", "calibrate": "sigmoid"})
    assert outcome.model[-1].cv == 5
