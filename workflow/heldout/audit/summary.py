"""All replicates at one size → the rows of audit.csv and audit/selection.csv."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from heldout.audit.batch import Batch
from heldout.audit.replicate import RowName
from heldout.estimates import targets
from heldout.estimates.interval_registry import INTERVALS
from heldout.estimates.lookup import available_kind
from heldout.estimates.procedures import ALL, Chosen
from heldout.estimates.registry import ESTIMATORS
from heldout.names import canonical
from heldout.resampling.kinds import FULL


@dataclass(frozen=True)
class AuditRow:
    """One estimate, with one interval or none, compared with one true quantity over all replicates.

    `bias` is the mean of estimate − truth, `bias_se` its Monte Carlo error (that of the truth
    included). For an oracle both are computed with a control variate, so `bias` differs a
    little from `estimate` − `truth` and has a smaller error. `sd` is the standard deviation of the estimate over
    draws, `coverage` the share of intervals that contain the truth; `derived` is 1 where the interval
    was derived for this target.
    """

    m: int
    learner: str
    estimator: str
    interval: str
    target: str
    derived: int | None
    replicates: int
    truth: float
    truth_se: float
    estimate: float
    bias: float
    bias_se: float
    relative_bias: float
    sd: float
    rmse: float
    coverage: float | None
    coverage_se: float | None
    width: float | None
    level: float | None
    fits: int


@dataclass(frozen=True)
class SelectionRow:
    """How often the best θ (and learner) was selected, and the excess risk of the selection."""

    m: int
    learner: str
    thetas: int
    replicates: int
    best_selected: float
    best_selected_se: float
    regret: float
    regret_se: float
    tuned_risk: float
    best_risk: float
    favourite: str
    favourite_share: float
    best_on_average: str
    refused: int


@dataclass(frozen=True)
class Summary:
    """The replicates at one size."""

    m: int
    batch: Batch
    pairs: list[Chosen]
    by: str
    level: float

    def rows(self) -> Iterator[AuditRow]:
        """Estimates in order; for each, its intervals and its targets."""
        for column, name in enumerate(self.batch.names):
            for target in ESTIMATORS[name[1]].aims:
                yield self._row(column, name, target)

    def _row(self, column: int, name: RowName, target: str) -> AuditRow:
        learner, estimator, interval = name
        values = {field: array[:, column] for field, array in self.batch.values.items()}
        present = ~np.isnan(values["risk"])
        values = {field: array[present] for field, array in values.items()}
        truth = Truths(self, present, values, name).of(target)
        gaps = values["risk"] - truth.each
        control = self.batch.control[present, int(estimator == "test")]
        bias = controlled_mean(values["risk"] - truth.influence, control)
        centre = float(truth.each.mean())
        hits = _hits(values, truth.each) if interval else None
        share = None if hits is None else float(hits.mean())
        return AuditRow(
            self.m,
            learner,
            estimator,
            interval,
            target,
            int(target in INTERVALS[interval].derived_for[estimator]) if interval else None,
            int(present.sum()),
            centre,
            _error(truth.influence),
            float(values["risk"].mean()),
            bias.mean,
            bias.error,
            bias.mean / centre if centre else 0.0,
            float(values["risk"].std(ddof=1)) if len(gaps) > 1 else 0.0,
            float(np.sqrt((gaps**2).mean())),
            share,
            None if share is None else float(np.sqrt(share * (1 - share) / len(gaps))),
            float((values["high"] - values["low"]).mean()) if interval else None,
            self.level if interval else None,
            self.fits(learner, estimator),
        )

    def fits(self, learner: str, estimator: str) -> int:
        """The fits that the workflow makes for an estimate: training sets × θ."""
        count = sum(name == learner or learner == ALL for name, _ in self.pairs)
        sealed = estimator == "test"
        asked = ESTIMATORS[self.by if sealed else estimator]
        sets = {available_kind(kind, self.batch.fits) for kind in asked.kinds}
        return count * sum(self.batch.fits[kind] for kind in sets if kind) + sealed

    def selections(self) -> Iterator[SelectionRow]:
        """One row per procedure."""
        full = self.batch.truths[FULL]
        for learner, chosen in self.batch.selected.items():
            mine = [i for i, (name, _) in enumerate(self.pairs) if learner in (ALL, name)]
            yield self._selection(learner, chosen, full, np.array(mine))

    def _selection(
        self, learner: str, chosen: np.ndarray, full: np.ndarray, mine: np.ndarray
    ) -> SelectionRow:
        got = full[np.arange(len(full)), chosen]
        best = full[:, mine].min(axis=1)
        right, regret = got <= best, got - best
        picked, counts = np.unique(chosen, return_counts=True)
        return SelectionRow(
            self.m,
            learner,
            len(mine),
            len(full),
            float(right.mean()),
            _error(right.astype(float)),
            float(regret.mean()),
            _error(regret),
            float(got.mean()),
            float(best.mean()),
            self._pair_name(int(picked[counts.argmax()]), learner),
            float(counts.max() / len(full)),
            self._pair_name(int(mine[full[:, mine].mean(axis=0).argmin()]), learner),
            int(self.batch.refused.sum()),
        )

    def _pair_name(self, pair: int, learner: str) -> str:
        name, theta = self.pairs[pair]
        return f"{name} {canonical(theta)}" if learner == ALL else canonical(theta)


@dataclass(frozen=True)
class Truth:
    """The true quantity of each replicate, and the values whose mean and error are those of its mean.

    Where the truth is an expectation, it is itself estimated by a mean over replicates, and
    `influence` is what each replicate contributes to that mean; elsewhere the two are equal.
    """

    each: np.ndarray
    influence: np.ndarray


@dataclass(frozen=True)
class Truths:
    """The true quantities that one estimate can be compared with."""

    summary: Summary
    present: np.ndarray
    values: dict[str, np.ndarray]
    name: RowName

    def of(self, target: str) -> Truth:
        """The truth of a target."""
        pair = self.values["pair"].astype(int)
        full = self.summary.batch.truths[FULL][self.present]
        if target == targets.THIS_PREDICTOR:
            each = full[np.arange(len(pair)), pair]
            return Truth(each, each)
        if target == targets.MODELS:
            return Truth(self.values["own"], self.values["own"])
        if target == targets.THIS_ALGORITHM:
            return _expected(full, pair)
        if target == targets.ALGORITHM_OWN:
            return _expected(self._own_size(), pair)
        if target == targets.TUNED_OWN:
            return _constant(self.values["own"])
        chosen = self.summary.batch.selected[self.name[0]][self.present]
        return _constant(full[np.arange(len(full)), chosen])

    def _own_size(self) -> np.ndarray:
        found = self.summary.batch.truths
        kind = available_kind(ESTIMATORS[self.name[1]].judges, found)
        assert kind is not None
        return found[kind][self.present]


def _expected(risks: np.ndarray, pair: np.ndarray) -> Truth:
    """E[risk of A_θ] at each replicate's θ, from the mean over all replicates."""
    means = risks.mean(axis=0)
    shares = np.bincount(pair, minlength=risks.shape[1]) / len(pair)
    return Truth(means[pair], means[pair] + (risks - means) @ shares)


def _constant(risks: np.ndarray) -> Truth:
    return Truth(np.full(len(risks), risks.mean()), risks)


class Mean(NamedTuple):
    """A mean over replicates and its Monte Carlo error."""

    mean: float
    error: float


def controlled_mean(values: np.ndarray, control: np.ndarray) -> Mean:
    """The mean of `values` with a control variate, whose known mean is zero, to reduce the variance.

    mean(v) − b·mean(c) with the least-squares slope b: its error is that of the residuals.
    """
    spread = control - control.mean()
    square = float(spread @ spread)
    slope = float(spread @ values) / square if square > 0 and len(values) > 10 else 0.0
    return Mean(float(values.mean() - slope * control.mean()), _error(values - slope * control))


def _hits(values: dict[str, np.ndarray], truth: np.ndarray) -> np.ndarray:
    return (values["low"] <= truth) & (truth <= values["high"])


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
