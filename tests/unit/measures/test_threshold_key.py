"""The key `threshold`: what it may hold, and what θ becomes."""

from typing import Any

import pytest
import yaml

from heldout.errors import HeldoutError
from heldout.execution.study import Study
from heldout.measures.thresholds import TUNED, thresholds_of, with_thresholds, without_threshold


def study(task: str, learners: str = "") -> Study:
    text = f"""
tasks:
  p: {{data: d.csv, target: y, learners: [knn], {task}}}
learners: {{{learners}}}
"""
    return Study(yaml.safe_load(text))


def test_tune_tries_fixed_values_with_one_half_among_them() -> None:
    assert thresholds_of("tune", "threshold") == sorted(set(TUNED))
    assert 0.5 in TUNED
    assert sorted(round(1 - one, 9) for one in TUNED) == sorted(TUNED)


def test_the_thresholds_of_a_theta_follow_each_other() -> None:
    thetas: list[dict[str, Any]] = [{"C": 1}, {"C": 2}]
    found = with_thresholds(thetas, [0.2, 0.4])
    assert [one["C"] for one in found] == [1, 1, 2, 2]
    assert [without_threshold(one) for one in found[::2]] == thetas
    assert with_thresholds(thetas, []) == thetas


@pytest.mark.parametrize("given", ["0.3", "[0.3]", "1e-3", "tune", "[0.1, 2e-1]"])
def test_what_is_accepted(given: str) -> None:
    assert study(f"loss: f1, threshold: {given}").task("p").thresholds


@pytest.mark.parametrize(
    "loss",
    [
        *(
            "f1",
            "balanced_accuracy",
            "youden",
            "precision",
            "recall",
            "zero_one",
            "accuracy",
            "null",
        ),
        *("{fbeta: 2}", "{precision_at_recall: 0.9}", "{costs: {a: {b: 2}, b: {a: 1}}}"),
        "{function: statistics.mean, needs: label}",
        "statistics.mean",
    ],
)
def test_measures_of_labels_are_accepted(loss: str) -> None:
    assert study(f"loss: {loss}, threshold: tune").task("p").thresholds == list(TUNED)


BAD = {
    "a word": ("threshold: tuned", "tasks.p.threshold: should be 'tune', a number or a list"),
    "true": ("threshold: true", "tasks.p.threshold: should be 'tune', a number or a list"),
    "a text in a list": ("threshold: [0.1, a]", "tasks.p.threshold: should be 'tune', a number"),
    "above 1": ("threshold: 1.5", "tasks.p.threshold: should lie between 0 and 1, found 1.5"),
    "0": ("threshold: [0, 0.5]", "tasks.p.threshold: should lie between 0 and 1, found 0"),
    "1": ("threshold: 1", "tasks.p.threshold: should lie between 0 and 1, found 1"),
    "nan": ("threshold: .nan", "tasks.p.threshold: should lie between 0 and 1, found nan"),
    "twice": ("threshold: [0.2, 0.5, 0.2]", "tasks.p.threshold: 0.2 is listed twice"),
    "none": ("threshold: []", "tasks.p.threshold: the list is empty; write tune"),
    "regression": ("loss: squared, threshold: tune", "changes labels only, and the loss 'squared'"),
    "pinball": ("loss: {quantile: 0.9}, threshold: tune", "labels only, and the loss 'quantile'"),
    "auc": ("loss: roc_auc, threshold: tune", "labels only, and the loss 'roc_auc' is not computed"),
    "cross-entropy": ("loss: neg_log_loss, threshold: 0.2", "and the loss 'neg_log_loss'"),
    "a scorer of probabilities": ("loss: d2_log_loss_score, threshold: 0.2", "labels only"),
    "a function of probabilities": (
        "loss: {function: statistics.mean, needs: proba}, threshold: 0.2",
        "labels only, and the loss 'statistics.mean'",
    ),
    "a scan": (
        "select: {rule: first_local_min}, estimators: [kfold], threshold: tune",
        "tasks.p.threshold: first_local_min scans one ordered hyper-parameter",
    ),
    "an audit": (
        "loss: f1, audit: {replicates: 4}, threshold: tune",
        "tasks.p.threshold: an audit does not try thresholds; leave out audit or threshold",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("task", "message"), BAD.values(), ids=BAD)
def test_what_is_refused_while_the_config_is_read(task: str, message: str) -> None:
    with pytest.raises(HeldoutError) as error:
        study(task)
    assert message in str(error.value)
    assert str(error.value).count("tasks.p.threshold") == 1


@pytest.mark.parametrize(
    "block",
    [
        "params: {threshold: 0.3}",
        "grid: {threshold: [0.3, 0.4]}",
        "grid: {random: {threshold: {uniform: [0, 1]}}, n: 3}",
    ],
)
def test_a_learner_with_a_threshold_of_its_own_is_refused(block: str) -> None:
    path = "sklearn.model_selection.FixedThresholdClassifier"
    with pytest.raises(HeldoutError, match="learner 'knn' has a parameter 'threshold' of its own"):
        study("loss: f1, threshold: tune", f"knn: {{estimator: {path}, {block}}}")
    assert study("loss: f1", f"knn: {{estimator: {path}, {block}}}").task("p").thresholds == []


def test_too_many_thresholds_are_refused() -> None:
    many = [(i + 1) / 20_001 for i in range(20_000)]
    grid = "knn: {estimator: knn, grid: {n_neighbors: {range: [1, 7]}}}"
    with pytest.raises(HeldoutError, match="values of θ with thresholds; the limit is 100000"):
        study(f"loss: f1, threshold: {many}", grid)
