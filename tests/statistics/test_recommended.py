"""When an interval is recommended, and what is said where none is."""

from typing import Any

import numpy as np
import pytest

from heldout.estimates.confidence_set import kept
from heldout.estimates.evidence import Evidence, differs, facts_of
from heldout.estimates.holds import HOLDS
from heldout.estimates.intervals import bounds_of
from heldout.estimates.recommended import reason_against, reason_for_none, recommended
from heldout.estimates.rows import EstimateRow
from heldout.estimates.tables import with_tails
from heldout.estimates.tails import tail_ratio
from heldout.measures.registry import LOSSES


def folds(losses: np.ndarray, loss: str, estimator: str = "nested_cv", **more: Any) -> Evidence:
    """Five folds of independent rows."""
    parts = np.split(np.asarray(losses, float), 5)
    rows = np.split(np.arange(len(losses)), 5)
    return Evidence(
        estimator, parts, rows, rows, ratio=0.25, **facts_of(LOSSES[loss], None, None), **more
    )


def carried_by(count: int, n: int = 100) -> np.ndarray:
    """Losses of which `count` equal ones carry all, spread over the folds."""
    losses = np.zeros(n)
    losses[np.linspace(0, n - 1, count).astype(int)] = 0.5
    return losses


@pytest.mark.parametrize("loss", ["cross_entropy", "brier"])
def test_twenty_rows_must_carry_losses_that_are_mostly_small(loss: str) -> None:
    assert recommended(folds(carried_by(20), loss)) == "tuned_jackknife"
    few = reason_for_none(folds(carried_by(19), loss))
    assert few is not None
    assert few.startswith("no interval holds: few rows carry the loss, 10 of 100 held-out losses")


def test_errors_may_be_few_because_their_interval_allows_for_that() -> None:
    assert recommended(folds(2 * carried_by(1), "zero_one")) == "tuned_jackknife"


def test_repeats_do_not_make_rows_out_of_the_same_rows() -> None:
    one = carried_by(15)
    parts, rows = np.split(np.tile(one, 3), 15), np.split(np.tile(np.arange(100), 3), 15)
    given = Evidence(
        "nested_cv", parts, rows, rows, repeats=3, **facts_of(LOSSES["brier"], None, None)
    )
    assert recommended(given) is None


@pytest.mark.parametrize(("worst", "holds"), [(2.9, True), (40.0, False)])
def test_heavy_tails_of_squared_losses(worst: float, holds: bool) -> None:
    losses = np.linspace(1, 2, 50)
    losses[7] = worst
    assert (recommended(folds(losses, "squared")) is not None) == holds


def test_exact_intervals_hold_whatever_the_tails() -> None:
    losses = carried_by(1)
    given = Evidence(
        "test", [losses], [np.arange(100)], seed=1, **facts_of(LOSSES["brier"], None, None)
    )
    assert recommended(given) == "betting"


def test_leave_one_out_has_no_recommended_interval() -> None:
    rows = list(np.arange(40)[:, None])
    losses = list(np.tile([0.0, 1.0], 20)[:, None])
    given = Evidence("loo", losses, rows, rows, **facts_of(LOSSES["zero_one"], None, None))
    assert recommended(given) is None
    assert ("loo", "tuned_jackknife") not in HOLDS


@pytest.mark.parametrize(("units", "holds"), [(7, False), (8, True)])
def test_student_and_wilson_need_eight_units(units: int, holds: bool) -> None:
    for interval in ("skewed_t", "wilson"):
        found = reason_against("test", interval, units, grouped=True, candidates=1)
        assert (found is None) == holds


def test_the_smallest_number_of_bags_is_said() -> None:
    parts = [np.array([0.0, 1.0, 1.0]) for _ in range(50)]
    rows = [np.arange(3) for _ in range(50)]
    given = Evidence(
        "bootstrap",
        parts,
        rows,
        rows,
        bags=lambda: None,
        **facts_of(LOSSES["zero_one"], None, None),
    )  # type: ignore[arg-type, return-value]
    assert reason_for_none(given) == "no interval: needs bootstrap.bags: 200 or more, found 50"


def test_losses_that_differ_by_rounding_are_equal() -> None:
    losses = np.where(np.arange(50) % 2, (0.3 - 0.2) ** 2, 0.1**2)
    given = folds(losses, "squared")
    assert np.ptp(losses) > 0
    assert not given.varies
    assert reason_for_none(given) == (
        "no interval: all losses are equal, so that their variance cannot be estimated"
    )


def test_a_risk_at_its_bound_up_to_rounding_has_an_interval() -> None:
    losses = np.full(50, 2.0)
    losses[3] = np.nextafter(2.0, 1.0)
    _, low, high = bounds_of("tuned_jackknife", folds(losses, "brier"), 0.95)
    assert 1.5 < low < 1.95
    assert high == 2.0


def test_the_best_is_in_the_confidence_set_at_any_level() -> None:
    p, risks = np.array([0.5, 0.02, 0.6]), [0.3, 0.1, 0.2]
    assert kept(p, risks, level=0.3) == [False, True, False]
    assert kept(p, risks, level=0.95) == [True, True, True]
    assert kept(p, risks, level=0.5) == [False, True, True], "p must exceed 1 − level"


def test_heavy_tails_of_one_estimate_are_known_to_all_of_its_learner() -> None:
    """Eight sealed rows seldom show what a hundred others do; exact intervals do not mind."""

    def row(learner: str, estimator: str, interval: str, note: str | None = None) -> EstimateRow:
        start = learner, estimator, "target", "{}", 1.0, None, 0.5, 2.0, interval, "for this"
        return EstimateRow(*start, recommended=note is None, level=0.95, n=9, note=note)

    heavy = row("tree", "nested_cv", "tuned_jackknife", "no interval holds: heavy tails, 1 of 9")
    chosen = row("knn", "kfold", "tuned_jackknife", "no interval holds: the same rows chose θ")
    others = [
        row("tree", "test", "skewed_t"),
        row("tree", "holdout", "betting"),
        row("knn", "test", "skewed_t"),
    ]
    found = with_tails([heavy, chosen, *others])
    assert [one.recommended for one in found] == [False, False, False, True, True]
    assert (
        found[2].note == "no interval holds: heavy tails in other held-out losses of this learner"
    )
    assert found[:2] == [heavy, chosen]
    assert found[3:] == others[1:]


def test_the_jackknife_needs_six_units() -> None:
    for units, holds in ((5, False), (6, True)):
        found = reason_against("nested_cv", "tuned_jackknife", units, grouped=True, candidates=1)
        assert (found is None) == holds


def test_rounding_is_relative_to_the_size_of_what_was_subtracted() -> None:
    assert not differs(np.array([0.2, 0.2 + 1e-9]), 1e6)
    assert differs(np.array([0.2, 0.2 + 1e-9]), 1.0)
    assert differs(np.array([1e-9, 2e-9]), 2e-9)


def test_losses_of_zero_have_no_tails() -> None:
    assert tail_ratio(np.zeros(5)) == 1.0
    assert tail_ratio(np.array([0.0, 0.5])) == 2.0


@pytest.mark.parametrize(("family", "grouped", "holds"), [
    ("auc", True, True), ("class_means", True, True), ("other", False, True), ("other", True, False),
    ("unstudied", False, False),
])  # fmt: skip
def test_scores_are_recommended_where_they_were_simulated(
    family: str, grouped: bool, holds: bool
) -> None:
    found = reason_against("nested_cv", "tuned_jackknife", 60, grouped, 1, family)
    assert (found is None) == holds
