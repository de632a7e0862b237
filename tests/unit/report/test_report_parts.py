"""The parts that a report is put together from: numbers, grids, curves, colours."""

import re
from typing import Any

import numpy as np
import pytest
from browser.report_case import rows_of

from heldout.predictions import Predictions
from heldout.report import assets
from heldout.results import curves, display, glossary, grids, headline, tables
from heldout.results.predictions import HeldOut, classification, regression


@pytest.mark.parametrize(
    ("risks", "value", "shown"),
    [
        ([2900.0, 3100.0], 2933.66, "2934"),
        ([0.5, 0.7], 0.51234, "0.5123"),
        ([15.0], 15.2345, "15.23"),
        ([1e-9], 1.5e-9, "1.500e-09"),
        ([1e12], 1.5e12, "1.500e+12"),
        ([], 0.25, "0.2500"),
        ([0.5], -0.00001, "0.0000"),
        ([0.5], None, "–"),
    ],
)
def test_risks_are_rounded_by_their_size(risks: list[float], value: float, shown: str) -> None:
    assert display.format_for("squared", risks)(value) == shown


def test_shares_of_errors_are_percentages() -> None:
    assert display.format_for("zero_one", [0.1])(0.012345) == "1.23\u00a0%"


@pytest.mark.parametrize(
    ("thetas", "kind", "scales"),
    [
        ([{"k": 1}, {"k": 2}], "curve", ["linear"]),
        ([{"C": 0.01}, {"C": 100.0}], "curve", ["log"]),
        ([{"a": 0}, {"a": 0.001}, {"a": 1}], "curve", ["point"]),
        ([{"d": 1}, {"d": None}], "curve", ["point"]),
        ([{"kernel": "rbf"}, {"kernel": "linear"}], "curve", ["category"]),
        ([{"x": True}, {"x": False}], "curve", ["category"]),
        ([{"a": i, "b": j} for i in (1, 2) for j in (1, 2)], "heat", ["linear", "linear"]),
        ([{"a": i, "b": 7} for i in (1, 2)], "curve", ["linear"]),
        ([{"a": i, "b": i * i} for i in range(1, 9)], "scatter", ["linear", "log"]),
        ([{"a": i, "b": j, "c": k} for i in (1, 2) for j in (1, 2) for k in (1, 2)], "slice", 3),
        ([{"a": i, "b": i * i, "c": i % 3} for i in range(1, 9)], "scatter", 3),
    ],
)
def test_grids_are_drawn_as_their_axes_allow(thetas: list[Any], kind: str, scales: Any) -> None:
    found = grids.describe("learner", thetas, thetas[0])
    assert found["kind"] == kind
    if isinstance(scales, list):
        assert [axis["scale"] for axis in found["axes"]] == scales


def test_of_three_axes_the_two_longest_are_drawn_through_the_selected_theta() -> None:
    thetas = [{"a": i, "b": j, "c": k} for i in (1, 2, 3) for j in (1, 2) for k in (1, 2, 3, 4)]
    found = grids.describe("learner", thetas, {"a": 2, "b": 1, "c": 4})
    assert [axis["name"] for axis in found["drawn"]] == ["a", "c"]
    assert found["at"] == {"b": 1}
    assert grids.describe("learner", thetas, None)["kind"] == "table"


def test_packing_loses_nothing() -> None:
    columns: dict[str, list[Any]] = {"a": [1, None, 2.5], "b": ["x", None, "x"]}
    rows = rows_of(tables.pack(columns))
    assert [row["a"] for row in rows] == columns["a"]
    assert [row["b"] for row in rows] == columns["b"]


def test_subscripts_in_formulas_are_escaped() -> None:
    shown = display.formula("E[ℓ_D(A_θ̂(S))] Σ_{i<n} min_cv <b>")
    assert shown == (
        "E[ℓ<sub>D</sub>(A<sub>θ̂</sub>(S))] Σ<sub>i&lt;n</sub> min_cv &lt;b&gt;"
    )  # fmt: skip


def test_the_headline_is_the_most_honest_estimate() -> None:
    rows = [{"learner": "all", "estimator": name} for name in ("training", "kfold", "nested_cv")]
    found = headline.headline_row(tables.Table([], rows))
    assert found is not None
    assert found["estimator"] == "nested_cv"


def test_the_headline_has_the_recommended_interval() -> None:
    row = {"learner": "all", "estimator": "kfold", "recommended": False}
    rows = [row | {"interval": "first"}, row | {"interval": "second", "recommended": True}]
    found = headline.headline_row(tables.Table([], rows))
    assert found is not None
    assert found["interval"] == "second"


def test_known_estimators_go_from_optimistic_to_honest() -> None:
    names = {"test", "kfold", "training", "brand_new", "nested_cv"}
    assert glossary.in_order(names) == ["training", "kfold", "brand_new", "nested_cv", "test"]


# --- predictions ---------------------------------------------------------------------------------


def test_roc_and_average_precision_agree_with_scikit_learn() -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    rng = np.random.default_rng(0)
    positive = rng.random(300) < 0.3
    score = np.round(rng.normal(size=300) + positive, 1)
    found = curves.corners(positive, score)
    assert found["auc"] == pytest.approx(roc_auc_score(positive, score))
    assert found["ap"] == pytest.approx(average_precision_score(positive, score))
    assert (found["false"][0], found["true"][0]) == (0, 0)
    assert (found["false"][-1], found["true"][-1]) == (1, 1)


def test_the_hardest_rows_have_the_largest_losses() -> None:
    target, value = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 5.0, 3.5, 4.0])
    held = HeldOut(np.array([11, 12, 13, 14]), target, Predictions(value=value), (target - value) ** 2)  # fmt: skip
    found = regression(held)
    assert [row["row"] for row in rows_of(found["hardest"])] == [12, 13]
    assert found["summary"]["mean residual"] == pytest.approx(-0.875)


def test_confusions_count_every_row() -> None:
    target, label = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0])
    held = HeldOut(np.arange(4), target, Predictions(label=label), (target != label).astype(float))
    found = classification(held, ["a", "b", "c"])
    assert found["confusion"] == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert found["curves"] == found["calibration"] == []


def test_a_decision_function_of_two_classes_gives_a_curve() -> None:
    target = np.array([0, 0, 1, 1])
    predictions = Predictions(label=target, decision=np.array([-2.0, -1.0, 1.0, 2.0]))
    [curve] = classification(HeldOut(np.arange(4), target, predictions, np.zeros(4)), [0, 1])[
        "curves"
    ]
    assert curve["class"] == 1
    assert curve["auc"] == 1


# --- colours -------------------------------------------------------------------------------------


def contrast(first: str, second: str) -> float:
    """WCAG 2: (L₁ + 0.05) / (L₂ + 0.05) of the relative luminances."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("night", [0, 1])
def test_text_and_marks_stand_out_by_day_and_by_night(night: int) -> None:
    found = re.findall(r"--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)", assets.style())
    colour = {name: (day, dark)[night] for name, day, dark in found}
    grounds = [colour[name] for name in ("paper", "sheet", "wash", "warn-wash", "bad-wash")]
    for name in ("ink", "soft", "link", "good", "bad", "warn"):
        assert min(contrast(colour[name], ground) for ground in grounds) >= 4.5, name
    for name in "amber blue violet green grey teal rose brown olive".split():  # noqa: SIM905
        assert min(contrast(colour[name], ground) for ground in grounds[:2]) >= 3, name
