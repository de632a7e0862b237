"""Evidence of each estimator for a fixed learner and θ, collected from the loss table."""

import numpy as np

from heldout.estimates.evidence import Evidence
from heldout.estimates.loss_table import LossTable
from heldout.names import Theta
from heldout.resampling.kinds import BAGS, DEV, FOLDS, FOLDS_WHOLE, FULL, HALVES, LOO, ROUNDS
from heldout.resampling.split import TRAIN, Resample

KIND_OF = {
    "holdout": (DEV,),
    "kfold": (FOLDS, FOLDS_WHOLE),
    "loo": (LOO,),
    "montecarlo": (ROUNDS,),
    "bootstrap": (BAGS,),
}
"""The kinds of cells that hold an estimator's held-out losses; the first one found is used."""


def has_evidence(loss_table: LossTable, estimator: str) -> bool:
    """Whether the cells of an estimator were fitted."""
    return any(loss_table.has(kind) for kind in KIND_OF[estimator])


def training_losses(loss_table: LossTable, learner: str, theta: Theta) -> np.ndarray:
    """The losses of A_θ(S) on S."""
    return loss_table.losses(learner, theta, loss_table.resample(FULL))[TRAIN]


def evidence_for(loss_table: LossTable, estimator: str, learner: str, theta: Theta) -> Evidence:
    """The held-out losses behind one risk."""
    kind = next(kind for kind in KIND_OF[estimator] if loss_table.has(kind))
    losses, units = [], []
    for resample in loss_table.resamples[kind].values():
        found = loss_table.losses(learner, theta, resample)
        for name, rows in resample.held.items():
            if name != TRAIN:
                losses.append(found[name])
                units.append(loss_table.units(rows))
    return Evidence(
        estimator,
        losses,
        units,
        bound=loss_table.loss.bound,
        binary=loss_table.loss.name == "zero_one",
        ratio=_ratio(loss_table, kind),
        repeats=len(loss_table.partitions) if estimator == "kfold" else 1,
        comparisons=_theta_count(loss_table) if estimator == "holdout" else 1,
        halves=_halves(loss_table, learner, theta) if estimator == "montecarlo" else None,
    )


def _theta_count(loss_table: LossTable) -> int:
    """|Θ₀|: the union bound covers all θ of all learners at once."""
    return sum(len(thetas) for thetas in loss_table.thetas.values())


def _ratio(loss_table: LossTable, kind: str) -> float:
    """Mean size of the held-out sets over mean size of the training sets (units)."""
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
        losses = loss_table.losses(learner, theta, resample)[resample.name]
        means.setdefault((halving, half), []).append(float(losses.mean()))
    halvings = sorted({halving for halving, _ in means})
    return np.array([[np.mean(means[h, half]) for half in ("1", "2")] for h in halvings])


def whole_data_risks(loss_table: LossTable, learner: str, theta: Theta) -> list[float]:
    """The risk of each fold's model on all rows, its own training rows included."""
    return [
        float(np.concatenate(list(loss_table.losses(learner, theta, fold).values())).mean())
        for fold in loss_table.resamples[FOLDS_WHOLE].values()
    ]


def out_of_fold(loss_table: LossTable, learner: str, theta: Theta) -> np.ndarray:
    """For each row its out-of-fold loss, averaged over repeats."""
    kind = FOLDS if loss_table.has(FOLDS) else FOLDS_WHOLE
    total = np.zeros(loss_table.table.n)
    for partition in loss_table.partitions:
        for fold in range(partition.k):
            resample: Resample = loss_table.resamples[kind][partition.set_name(fold)]
            total[resample.held[resample.name]] += loss_table.losses(learner, theta, resample)[
                resample.name
            ]
    return total / len(loss_table.partitions)
