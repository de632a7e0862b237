"""A loss of the user's own: what it gets, what is declared about it, and what it may not return."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions

LABELS = Predictions(
    label=np.array([0, 1, 1]), proba=np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
)
TARGET = np.array([0, 1, 0])
CLASSES = ["no", "yes"]


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("mine")
    monkeypatch.setitem(sys.modules, "mine", module)
    return module


def made(mine: Any, function: Any, classes: Any = CLASSES, **settings: Any) -> Any:
    mine.f = function
    return loss_for(LossSpec("mine.f", settings, "digest"), classes)


def test_classes_are_given_as_the_labels_of_the_table(mine: Any) -> None:
    def late(target: Any, label: Any) -> Any:
        assert target.tolist() == ["no", "yes", "no"]
        assert label.tolist() == ["no", "yes", "yes"]
        return 2.0 * (target != label)

    loss = made(mine, late)
    assert (loss.name, loss.needs, loss.bound, loss.negative) == ("mine.f", "label", None, True)
    assert loss.carriers is None, "sums of squares say nothing where losses may be negative"
    assert loss(TARGET, LABELS).tolist() == [0.0, 0.0, 2.0]


def test_a_class_that_only_sealed_rows_have_is_none(mine: Any) -> None:
    loss = made(mine, lambda target, _: [one is None for one in target])
    assert loss(np.array([0, 2, 1]), LABELS).tolist() == [0.0, 1.0, 0.0]


def test_probabilities_come_as_they_are(mine: Any) -> None:
    loss = made(mine, lambda target, proba: proba[:, 1] * (target == "no"), needs="proba", bound=1)
    assert (loss.needs, loss.bound, loss.negative, loss.carriers) == ("proba", 1.0, False, 20.0)
    assert loss(TARGET, LABELS) == pytest.approx([0.1, 0.0, 0.6])


def test_attributes_of_the_function_count_unless_the_config_says_otherwise(mine: Any) -> None:
    def score(target: Any, label: Any) -> Any:
        return (target == label) + 0.0

    score.greater_is_better = True  # type: ignore[attr-defined]
    score.needs = "proba"  # type: ignore[attr-defined]
    assert made(mine, score).needs == "proba"
    loss = made(mine, score, needs="label")
    assert loss(TARGET, LABELS).tolist() == [-1.0, -1.0, 0.0]
    assert made(mine, score, needs="label", greater_is_better=False)(TARGET, LABELS).sum() == 2


def test_numbers(mine: Any) -> None:
    loss = made(mine, lambda target, value: target - value, classes=None)
    assert loss.needs == "value"
    found = loss(np.array([1.0, 2.0]), Predictions(value=np.array([3.0, 1.0])))
    assert found.tolist() == [-2.0, 1.0]


def raises(*_: Any) -> Any:
    raise KeyError("colour")


WRONG = {
    "raises": (raises, {}, "mine.f gives KeyError: 'colour'"),
    "one number": (lambda *_: 0.5, {}, "a number for each of 3 examples, and returns one number"),
    "too many": (lambda *_: np.zeros(4), {}, "and returns an array of shape (4,)"),
    "a matrix": (lambda *_: np.zeros((3, 1)), {}, "and returns an array of shape (3, 1)"),
    "texts": (lambda *_: ["a", "b", "c"], {}, "mine.f gives ValueError"),
    "NaN": (lambda *_: [0, np.nan, 0], {}, "mine.f returns nan for an example"),
    "infinite": (lambda *_: [0, 0, np.inf], {}, "mine.f returns inf for an example"),
    "above its bound": (lambda *_: [0, 0, 3], {"bound": 2}, "returns 3, and its bound says 0 to 2"),
    "below zero": (lambda *_: [0, -1, 3], {"bound": 4}, "returns -1, and its bound says 0 to 4"),
}


@pytest.mark.parametrize(("function", "settings", "message"), WRONG.values(), ids=WRONG)
def test_what_it_may_not_return(mine: Any, function: Any, settings: Any, message: str) -> None:
    loss = made(mine, function, **settings)
    with pytest.raises(HeldoutError) as error:
        loss(TARGET, LABELS)
    assert message in str(error.value)


WRONG_OF_SETS = {
    "raises": (raises, {}, "mine.f gives KeyError: 'colour'"),
    "a number for each example": (
        lambda *_: np.zeros(3), {}, "one number for a set (per: set), and returns an array of shape (3,)",
    ),
    "a text": (lambda *_: "a", {}, "mine.f gives ValueError"),
    "nothing": (lambda *_: None, {}, "mine.f returns nan for a set of 3 examples"),
    "NaN": (lambda *_: np.nan, {}, "mine.f returns nan for a set of 3 examples"),
    "infinite": (lambda *_: np.inf, {}, "mine.f returns inf for a set of 3 examples"),
    "above its bound": (lambda *_: 3, {"bound": 2}, "a risk of 3, and its bound says 0 to 2"),
    "above its optimum": (
        lambda *_: 1.5, {"bound": 1, "greater_is_better": True, "optimum": 1}, "a risk of -0.5, and its bound",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("function", "settings", "message"), WRONG_OF_SETS.values(), ids=WRONG_OF_SETS
)
def test_what_a_function_of_sets_may_not_return(
    mine: Any, function: Any, settings: Any, message: str
) -> None:
    loss = made(mine, function, per="set", **settings)
    for call in (loss.risk, loss):
        with pytest.raises(HeldoutError) as error:
            call(TARGET, LABELS)
        assert message in str(error.value)
        assert "\n" not in str(error.value)


def test_a_function_of_sets_that_is_not_declared_as_one_is_told_how(mine: Any) -> None:
    with pytest.raises(HeldoutError, match=r"returns one number \(declare per: set\)"):
        made(mine, lambda *_: 0.5)(TARGET, LABELS)


def test_a_function_of_sets(mine: Any) -> None:
    """Its risk is optimum − value where greater is better; influences by the jackknife."""

    def share(target: Any, label: Any) -> float:
        return float((target == label).mean())

    loss = made(mine, share, per="set", greater_is_better=True, optimum=1.0, bound=1)
    assert loss.risk(TARGET, LABELS) == pytest.approx(1 / 3)
    assert loss.score(loss.risk(TARGET, LABELS)) == pytest.approx(2 / 3)
    without = np.array([1 / 2, 1 / 2, 0.0])  # the risk without each row
    expected = 1 / 3 + np.sqrt(6) * (without.mean() - without)
    assert loss(TARGET, LABELS) == pytest.approx(expected)
    share.per = "set"  # type: ignore[attr-defined]
    assert made(mine, share).risk(TARGET, LABELS) == pytest.approx(2 / 3), (
        "declared by an attribute"
    )
    with pytest.raises(HeldoutError, match="takes no weights"):
        loss.risk(TARGET, LABELS, np.ones(3))
    with pytest.raises(HeldoutError, match=r"says per: 'row'; use example or set"):
        made(mine, share, per="row")


def needs_both(target: Any, label: Any) -> float:
    return float(np.mean([(label[target == one] == one).mean() for one in CLASSES]))


def test_without_the_only_row_of_a_class_nothing_is_known_of_its_influence(mine: Any) -> None:
    def strict(target: Any, label: Any) -> float:
        if set(target) != set(CLASSES):
            raise ValueError("one class only")
        return needs_both(target, label)

    loss = made(mine, strict, per="set")
    found = loss(np.array([0, 0, 1]), LABELS)
    risk = loss.risk(np.array([0, 0, 1]), LABELS)
    assert found[2] == pytest.approx(risk), "no influence"
    assert found.mean() == pytest.approx(risk)
    assert found[0] != found[1]


def test_without_any_other_row_it_must_be_defined(mine: Any) -> None:
    def two_at_least(target: Any, _: Any) -> float:
        return 0.5 if (target == "no").sum() > 1 else 1 / 0

    with pytest.raises(HeldoutError, match="ZeroDivisionError"):
        made(mine, two_at_least, per="set")(TARGET, LABELS)


def test_at_its_bounds_it_is_right(mine: Any) -> None:
    assert made(mine, lambda *_: [0, 1, 2], bound=2)(TARGET, LABELS).tolist() == [0.0, 1.0, 2.0]


def test_what_cannot_be_used(mine: Any) -> None:
    with pytest.raises(HeldoutError, match="no_such_name cannot be imported: AttributeError"):
        loss_for(LossSpec("mine.no_such_name", {}, "digest"), CLASSES)
    with pytest.raises(HeldoutError, match=r"mine\.f is no function"):
        made(mine, 3)
    with pytest.raises(HeldoutError, match="needs 'proba', and the target has numbers: use value"):
        made(mine, len, classes=None, needs="proba")
    with pytest.raises(
        HeldoutError, match="needs 'value', and the target has classes: use label or"
    ):
        made(mine, len, needs="value")
