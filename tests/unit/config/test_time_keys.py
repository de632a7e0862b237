"""`time` changes defaults, and refuses what takes rows as exchangeable, with the reason."""

import pytest
from test_config import config, message_of

from heldout.execution.study import Study
from heldout.resampling.kinds import FULL, RECENT

EXCHANGEABLE = [
    *("kfold", "kfold_adjusted", "loo", "montecarlo", "bootstrap"),
    *("min_cv", "nested_cv", "nested_dev"),
]


def test_the_smallest_config_in_time_works():
    task = Study(config("time: day")).config.tasks["p"]
    assert task.estimators == ["training", "holdout", "rolling", "nested_rolling", "test"]
    assert (task.select.by, task.rolling.blocks, task.rolling.gap) == ("rolling", 10, 0)


def test_other_keys_of_select_keep_the_default():
    task = Study(config("time: day, select: {rule: one_se}")).config.tasks["p"]
    assert (task.select.by, task.select.rule) == ("rolling", "one_se")


def test_without_time_defaults_are_as_before():
    task = Study(config()).config.tasks["p"]
    assert task.select.by == "kfold"
    assert "rolling" not in task.estimators


def test_a_window_changes_what_the_final_model_is_trained_on():
    plain, windowed = (
        Study(config(f"time: day, rolling: {{{more}}}")).task("p")
        for more in ("gap: 1", "window: 3")
    )
    assert (plain.full, plain.final_splits) == (FULL, [])
    assert (windowed.full, windowed.final_splits) == (RECENT, ["rolling"])
    assert FULL not in windowed.kinds()


@pytest.mark.parametrize("name", EXCHANGEABLE)
def test_what_takes_rows_as_exchangeable_is_refused(name):
    found = message_of(config(f"time: day, estimators: [training, {name}, test]"))
    assert f"tasks.p.estimators: {name} takes rows as exchangeable" in found
    assert "later than those they predict" in found


@pytest.mark.parametrize("by", ["kfold", "loo", "montecarlo", "bootstrap"])
def test_selection_by_them_too(by):
    found = message_of(config(f"time: day, select: {{by: {by}}}, estimators: [rolling]"))
    assert f"tasks.p.select.by: {by} takes rows as exchangeable" in found


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("time: day, kfold: {column: fold}", "kfold.column: folds of your own take rows as"),
        ("time: day, audit: {}", "audit: an audit draws rows at random"),
        ("time: day, select: {rule: confidence_set}", "select.rule: the confidence set takes rows"),
        ("time: y", "time: 'y' is the column of tasks.p.target too"),
        ("time: w, weights: w", "time: 'w' is the column of tasks.p.weights too"),
        ("rolling: {blocks: 5}", "rolling: is for rows in time order; name their column: time"),
        ("estimators: [rolling]", "estimators: rolling is for rows in time order"),
        (
            "select: {by: rolling}, estimators: [test]",
            "select.by: rolling is for rows in time order",
        ),
        (
            "time: day, rolling: {gap: 7 days}",
            "rolling.gap: '7 days' is neither blocks (2) nor time",
        ),
        ("time: day, rolling: {window: 0d}", "rolling.window: holds no time"),
        ("time: day, rolling: {blocks: 4, gap: 3}", "rolling.gap: 3 of 4 blocks leave none"),
        ("time: day, rolling: {gap: -1}", "rolling.gap"),
        ("time: day, rolling: {block: 3}", "did you mean 'blocks'"),
        ("time: day, select: {by: holdout}", "another procedure would be rated"),
    ],
)
def test_contradictions_are_refused(more, message):
    assert message in message_of(config(more))


def test_holdout_may_choose_where_nothing_is_nested():
    assert Study(config("time: day, select: {by: holdout}, estimators: [training, holdout, test]"))
