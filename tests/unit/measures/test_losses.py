"""Losses: their means are scikit-learn's metrics, and each example has its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from heldout.errors import HeldoutError
from heldout.measures.registry import CLIP, LOSSES, loss_for, title_of
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions

CLASSES = st.integers(2, 5)
SEEDS = st.integers(0, 2**31 - 1)


def probabilities(rows, classes, seed):
    """Random rows that add up to one, some of them certain."""
    generator = np.random.default_rng(seed)
    proba = generator.dirichlet(np.full(classes, 0.5), size=rows)
    proba[generator.random(rows) < 0.2] = np.eye(classes)[0]
    return proba


def problem(classes, seed, rows=30):
    """All classes occur, as scikit-learn wants it."""
    generator = np.random.default_rng(seed)
    target = np.concatenate([np.arange(classes), generator.integers(classes, size=rows - classes)])
    return target, probabilities(rows, classes, seed)


@given(CLASSES, SEEDS)
def test_zero_one(classes, seed):
    target, proba = problem(classes, seed)
    predicted = Predictions(label=proba.argmax(axis=1).astype(np.uint8), proba=proba)
    losses = LOSSES["zero_one"](target, predicted)
    assert losses.mean() == pytest.approx(metrics.zero_one_loss(target, predicted.label), rel=1e-15)
    assert losses.tolist() == [float(y != c) for y, c in zip(target, predicted.label, strict=True)]


# Sums of 30 terms in another order: a few units in the last place.
ORDER = {"rel": 1e-13}


@given(CLASSES, SEEDS)
def test_cross_entropy(classes, seed):
    target, proba = problem(classes, seed)
    losses = LOSSES["cross_entropy"](target, Predictions(proba=proba))
    expected = metrics.log_loss(target, proba, labels=np.arange(classes))
    assert losses.mean() == pytest.approx(expected, **ORDER)
    assert losses.max() <= -np.log(CLIP)


@given(CLASSES, SEEDS)
def test_brier(classes, seed):
    target, proba = problem(classes, seed)
    losses = LOSSES["brier"](target, Predictions(proba=proba))
    expected = ((proba - np.eye(classes)[target]) ** 2).sum(axis=1)
    # p² − 2p + 1 for (1 − p)²: three roundings of numbers up to 1, where the sum may be near 0.
    assert losses == pytest.approx(expected, abs=1e-15)


@given(SEEDS)
def test_brier_of_two_classes_is_twice_the_usual_one(seed):
    target, proba = problem(2, seed)
    losses = LOSSES["brier"](target, Predictions(proba=proba))
    expected = metrics.brier_score_loss(target, proba[:, 1])
    assert losses.mean() == pytest.approx(2 * expected, **ORDER)


@given(SEEDS)
def test_squared_and_absolute(seed):
    generator = np.random.default_rng(seed)
    target, value = generator.normal(size=(2, 30))
    predicted = Predictions(value=value)
    squared = metrics.mean_squared_error(target, value)
    absolute = metrics.mean_absolute_error(target, value)
    assert LOSSES["squared"](target, predicted).mean() == pytest.approx(squared, **ORDER)
    assert LOSSES["absolute"](target, predicted).mean() == pytest.approx(absolute, **ORDER)


def test_a_class_that_training_never_saw_has_probability_zero():
    """Its code is one past the last, as `Target.encode` gives it to sealed rows."""
    predicted = Predictions(label=np.array([0]), proba=np.array([[0.25, 0.75]]))
    unknown = np.array([2])
    assert LOSSES["zero_one"](unknown, predicted).tolist() == [1.0]
    assert LOSSES["cross_entropy"](unknown, predicted).tolist() == [-np.log(CLIP)]
    assert LOSSES["brier"](unknown, predicted).tolist() == [0.25**2 + 0.75**2 + 1]


@given(CLASSES, SEEDS)
def test_bounds_hold(classes, seed):
    target, proba = problem(classes, seed)
    predicted = Predictions(label=proba.argmax(axis=1), proba=proba)
    for loss in LOSSES.values():
        if loss.bound is not None:
            losses = loss(target, predicted)
            assert losses.min() >= -1e-15  # brier: see above
            assert losses.max() <= loss.bound


def test_the_worst_prediction_reaches_the_bound():
    wrong = Predictions(label=np.array([1]), proba=np.array([[0.0, 1.0]]))
    for name in ("zero_one", "brier"):
        assert LOSSES[name](np.array([0]), wrong).tolist() == [LOSSES[name].bound]


@given(CLASSES, SEEDS)
def test_the_bound_of_the_scaled_brier_score(classes, seed):
    target, proba = problem(classes, seed)
    loss = loss_for(LossSpec("neg_brier_score"), list("abcde")[:classes])
    assert loss.bound == (1.0 if classes == 2 else 2.0)
    assert loss(target, Predictions(proba=proba)).max() <= loss.bound
    worst = Predictions(proba=np.eye(classes)[[1]])
    assert loss(np.array([0]), worst).tolist() == [loss.bound]


def test_costs_of_zero_and_one_are_counts_of_errors():
    assert costs({"yes": {"no": 1}, "no": {"yes": 1}}).binary
    assert costs({"yes": {"no": 1}, "no": {"yes": 0}}).binary
    assert costs({"yes": {"no": 1}, "no": {"yes": 1}}).carriers is None
    others = costs({"yes": {"no": 2}, "no": {"yes": 1}})
    assert not others.binary
    assert others.carriers == 20.0


def test_labels_of_a_small_type_do_not_wrap_around():
    predicted = Predictions(label=np.array([255], np.uint8))
    assert LOSSES["zero_one"](np.array([-1]), predicted).tolist() == [1.0]


def test_a_loss_says_what_it_lacks():
    with pytest.raises(ValueError, match="brier needs proba, which the learner does not give"):
        LOSSES["brier"](np.array([0]), Predictions(label=np.array([0])))


def test_defaults_follow_the_kind_of_target():
    assert loss_for(None, ["a", "b"]).name == "zero_one"
    assert loss_for(None, None).name == "squared"
    assert loss_for(LossSpec("absolute"), None).name == "absolute"


def costs(given, classes=("no", "yes")):
    return loss_for(LossSpec("costs", {"costs": given}), list(classes))


def test_costs():
    loss = costs({"yes": {"no": 5}, "no": {"yes": 1, "no": 0.25}})
    predicted = Predictions(label=np.array([0, 1, 0, 1]))
    assert loss(np.array([0, 0, 1, 1]), predicted).tolist() == [0.25, 1.0, 5.0, 0.0]
    assert loss.bound == 5.0
    unknown = loss(np.array([2]), Predictions(label=np.array([0])))
    assert unknown.tolist() == [5.0], "a class that training never saw is the dearest error"


@given(CLASSES, SEEDS)
def test_costs_of_one_are_zero_one(classes, seed):
    target, proba = problem(classes, seed)
    names = [f"c{i}" for i in range(classes)]
    ones = {a: {b: 1 for b in names if b != a} for a in names}
    predicted = Predictions(label=proba.argmax(axis=1))
    found = costs(ones, names)(target, predicted)
    assert found.tolist() == LOSSES["zero_one"](target, predicted).tolist()


def test_costs_by_truth_values():
    """YAML reads `yes` as true; a boolean target has the classes False and True."""
    loss = costs({"yes": {"no": 5}, "no": {"yes": 1}}, [False, True])
    assert loss.settings["matrix"].tolist() == [[0.0, 1.0], [5.0, 0.0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"yes": {"no": 5}}, "no cost for predicting 'yes' where 'no' is true"),
        ({"yes": {"noo": 5}}, "the target has no class 'noo'; did you mean 'no'?"),
        ({"maybe": {"no": 5}}, "the target has no class 'maybe'"),
    ],
)
def test_costs_must_fit_the_classes(given, message):
    with pytest.raises(HeldoutError, match=r"loss\.costs") as error:
        costs(given)
    assert message in str(error.value)


def test_costs_are_for_classes():
    with pytest.raises(
        HeldoutError, match="'costs' is for targets that are classes, and these are numbers"
    ):
        loss_for(LossSpec("costs", {"costs": {}}), None)


@given(SEEDS, st.floats(0.01, 0.99))
def test_pinball(seed, quantile):
    generator = np.random.default_rng(seed)
    target, value = generator.normal(size=(2, 30))
    loss = loss_for(LossSpec("quantile", {"quantile": quantile}), None)
    expected = metrics.mean_pinball_loss(target, value, alpha=quantile)
    assert loss(target, Predictions(value=value)).mean() == pytest.approx(expected, **ORDER)
    assert f"{quantile:g}-quantile" in loss.title


def test_names_for_pages_of_several_tasks():
    assert title_of(None, True)[0] == "zero_one"
    assert title_of(LossSpec("costs", {"costs": {}}), True) == ("costs", "cost of errors")
    assert title_of(LossSpec("mine.f", {}, "digest"), False) == ("mine.f", "mine.f")


def test_limits_beyond_which_no_interval_holds():
    """Chosen by simulation: see check H017, and `registry.CARRIERS`."""
    assert {name: loss.heavy for name, loss in LOSSES.items() if loss.heavy} == dict.fromkeys(
        ("squared", "absolute", "quantile"), 4.0
    )
    assert {name: loss.carriers for name, loss in LOSSES.items() if loss.carriers} == dict.fromkeys(
        ("cross_entropy", "brier", "neg_brier_score", "costs"), 20.0
    )
