"""Probabilities judged in the report: the band, the numbers and their words, and where they stand."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser.report_case import Case
from inprocess import run_task
from scipy import special

from heldout.estimates.ends import proportion
from heldout.execution.specs import build
from heldout.execution.study import Study
from heldout.measures import calibration as measure
from heldout.predictions import Predictions
from heldout.report import task
from heldout.results import calibration
from heldout.results.predictions import HeldOut, classification, diagnostics

Z = float(special.ndtri(0.975))


def judged(
    count: int = 400, units: np.ndarray | None = None, power: float = 1.0
) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1.0, 2.0], count)
    target = (rng.random(count) < proba[:, 1] ** power).astype(int)
    return calibration.judged(target, proba, units, 0.95)


def numbers(one: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {number["name"]: number for number in one["numbers"]}


# --- which classes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "count", "wanted"),
    [
        ([0, 0, 1], 2, [1]),
        ([0, 1, 1], 2, [0]),
        ([0, 1], 2, [1]),
        ([0, 1, 1, 2], 3, [0, 1, 2]),
    ],
)
def test_of_two_classes_the_rarer_one_is_judged(
    target: list[int], count: int, wanted: list[int]
) -> None:
    assert calibration.classes_of(np.array(target), count) == wanted


def test_each_class_is_judged_by_its_own_probabilities() -> None:
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 300)
    target = np.array([rng.choice(3, p=row) for row in proba])
    found = calibration.judged(target, proba, None, 0.95)
    assert [one["class"] for one in found] == [0, 1, 2]
    for one in found:
        score = float(((proba[:, one["class"]] - (target == one["class"])) ** 2).mean())
        assert numbers(one)["score"]["value"] == pytest.approx(score)
        assert sum(b["n"] for b in one["bins"]) == 300


# --- the band --------------------------------------------------------------------------------


def test_the_band_of_independent_rows_is_that_of_wilson() -> None:
    positive = np.array([1, 0, 0, 0, 1, 0, 0, 0, 0, 0])
    assert calibration.band(positive, None, 0.95) == pytest.approx(proportion(0.2, 10, Z))
    assert calibration.band(positive, np.arange(10), 0.95) == pytest.approx(proportion(0.2, 10, Z))


def test_rows_that_are_alike_within_groups_count_as_one() -> None:
    """Ten groups of five equal rows: as many rows as groups, times (G − 1)/G, and t for z."""
    groups = np.array([1, 0, 0, 0, 1, 0, 0, 0, 0, 1])
    positive, units = np.repeat(groups, 5), np.repeat(np.arange(10), 5)
    t = float(special.stdtrit(9, 0.975))
    assert calibration.band(positive, units, 0.95) == pytest.approx(proportion(0.3, 9, t))


def test_a_single_group_says_nothing_about_others() -> None:
    assert calibration.band(np.array([1, 0, 0]), np.zeros(3), 0.95) == (0.0, 1.0)


@pytest.mark.parametrize("size", [1, 6])
def test_the_band_covers_the_true_share(size: int) -> None:
    """2000 draws of a bin, alone and in groups: at least 95 % minus four Monte Carlo standard errors.

    In groups the rows have a share of their own group, and a band for independent rows covers less
    than 85 %.
    """
    rng, draws, groups = np.random.default_rng(3), 2000, 30
    units = np.repeat(np.arange(groups), size)
    caught = naive = 0
    for _ in range(draws):
        shares = rng.beta(1.2, 2.8, groups) if size > 1 else np.full(groups, 0.3)
        positive = rng.random(groups * size) < np.repeat(shares, size)
        low, high = calibration.band(positive, units if size > 1 else None, 0.95)
        caught += low <= 0.3 <= high
        low, high = calibration.band(positive, None, 0.95)
        naive += low <= 0.3 <= high
    noise = math.sqrt(0.95 * 0.05 / draws)
    assert 0.95 - 4 * noise - 0.015 * (size == 1) < caught / draws < 0.985
    assert (naive / draws < 0.85) == (size > 1)


def test_the_curve_has_the_level_of_the_study() -> None:
    rng = np.random.default_rng(0)
    predicted = rng.random(100)
    positive, bins = rng.random(100) < predicted, measure.bin_numbers(predicted)
    wide = calibration.curve_of(positive, predicted, bins, None, 0.99)
    narrow = calibration.curve_of(positive, predicted, bins, None, 0.8)
    for outer, inner in zip(wide, narrow, strict=True):
        assert outer["low"] < inner["low"] <= inner["observed"] <= inner["high"] < outer["high"]
    assert "99.5\u00a0% Wilson" in calibration.about_the_band(False, 0.995)
    assert "variance between groups" in calibration.about_the_band(True, 0.95)


def test_the_band_of_a_curve_in_groups_looks_at_the_groups_of_each_bin() -> None:
    units = np.repeat(np.arange(40), 10)
    [alone], [grouped] = judged(), judged(units=units)
    bins = measure.bin_numbers(
        np.random.default_rng(0).dirichlet([1.0, 2.0], 400)[:, alone["class"]]
    )
    assert [b["observed"] for b in alone["bins"]] == [b["observed"] for b in grouped["bins"]]
    assert [(b["low"], b["high"]) for b in alone["bins"]] != [(b["low"], b["high"]) for b in grouped["bins"]]  # fmt: skip
    assert [b["n"] for b in grouped["bins"]] == np.bincount(bins).tolist()


# --- the numbers -----------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_measures() -> None:
    [one] = judged()
    found = numbers(one)
    assert list(found) == list(calibration.WORDS)
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1.0, 2.0], 400)
    target = (rng.random(400) < proba[:, 1]).astype(int)
    positive, predicted = target == one["class"], proba[:, one["class"]]
    slope = measure.slope(positive, predicted)
    assert (found["slope"]["value"], found["slope"]["spread"]) == (slope.value, slope.se)
    assert found["slope"]["note"] == f"s.e. {slope.se:.2f}"
    large = measure.in_the_large(positive, predicted)
    assert found["in_the_large"]["value"] == large.value
    bins = measure.bin_numbers(predicted)
    chance = measure.error_by_chance(predicted, bins)
    assert (found["error_by_chance"]["value"], found["error_by_chance"]["spread"]) == chance
    error = measure.calibration_error(positive, predicted, bins)
    assert found["calibration_error"]["value"] == error
    assert found["calibration_error"]["shown"] == f"{error:.4f}"
    signs = {"+": 1.0, "−": -1.0}
    parts = [n for n in one["numbers"] if n["title"][0] in signs]
    total = sum(signs[n["title"][0]] * n["value"] for n in parts)
    assert len(parts) == 5
    assert total == pytest.approx(found["score"]["value"], abs=1e-12)


def test_groups_change_standard_errors_and_are_mentioned() -> None:
    units = np.repeat(np.arange(40), 10)
    [alone], [grouped] = judged(), judged(units=units)
    for name in ("slope", "in_the_large"):
        one, other = numbers(alone)[name], numbers(grouped)[name]
        assert one["value"] == other["value"]
        assert one["spread"] != other["spread"]
    assert "rows as independent" in numbers(grouped)["error_by_chance"]["meaning"]
    assert "rows as independent" not in numbers(alone)["error_by_chance"]["meaning"]


def test_certain_probabilities_are_mentioned_beside_the_slope() -> None:
    proba = np.array([[0.0, 1.0], [1.0, 0.0], [0.4, 0.6], [0.7, 0.3], [0.5, 0.5]])
    [one] = calibration.judged(np.array([1, 0, 0, 1, 0]), proba, None, 0.95)
    assert "0 or 1 (2 of 5)" in numbers(one)["slope"]["meaning"]
    assert "0 or 1" not in numbers(judged()[0])["slope"]["meaning"]


def test_a_number_that_does_not_exist_has_its_reason() -> None:
    proba = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    [one] = calibration.judged(np.array([0, 0, 1]), proba, None, 0.95)
    slope = numbers(one)["slope"]
    assert (slope["value"], slope["spread"], slope["shown"]) == (None, None, "–")
    assert "without an error" in slope["note"]
    assert numbers(one)["score"]["value"] == pytest.approx((0.01 + 0.04 + 0.09) / 3)


def test_every_number_is_explained_and_says_who_it_is_from() -> None:
    entries = calibration.glossary_entries({"calibration": judged()})
    assert list(entries) == list(calibration.WORDS)
    for entry in entries.values():
        assert entry.meaning.endswith(".")
        assert entry.formula
        assert re.search(r"\b(19|20)\d\d\b", entry.reference)
        assert entry.url.startswith("https://doi.org/")
    assert calibration.glossary_entries(None) == {}
    assert calibration.glossary_entries({"kind": "regression"}) == {}
    assert calibration.glossary_entries({"calibration": []}) == {}


# --- the page --------------------------------------------------------------------------------


def page(predictions: Any, root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    held_out = predictions and {"how": "Held out.", "n": 60, **predictions}
    monkeypatch.setattr(task, "diagnostics", lambda *_: held_out)
    case = Case()
    return task.report_page(case.write(root), case.spec(), batches=1)


def labels(proba: bool) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 60)
    given = rng.dirichlet(np.ones(2), 60) if proba else None
    held = HeldOut(np.arange(60), target, Predictions(target, given), np.zeros(60))
    return classification(held, ["no", "yes"])


def test_the_page_judges_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page(labels(True), tmp_path, monkeypatch)
    for wanted in ('<section id="probabilities">', 'href="#probabilities"', "doi.org/10.1175/2007WAF2006116.1"):  # fmt: skip
        assert wanted in text
    for name in calibration.WORDS:
        assert f'<div id="probability-{name}">' in text


@pytest.mark.parametrize("predictions", [labels(False), None])
def test_without_probabilities_nothing_is_said_of_them(
    predictions: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page(predictions, tmp_path, monkeypatch)
    html = text[: text.index('id="data"')]
    assert "#probabilities" not in html
    assert 'id="probabilities"' not in html
    assert "probability-slope" not in html


# --- a real run ------------------------------------------------------------------------------


def run(tmp_path: Path, loss: str, **more: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    lines = [
        f"{x:.3f},{i // 4},{'ill' if x + rng.normal() > 0.5 else 'well'}"
        for i, x in enumerate(rng.normal(size=120))
    ]
    table = tmp_path / "table.csv"
    table.write_text("x,patient,y\n" + "\n".join(lines) + "\n")
    block = {"data": str(table), "target": "y", "loss": loss, "test": 0, "estimators": ["kfold"]}
    block |= {"kfold": {"k": 4, "repeats": 2}, "learners": ["logistic"], **more}
    config = {
        "level": 0.9,
        "tasks": {"t": block},
        "learners": {"logistic": {"estimator": "logistic", "grid": {"C": [1.0]}}},
    }
    done = run_task(config, tmp_path / "t")
    return done, build.render_report(Study(config).task("t")).page


@pytest.mark.parametrize("groups", [None, "patient"])
def test_the_numbers_of_a_run_are_those_of_its_first_partition(
    groups: str | None, tmp_path: Path
) -> None:
    more = {"groups": groups} if groups else {"drop": ["patient"]}
    done, spec = run(tmp_path, "brier", **more)
    chosen = done.selection["learner"], done.selection["theta"]
    found = diagnostics(done.folder, spec.cells, 1, *chosen, spec.level)
    assert found["how"].endswith("Of 2 partitions into folds, the first one is shown.")
    assert "90\u00a0% Wilson" in found["band"]
    assert ("groups" in found["band"]) == (groups is not None)
    [one] = found["calibration"]
    assert found["classes"][one["class"]] == "ill"
    assert sum(b["n"] for b in one["bins"]) == 120
    about = numbers(one)["error_by_chance"]["meaning"]
    assert ("groups" in about) == (groups is not None)
    text = task.report_page(done.folder, spec, batches=1)
    data = json.loads(re.findall(r'id="data">(.*?)</script>', text)[0])
    assert data["predictions"]["calibration"] == found["calibration"]


def test_the_brier_loss_of_two_classes_is_twice_the_score(tmp_path: Path) -> None:
    more = {"kfold": {"k": 4}, "drop": ["patient"]}
    done, spec = run(tmp_path, "brier", **more)
    chosen = done.selection["learner"], done.selection["theta"]
    found = diagnostics(done.folder, spec.cells, 1, *chosen, spec.level)
    assert "partitions" not in found["how"]
    score = numbers(found["calibration"][0])["score"]["value"]
    assert 2 * score == pytest.approx(done.risk(*chosen, "kfold"))
