"""The same numbers as R's pROC (DeLong) and boot (BCa).

`reference/scores.R` says how the numbers were made, `reference/scores.json` holds them.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from heldout.estimates import bca
from heldout.estimates.intervals import bounds_of
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions
from heldout.selection.sealed_predictions import SealedPredictions
from heldout.selection.spec import SealedTestSpec
from heldout.selection.test import sealed_evidence

NUMBERS = json.loads((Path(__file__).parent / "reference" / "scores.json").read_text())
CLASSES = ["no", "yes"]


def evidence(
    name: str, target: np.ndarray, said: Predictions, classes: Any, **positive: str
) -> Any:
    """A sealed test set, as the step that opens it judges it."""
    rows = np.arange(len(target))
    loss = loss_for(LossSpec(name, **positive), classes)
    found = SealedPredictions(rows, rows, target, said, classes)
    return sealed_evidence(found, loss, SealedTestSpec("t", 1, 0.95), 1)


@pytest.mark.parametrize("positive", CLASSES)
@pytest.mark.parametrize("sample", NUMBERS["auc"])
def test_delong(sample: str, positive: str) -> None:
    given = NUMBERS["auc"][sample]
    label, score = np.array(given["label"]), np.array(given["score"], float)
    sign = 1 if positive == "yes" else -1
    target = label if positive == "yes" else 1 - label
    of = evidence("roc_auc", target, Predictions(decision=sign * score), CLASSES, positive=positive)
    assert 1 - of.risk == pytest.approx(given["auc"], rel=1e-12)
    for level, name in ((0.9, "ci90"), (0.95, "ci95")):
        se, low, high = bounds_of("delong", of, level)
        assert se is not None
        assert se**2 == pytest.approx(given["variance"], rel=1e-10)
        assert (1 - high, 1 - low) == pytest.approx(given[name], rel=1e-10)


def interpolated(draws: np.ndarray, level: float) -> float:
    """boot's quantile: between two draws by the normal quantiles of their ranks."""
    count = len(draws) + 1
    rank = int(level * count)
    below, above = np.sort(draws)[rank - 1 : rank + 1]
    start, end = ndtri(rank / count), ndtri((rank + 1) / count)
    return float(below + (ndtri(level) - start) / (end - start) * (above - below))


@pytest.mark.parametrize("name", NUMBERS["bca"]["of"])
def test_bca(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends at the same levels of the same draws; levels follow from ends, because quantiles rise."""
    given = NUMBERS["bca"]["of"][name]
    target, said = (np.array(NUMBERS["bca"][part]) for part in ("target", "value"))
    of = evidence(name, target, Predictions(value=said), None)
    score = of.sample().loss.score
    assert score(of.risk) == pytest.approx(given["value"], rel=1e-9)
    draws = np.array(given["draws"])
    risks = 1 - draws if name == "r2" else draws
    monkeypatch.setattr(bca, "drawn", lambda *_: risks)
    _, *ends = bounds_of("bca", of, 0.9)
    shares = np.linspace(0, 1, len(risks))
    levels = np.interp(ends, np.sort(risks), shares)
    if name == "r2":
        levels = 1 - levels[::-1]
    found = [interpolated(draws, level) for level in levels]
    assert found == pytest.approx(given["ends"], rel=1e-8)
