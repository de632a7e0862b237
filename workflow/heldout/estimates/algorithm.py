"""A_θ, a learner with a fixed θ: the losses that its estimates are computed from."""

from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from heldout.estimates.bootstrap import PerRow, bags_of, per_row_risk
from heldout.estimates.evidence import Evidence, FoldPairs, Sample, known_of
from heldout.estimates.lookup import available_kind
from heldout.estimates.loss_table import LossTable
from heldout.estimates.nested import InnerTables, values_by_pair
from heldout.estimates.pooled import pooled_evidence
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.tuned_se import Variability, training_variability
from heldout.names import Theta
from heldout.resampling.kinds import BAGS, DEV, FOLDS, FOLDS_WHOLE, FULL, HALVES, PAIRS, ROUNDS
from heldout.resampling.split import TRAIN, Partition, Resample


@dataclass(frozen=True)
class Algorithm:
    """A learner with a fixed θ; what several estimators need is computed once.

    `inner`: the inner tables, where all pairs of folds are there. `candidates`: how many θ the same
    rows chose this one from; 1 if it was given.
    """

    loss_table: LossTable
    learner: str
    theta: Theta
    inner: InnerTables | None = None
    candidates: int = 1
    _evidence: dict[str, Evidence] = field(default_factory=dict)

    def evidence(self, estimator: str) -> Evidence:
        """The held-out losses that an estimator averages, and what its intervals need."""
        if estimator not in self._evidence:
            self._evidence[estimator] = self._find(estimator)
        return self._evidence[estimator]

    def _find(self, estimator: str) -> Evidence:
        found = evidence_for(self.loss_table, estimator, self.learner, self.theta)
        jackknife = estimator == "kfold" and self.inner is not None
        return replace(
            found,
            candidates=self.candidates,
            variability=self._variability if jackknife else None,
        )

    @property
    def pooled(self) -> Evidence:
        """The evidence of the value of all held-out rows together."""
        if "kfold_pooled" not in self._evidence:
            found = pooled_evidence(
                self.loss_table,
                "kfold_pooled",
                lambda partition: [(self.learner, self.theta)] * partition.k,
                lambda _: 0.0,
            )
            self._evidence["kfold_pooled"] = replace(found, candidates=self.candidates)
        return self._evidence["kfold_pooled"]

    def _variability(self) -> Variability:
        """V of the models of this θ; nothing is selected."""
        assert self.inner is not None
        place = self.loss_table.thetas[self.learner].index(self.theta)
        values = [
            values_by_pair(self.inner, partition, [(self.learner, place)] * partition.k)
            for partition in self.loss_table.partitions
        ]
        return Variability(float(np.mean([training_variability(one) for one in values])), 0.0)

    @cached_property
    def training_risk(self) -> float:
        """The risk of A_θ(S) on S."""
        full = self.loss_table.resample(FULL)
        return self.loss_table.risks(self.learner, self.theta, full)[TRAIN]

    @cached_property
    def out_of_bag(self) -> PerRow:
        """Efron's E₁, the out-of-bag risk averaged by row."""
        return per_row_risk(self.loss_table, self.learner, self.theta)

    @property
    def whole_data_risk(self) -> float:
        """The mean risk of the folds' models on all rows, their own training rows included."""
        folds = self.loss_table.resamples[FOLDS_WHOLE].values()
        risks = [self.loss_table.joint_risk(self.learner, self.theta, fold) for fold in folds]
        return float(np.mean(risks))


def evidence_for(loss_table: LossTable, estimator: str, learner: str, theta: Theta) -> Evidence:
    """Collect the held-out losses that an estimator averages.

    Parameters
    ----------
    loss_table
        The losses of a task.
    estimator
        The name of an estimator of a fixed θ that averages held-out losses.
    learner, theta
        The algorithm A_θ.

    Returns
    -------
    Evidence
        The losses by held-out set, and what intervals need besides.

    Examples
    --------
    >>> evidence = evidence_for(loss_table, "kfold", "mean", {"shrink": 0.0})
    >>> evidence.set_means.tolist()
    [7.3125, 2.8125, 18.0]
    >>> evidence.risk
    9.375
    """
    judged = ESTIMATORS[estimator].judges
    kind = available_kind(judged, loss_table.resamples)
    assert kind is not None
    losses, rows = [], []
    for resample in loss_table.resamples[kind].values():
        found = _held_out_losses(loss_table, learner, theta, resample, judged)
        for name, held in resample.held.items():
            if name != TRAIN:
                losses.append(found[name])
                rows.append(held)
    times = loss_table.table.times
    pairs = judged == FOLDS and loss_table.has(PAIRS) and not loss_table.table.grouped
    return Evidence(
        estimator,
        losses,
        [loss_table.units(held) for held in rows],
        rows,
        **known_of(loss_table),
        ratio=_ratio(loss_table, kind),
        repeats=len(loss_table.partitions) if judged == FOLDS else 1,
        divisor=_theta_count(loss_table) if judged == DEV else 1,
        halves=_halves(loss_table, learner, theta) if judged == ROUNDS else None,
        fold_pairs=partial(_fold_pairs, loss_table, learner, theta) if pairs else None,
        bags=partial(bags_of, loss_table, learner, theta) if judged == BAGS else None,
        sample=partial(_dev_sample, loss_table, learner, theta) if judged == DEV else None,
        times=None if times is None or judged != DEV else times[rows[0]],
        in_order=times is not None,
    )


def _held_out_losses(
    loss_table: LossTable, learner: str, theta: Theta, resample: Resample, judged: str
) -> dict[str, np.ndarray]:
    """The losses of a cell. Of bags, whose intervals need losses of examples, the risk in place of each pseudo-loss."""
    if judged != BAGS or loss_table.plain:
        return loss_table.losses(learner, theta, resample)
    risks = loss_table.risks(learner, theta, resample)
    return {name: np.full(len(rows), risks[name]) for name, rows in resample.held.items()}


def _dev_sample(loss_table: LossTable, learner: str, theta: Theta) -> Sample:
    """The development set as it was predicted."""
    [dev] = loss_table.resamples[DEV].values()
    [(name, rows)] = [(name, rows) for name, rows in dev.held.items() if name != TRAIN]
    said = loss_table.predictions(learner, theta, dev)[name]
    weights = loss_table.table.weights
    return Sample(
        loss_table.loss,
        np.asarray(loss_table.table.target[rows]),
        said,
        None if weights is None else weights[rows],
    )


def _theta_count(loss_table: LossTable) -> int:
    """The number of θ of all learners, for the union bound."""
    return sum(len(thetas) for thetas in loss_table.thetas.values())


def _ratio(loss_table: LossTable, kind: str) -> float:
    """Mean size of the held-out sets over mean size of the training sets, counted in units."""
    held, trained = list[int](), list[int]()
    for resample in loss_table.resamples[kind].values():
        sets = [rows for name, rows in resample.held.items() if name != TRAIN]
        held += (sizes := [_units(loss_table, rows) for rows in sets])
        if resample.members:  # each is trained on all other rows
            everything = _units(loss_table, np.arange(loss_table.table.n))
            trained += [everything - size for size in sizes]
        else:
            trained.append(_units(loss_table, resample.train))
    return float(np.mean(held) / np.mean(trained))


def _units(loss_table: LossTable, rows: np.ndarray) -> int:
    return len(np.unique(loss_table.units(rows))) if loss_table.table.grouped else len(rows)


def _halves(loss_table: LossTable, learner: str, theta: Theta) -> np.ndarray | None:
    """The Monte Carlo estimate of each half of each halving."""
    if not loss_table.has(HALVES):
        return None
    means: dict[tuple[str, str], list[float]] = {}
    for resample in loss_table.resamples[HALVES].values():
        _, halving, half, _ = resample.name.split(".")
        risk = loss_table.risks(learner, theta, resample)[resample.name]
        means.setdefault((halving, half), []).append(risk)
    halvings = sorted({halving for halving, _ in means})
    return np.array([[np.mean(means[h, half]) for half in ("1", "2")] for h in halvings])


def _fold_pairs(loss_table: LossTable, learner: str, theta: Theta) -> FoldPairs:
    """The losses of the models trained without two folds, for each fold of each partition."""
    inner, outer = [], []
    for partition in loss_table.partitions:
        for fold in range(partition.k):
            name = partition.set_name(fold)
            inner.append(_inner_losses(loss_table, learner, theta, partition, fold))
            outer.append(loss_table.losses(learner, theta, loss_table.resample(name))[name])
    return FoldPairs(loss_table.partitions[0].k, loss_table.table.n, inner, outer)


def _inner_losses(
    loss_table: LossTable, learner: str, theta: Theta, partition: Partition, outer: int
) -> np.ndarray:
    """The losses on every other fold j of the model trained without {outer, j}."""
    found = []
    for inner in range(partition.k):
        if inner != outer:
            pair = loss_table.resample(partition.set_name(outer, inner))
            found.append(loss_table.losses(learner, theta, pair)[partition.set_name(inner)])
    return np.concatenate(found)
