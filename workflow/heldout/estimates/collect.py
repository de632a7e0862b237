"""Evidence of each estimator for a fixed learner and θ, collected from the loss book."""

import numpy as np

from heldout.estimates.evidence import Evidence
from heldout.estimates.loss_table import LossBook
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


def has_evidence(book: LossBook, estimator: str) -> bool:
    """Whether the cells of an estimator were fitted."""
    return any(book.has(kind) for kind in KIND_OF[estimator])


def training_losses(book: LossBook, learner: str, theta: Theta) -> np.ndarray:
    """The losses of A_θ(S) on S."""
    return book.losses(learner, theta, book.resample(FULL))[TRAIN]


def evidence_for(book: LossBook, estimator: str, learner: str, theta: Theta) -> Evidence:
    """The held-out losses behind one risk."""
    kind = next(kind for kind in KIND_OF[estimator] if book.has(kind))
    losses, units = [], []
    for resample in book.resamples[kind].values():
        found = book.losses(learner, theta, resample)
        for name, rows in resample.held.items():
            if name != TRAIN:
                losses.append(found[name])
                units.append(book.units(rows))
    return Evidence(
        estimator,
        losses,
        units,
        bound=book.loss.bound,
        binary=book.loss.name == "zero_one",
        ratio=_ratio(book, kind),
        repeats=len(book.partitions) if estimator == "kfold" else 1,
        comparisons=_theta_count(book) if estimator == "holdout" else 1,
        halves=_halves(book, learner, theta) if estimator == "montecarlo" else None,
    )


def _theta_count(book: LossBook) -> int:
    """|Θ₀|: the union bound covers all θ of all learners at once."""
    return sum(len(thetas) for thetas in book.thetas.values())


def _ratio(book: LossBook, kind: str) -> float:
    """Mean size of the held-out sets over mean size of the training sets (units)."""
    held, trained = list[int](), list[int]()
    for resample in book.resamples[kind].values():
        sets = [rows for name, rows in resample.held.items() if name != TRAIN]
        held += (sizes := [_units(book, rows) for rows in sets])
        if resample.parts:  # each is trained on all other rows
            everything = _units(book, np.arange(book.table.n))
            trained += [everything - size for size in sizes]
        else:
            trained.append(_units(book, resample.train))
    return float(np.mean(held) / np.mean(trained))


def _units(book: LossBook, rows: np.ndarray) -> int:
    return len(np.unique(book.units(rows))) if book.table.grouped else len(rows)


def _halves(book: LossBook, learner: str, theta: Theta) -> np.ndarray | None:
    """The Monte Carlo estimate of each half of each halving."""
    if not book.has(HALVES):
        return None
    means: dict[tuple[str, str], list[float]] = {}
    for resample in book.resamples[HALVES].values():
        _, halving, half, _ = resample.name.split(".")
        losses = book.losses(learner, theta, resample)[resample.name]
        means.setdefault((halving, half), []).append(float(losses.mean()))
    halvings = sorted({halving for halving, _ in means})
    return np.array([[np.mean(means[h, half]) for half in ("1", "2")] for h in halvings])


def whole_data_risks(book: LossBook, learner: str, theta: Theta) -> list[float]:
    """The risk of each fold's model on all rows, its own training rows included."""
    return [
        float(np.concatenate(list(book.losses(learner, theta, fold).values())).mean())
        for fold in book.resamples[FOLDS_WHOLE].values()
    ]


def out_of_fold(book: LossBook, learner: str, theta: Theta) -> np.ndarray:
    """For each row its out-of-fold loss, averaged over repeats."""
    kind = FOLDS if book.has(FOLDS) else FOLDS_WHOLE
    total = np.zeros(book.table.n)
    for partition in book.partitions:
        for fold in range(partition.k):
            resample: Resample = book.resamples[kind][partition.set_name(fold)]
            total[resample.held[resample.name]] += book.losses(learner, theta, resample)[
                resample.name
            ]
    return total / len(book.partitions)
