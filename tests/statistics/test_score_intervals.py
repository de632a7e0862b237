"""Every part of the intervals of scores, in plain loops over scikit-learn's fits."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive_scores as naive
import numpy as np
import pytest
from brute_force import BruteForce, jackknife_parts, test_noise
from inprocess import Run
from score_loops import LEARNERS, data_of, folds_of, run

from heldout.estimates.evidence import Evidence, Sample, facts_of
from heldout.estimates.intervals import bounds_of, reason_against
from heldout.estimates.rows import EstimateRow
from heldout.measures.registry import loss_for
from heldout.measures.score_registry import SCORES
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions

Pseudo = Callable[..., np.ndarray]
TOLERANCE = 1e-9
DESIGNS = ["plain", "groups", "unequal folds", "repeats"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    return {
        (kind, design): tmp_path_factory.mktemp("study") for kind in LEARNERS for design in DESIGNS
    }


def close(found: Any, expected: Any) -> bool:
    return bool(np.allclose(found, expected, rtol=TOLERANCE, atol=1e-13))


def parts_in(row: EstimateRow) -> list[float]:
    return [(part or 0.0) ** 2 for part in (row.se_noise, row.se_training, row.se_selection)]


def chosen_places(found: Run, learner: str, brute: BruteForce) -> list[list[tuple[int, int]]]:
    """For each partition and fold, (0, the position of the θ that nested CV chose)."""
    rows = [r for r in found.folds if (r.learner, r.estimator) == (learner, "nested_cv")]
    places = iter([(0, brute.thetas.index(json.loads(row.theta))) for row in rows])
    return [[next(places) for _ in range(fold.max() + 1)] for fold in folds_of(found)]


# --- means over folds: AUC, balanced accuracy, and any other score ----------------------------------

OF_FOLDS: dict[str, tuple[str, str, Pseudo, float | None, list[str]]] = {
    "roc_auc": ("two", "logistic", naive.auc, 1.0, DESIGNS),
    "roc_auc with ties": ("two", "knn", naive.auc, 1.0, ["plain"]),
    "balanced_accuracy": ("two", "knn", naive.balanced_accuracy, 1.0, ["groups", "repeats"]),
    "balanced_accuracy of three": ("three", "knn", naive.balanced_accuracy, 1.0, ["plain"]),
    "matthews_corrcoef": ("two", "logistic", naive.matthews, 2.0, ["unequal folds"]),
    "average_precision": ("two", "logistic", naive.average_precision, 1.0, ["plain"]),
    "neg_median_absolute_error": ("number", "ridge", naive.median_absolute, None, ["plain"]),
}
CASES = [(name, design) for name, (*_, designs) in OF_FOLDS.items() for design in designs]


def ends_of(risk: float, se: float, bound: float | None, fewest: int | None) -> tuple[float, ...]:
    """Wilson's interval for as many rows as SE says, by t of the rarest class; without a bound skewed."""
    if bound is None:
        return naive.skewed(risk, naive.normal() * se)
    assert fewest is not None
    share = risk / bound
    count = share * (1 - share) / (se / bound) ** 2
    return tuple(bound * end for end in naive.wilson(share, count, naive.student(fewest - 1)))


@pytest.mark.parametrize(("name", "design"), CASES, ids=lambda one: one.replace(" ", "_"))
def test_intervals_of_means_over_folds(
    name: str, design: str, folders: dict[tuple[str, str], Path]
) -> None:
    kind, learner, pseudo, bound, _ = OF_FOLDS[name]
    found = run(folders[kind, design], kind, design, name.split()[0])
    data, folds = data_of(found), folds_of(found)
    unit = np.asarray(data.rows["unit"])
    fewest = None
    if kind != "number":
        fewest = min(len(np.unique(unit)), *np.bincount(data.target).tolist())
    brute = naive.brute_force(learner, kind, data, pseudo)
    chosen = chosen_places(found, learner, brute)
    row = found.estimate(learner, "nested_cv", "tuned_jackknife")
    parts = jackknife_parts([brute], chosen, folds, unit, selects=True)
    assert min(parts[:2]) > 0
    assert parts[2] > 0 or design == "groups", "other θ are near"
    assert close(parts_in(row), parts)
    assert row.se == pytest.approx(np.sqrt(sum(parts)), rel=TOLERANCE)
    assert close([row.ci_low, row.ci_high], ends_of(row.risk, row.se, bound, fewest))
    if row.score != row.risk:
        assert close([row.score_low, row.score_high], [1 - row.ci_high, 1 - row.ci_low])
    fixed = found.estimate(learner, "kfold", "tuned_jackknife")
    place = brute.thetas.index(json.loads(fixed.theta))
    same = [[(0, place)] * (fold.max() + 1) for fold in folds]
    parts = jackknife_parts([brute], same, folds, unit, selects=False)
    assert close(parts_in(fixed), parts)
    assert close([fixed.ci_low, fixed.ci_high], ends_of(fixed.risk, fixed.se, bound, fewest))


def test_the_choice_between_learners_by_auc(folders: dict[tuple[str, str], Path]) -> None:
    found = run(folders["two", "plain"], "two", "plain", "roc_auc")
    data, folds, names = data_of(found), folds_of(found), LEARNERS["two"]
    brutes = [naive.brute_force(name, "two", data, naive.auc) for name in names]
    outer = [row for row in found.folds if (row.learner, row.estimator) == ("all", "nested_cv")]
    chosen = [
        [
            (names.index(row.chosen), brutes[names.index(row.chosen)].thetas.index(json.loads(row.theta)))
            for row in outer
        ]
    ]  # fmt: skip
    row = found.estimate("all", "nested_cv", "tuned_jackknife")
    unit = np.asarray(data.rows["unit"])
    assert close(parts_in(row), jackknife_parts(brutes, chosen, folds, unit, selects=True))


def perfect(name: str, estimator: str, counts: list[int]) -> Evidence:
    """Five folds in which nothing is wrong."""
    rows = np.array_split(np.arange(sum(counts)), 5)
    facts = facts_of(SCORES[name], None, counts)
    return Evidence(estimator, [np.zeros(len(one)) for one in rows], rows, rows, **facts)


@pytest.mark.parametrize("name", ["roc_auc", "balanced_accuracy", "matthews_corrcoef"])
def test_ends_where_nothing_varies(name: str) -> None:
    """As many rows as the rarest class has, over 1.44."""
    evidence, bound = perfect(name, "nested_cv", [12, 48]), SCORES[name].bound
    assert bound is not None
    se, low, high = bounds_of("tuned_jackknife", evidence, 0.95)
    assert (se, low) == (0.0, 0.0)
    assert high == pytest.approx(bound * naive.wilson(0.0, 12 / 1.44, naive.student(11))[1])


def test_fewer_rows_of_a_class_than_folds_have_no_interval() -> None:
    few, enough = (perfect("roc_auc", "nested_cv", [count, 48]) for count in (4, 5))
    assert "4 rows, fewer than there are folds" in (reason_against("tuned_jackknife", few) or "")
    assert reason_against("tuned_jackknife", enough) is None


@pytest.mark.parametrize("counts", [[10, 0], [9, 1]])
def test_a_test_set_without_two_rows_of_a_class_has_no_interval(counts: list[int]) -> None:
    loss = loss_for(LossSpec("f1"), ["no", "yes"], counts)
    target = np.repeat([0, 1], counts)
    said = Predictions(label=np.zeros(10, int))
    given = Evidence(
        "test",
        [loss(target, said)],
        [np.arange(10)],
        **facts_of(loss, None, counts),
        sample=lambda: Sample(loss, target, said, None),
    )
    assert reason_against("influence", given) == "needs two rows (or groups) of every class"
    assert given.counted == min(counts)


# --- values of all held-out rows together: F1, R² and RMSE ------------------------------------------


class Pooled:
    """The parts of SE² of a pooled score of one learner, in plain loops."""

    def __init__(self, found: Run, learner: str, kind: str, pseudo: Pseudo):
        self.data, self.folds = data_of(found), folds_of(found)
        self.target = np.asarray(self.data.target)
        self.unit = np.asarray(self.data.rows["unit"])
        self.pseudo = pseudo
        self.brute = naive.brute_force(learner, kind, self.data, naive.on_predictions(pseudo))

    def said(self, place: int, fold: np.ndarray, held: int, *others: int) -> Any:
        left_out = [held, *others]
        model = self.brute.fit(
            np.flatnonzero(~np.isin(fold, left_out)), self.brute.thetas[place], ""
        )
        return model.predict(self.brute.features[fold == held])

    def predicted(self, places: list[int], fold: np.ndarray) -> np.ndarray:
        found = np.empty(len(fold))
        for i, place in enumerate(places):
            found[fold == i] = self.said(place, fold, i)
        return found

    def risk(self, said: np.ndarray) -> float:
        return float(self.pseudo(said, self.target).mean())

    def noise(self, losses: np.ndarray) -> float:
        grouped = len(set(self.unit.tolist())) < len(self.unit)
        return test_noise([losses], [self.unit], grouped)

    def training(self, places: list[int], fold: np.ndarray) -> float:
        """V: each fold's predictions replaced by those of a model that lacks one more fold."""
        k, whole = len(places), self.predicted(places, fold)
        values = np.zeros((k, k))
        for i in range(k):
            for j in range(k):
                if i != j:
                    said = whole.copy()
                    said[fold == i] = self.said(places[i], fold, i, j)
                    values[i, j] = len(fold) / sum(fold == i) * self.risk(said)
        total = 0.0
        for j in range(k):
            others = [i for i in range(k) if i != j]
            gaps = [values[i, j] - sum(values[i]) / (k - 1) for i in others]
            total += np.mean(gaps) ** 2
        return (k - 1) / k * total

    def selection(self, fold: np.ndarray, repeat: int, by: Pseudo) -> float:
        """Q: the noise of pooled values, over the θ that are near by the mean over folds."""
        chooser = BruteForce(
            self.brute.features, self.target, self.brute.thetas, self.brute.fit, naive.on_predictions(by)
        )  # fmt: skip
        table = [[x for _, x in chooser.held_sets(fold, repeat, t)] for t in chooser.thetas]
        best = int(np.argmin([np.mean([part.mean() for part in row]) for row in table]))
        k, grouped = int(fold.max()) + 1, len(set(self.unit.tolist())) < len(self.unit)
        units = [self.unit[fold == i] for i in range(k)]
        pools = [
            self.pseudo(self.predicted([place] * k, fold), self.target)
            for place in range(len(table))
        ]
        near = []
        for row, pool in zip(table, pools, strict=True):
            gap = [x - y for x, y in zip(row, table[best], strict=True)]
            if np.mean([one.mean() for one in gap]) <= 2 * np.sqrt(test_noise(gap, units, grouped)):
                near.append(self.noise(pool - pools[best]))
        return float(np.mean(near))

    def parts(self, chosen: list[list[int]], by: Pseudo | None) -> tuple[float, float, float]:
        """Averaged over partitions; nothing is selected where `by` is None."""
        k = len(chosen[0])
        noise, training, selection = [], [], []
        for repeat, (places, fold) in enumerate(zip(chosen, self.folds, strict=True), start=1):
            noise.append(self.noise(self.pseudo(self.predicted(places, fold), self.target)))
            training.append(self.training(places, fold))
            selection.append(0.0 if by is None else self.selection(fold, repeat, by))
        return (
            1.1 * float(np.mean(noise)),
            float(np.mean(training)),
            (k - 1) / 8 * float(np.mean(selection)),
        )

    def value(self, chosen: list[list[int]]) -> float:
        pairs = zip(chosen, self.folds, strict=True)
        return float(np.mean([self.risk(self.predicted(*pair)) for pair in pairs]))


def pooled_rows(found: Run, pool: Pooled, learner: str) -> list[tuple[EstimateRow, Any, bool]]:
    """The rows of nested CV and of the selected θ, their θ, and whether anything was selected."""
    nested = [[p for _, p in one] for one in chosen_places(found, learner, pool.brute)]
    row = found.estimate(learner, "kfold_pooled", "tuned_jackknife")
    place = pool.brute.thetas.index(json.loads(row.theta))
    return [
        (found.estimate(learner, "nested_cv_pooled", "tuned_jackknife"), nested, True),
        (row, [[place] * len(one) for one in nested], False),
    ]


@pytest.mark.parametrize("design", DESIGNS)
def test_f1(design: str, folders: dict[tuple[str, str], Path]) -> None:
    found = run(folders["two", design], "two", design, "f1")
    pool = Pooled(found, "knn", "two", naive.f1_of)
    counts = np.bincount(pool.target).tolist()
    fewest = min(len(np.unique(pool.unit)), *counts)
    for row, chosen, selects in pooled_rows(found, pool, "knn"):
        parts = pool.parts(chosen, naive.f1_of if selects else None)
        assert row.risk == pytest.approx(pool.value(chosen), rel=TOLERANCE)
        assert close(parts_in(row), parts)
        assert row.se == pytest.approx(np.sqrt(sum(parts)), rel=TOLERANCE)
        assert close([row.ci_low, row.ci_high], ends_of(row.risk, row.se, 1.0, fewest))
        assert close([row.score_low, row.score_high], [1 - row.ci_high, 1 - row.ci_low])


@pytest.mark.parametrize("design", ["plain", "repeats"])
def test_root_of_the_mean_squared_error(design: str, folders: dict[tuple[str, str], Path]) -> None:
    """Roots of the ends of the interval of the mean squared error."""
    found = run(folders["number", design], "number", design, "neg_root_mean_squared_error")
    pool = Pooled(found, "knn", "number", naive.root_of)
    squares = Pooled(found, "knn", "number", naive.squares_of)
    for row, chosen, selects in pooled_rows(found, pool, "knn"):
        parts = np.array(squares.parts(chosen, naive.root_of if selects else None))
        assert row.risk == pytest.approx(pool.value(chosen), rel=TOLERANCE)
        half = naive.normal() * np.sqrt(parts.sum())
        ends = np.sqrt(naive.skewed(squares.value(chosen), half))
        assert close([row.ci_low, row.ci_high], ends)
        assert close(parts_in(row), parts / (4 * row.risk**2))


@pytest.mark.parametrize("design", ["plain", "unequal folds", "repeats"])
def test_r2(design: str, folders: dict[tuple[str, str], Path]) -> None:
    """The larger of two standard errors, and the error over the sample variance as the centre."""
    found = run(folders["number", design], "number", design, "r2")
    pool = Pooled(found, "knn", "number", naive.r2_of)
    squares = Pooled(found, "knn", "number", naive.squares_of)
    n, variance = len(pool.target), pool.target.var(ddof=1)
    for row, chosen, selects in pooled_rows(found, pool, "knn"):
        by = naive.r2_of if selects else None
        own = np.array(pool.parts(chosen, by))
        scaled = np.array(squares.parts(chosen, by)) / variance**2
        parts = max(own, scaled, key=sum)
        assert row.risk == pytest.approx(pool.value(chosen), rel=TOLERANCE)
        assert close(parts_in(row), parts)
        half = naive.normal() * np.sqrt(parts.sum())
        assert close([row.ci_low, row.ci_high], naive.skewed(row.risk * (n - 1) / n, half))
        assert row.score == pytest.approx(1 - row.risk)


def test_means_over_folds_of_pooled_scores_have_no_interval(
    folders: dict[tuple[str, str], Path],
) -> None:
    found = run(folders["two", "plain"], "two", "plain", "f1")
    for estimator in ("kfold", "nested_cv"):
        row = found.estimate("knn", estimator)
        assert row.interval is None
        assert f"{estimator}_pooled" in (row.note or "")
