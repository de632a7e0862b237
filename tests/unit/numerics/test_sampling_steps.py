"""Sampling steps give what an imbalanced-learn Pipeline gives: they act in training only."""

from pathlib import Path

import numpy as np
from by_hand import COLUMNS, LOGISTIC, by_columns
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline
from mixed_table import SEED, outcomes_of, split, table_for
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

SMOTE_STEP = {"step": "smote", "params": {"k_neighbors": 2}}


def model() -> LogisticRegression:
    return LogisticRegression(C=1.0, **LOGISTIC)


def test_smote_after_preprocessing(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    block = {"steps": [COLUMNS, SMOTE_STEP, "logistic"], "grid": {"C": [1.0]}}
    train, target, held = split(table)
    sampler = SMOTE(k_neighbors=2, random_state=SEED)
    by_hand = make_pipeline(by_columns(), sampler, model()).fit(train, target)
    [outcome] = outcomes_of(table, block)
    expected = by_hand.predict_proba(held)
    np.testing.assert_allclose(outcome.predictions.proba, expected, rtol=0, atol=1e-10)
    again = outcome.model.predict_proba(held)
    np.testing.assert_allclose(again, expected, rtol=0, atol=1e-10)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=SEED).split(train, target))
    whole = make_pipeline(by_columns(), sampler, model())
    calibrated = CalibratedClassifierCV(whole, method="isotonic", cv=folds).fit(train, target)
    [outcome] = outcomes_of(table, {**block, "calibrate": "isotonic"})
    expected = calibrated.predict_proba(held)
    np.testing.assert_allclose(outcome.predictions.proba, expected, rtol=0, atol=1e-10)


def test_oversampling_of_whole_rows_to_shares_by_label(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    sample = {"step": "oversample", "params": {"sampling_strategy": {"yes": 40}}}
    block = {"steps": [sample, COLUMNS, "logistic"], "grid": {"C": [1.0]}}
    train, target, held = split(table)
    code = table.classes.index("yes")
    sampler = RandomOverSampler(sampling_strategy={code: 40}, random_state=SEED)
    by_hand = make_pipeline(sampler, by_columns(), model()).fit(train, target)
    [outcome] = outcomes_of(table, block)
    expected = by_hand.predict_proba(held)
    np.testing.assert_allclose(outcome.predictions.proba, expected, rtol=0, atol=1e-10)
