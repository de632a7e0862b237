"""Cells whose labels are decided by a threshold: read once, and changed in nothing else."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.estimates import thresholds
from heldout.estimates.thresholds import ThresholdedCells, decided
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

SHARES = np.linspace(0, 1, 11)


def said(shift: float = 0.0) -> Predictions:
    """The second class with probabilities 0, 0.1, …, 1."""
    second = np.clip(SHARES + shift, 0, 1)
    proba = np.column_stack([1 - second, second])
    return Predictions(label=(second > 0.5).astype(np.uint8), proba=proba, decision=second - 0.5)


@dataclass
class Fitted:
    """Gives predictions that depend on the cell, and counts how often it is asked."""

    asked: list[tuple[str, Any, str]] = field(default_factory=list)

    def predictions(self, learner: str, theta: dict[str, Any], resample: Resample) -> Predictions:
        self.asked.append((learner, theta["C"], resample.name))
        assert "threshold" not in theta
        return said(theta["C"] / 100 + len(resample.name) / 10 + len(learner) / 1000)


def resample(name: str) -> Resample:
    return Resample(name, np.arange(0), {name: np.arange(11)})


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("threshold", [0.05, 0.5, 0.73])
def test_a_row_is_positive_from_the_threshold_on(positive: int, threshold: float) -> None:
    found, before = decided(said(), threshold, positive), said()
    assert before.proba is not None
    assert found.label is not None
    expected = [positive if p >= threshold else 1 - positive for p in before.proba[:, positive]]
    assert found.label.tolist() == expected
    assert found.label.dtype == np.uint8
    assert found.proba is not None
    assert (found.proba == before.proba).all()
    assert found.decision is not None
    assert before.decision is not None
    assert (found.decision == before.decision).all()


def test_the_threshold_itself_is_positive() -> None:
    proba = np.array([[0.75, 0.25], [0.25, 0.75]])
    one = Predictions(label=np.zeros(2, np.uint8), proba=proba)
    assert decided(one, 0.25, 1).label.tolist() == [1, 1]
    assert decided(one, 0.25, 0).label.tolist() == [0, 0]


def test_probabilities_of_two_classes_are_needed() -> None:
    for proba in (None, np.full((2, 3), 1 / 3)):
        with pytest.raises(HeldoutError, match="needs the probabilities of two classes"):
            decided(Predictions(label=np.zeros(2, np.uint8), proba=proba), 0.5, 1)


ORDERS = {
    "by cell, then θ": [
        (name, c, t) for name in "ab" for c in (1, 2, 3) for t in (0.2, 0.4, 0.6)
    ],
    "by θ, then cell": [
        (name, c, t) for c in (1, 2, 3) for t in (0.2, 0.4, 0.6) for name in "ab"
    ],
}  # fmt: skip


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_each_cell_is_read_once_for_all_thresholds(order: list[Any]) -> None:
    fitted = Fitted()
    cells = ThresholdedCells(fitted, 1)
    for name, c, t in order:
        found = cells.predictions("l", {"C": c, "threshold": t}, resample(name))
        fresh = Fitted().predictions("l", {"C": c}, resample(name))
        assert found.label is not None
        assert fresh.proba is not None
        assert found.label.tolist() == (fresh.proba[:, 1] >= t).astype(int).tolist()
    assert len(fitted.asked) == len(set(fitted.asked)) == 6


def test_learners_and_cells_are_not_mixed_up() -> None:
    cells, theta = ThresholdedCells(Fitted(), 1), {"C": 1, "threshold": 0.5}
    found = [
        cells.predictions(learner, theta, resample(name)).proba
        for learner in ("l", "longer")
        for name in ("a", "abc")
    ]
    assert len({str(one) for one in found}) == 4


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "ROWS", 30)
    cells = ThresholdedCells(Fitted(), 1)
    for c in (1, 2):
        for name in "abcdefgh":
            cells.predictions("l", {"C": c, "threshold": 0.5}, resample(name))
            [kept] = cells._kept.values()
            assert len(kept) <= 2
