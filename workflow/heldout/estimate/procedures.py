"""Estimates for tuned procedures: rows of estimates.csv for each learner and for `all`."""

from collections.abc import Iterator

from heldout.estimate.evidence import Evidence
from heldout.estimate.lossbook import LossBook
from heldout.estimate.risks import holdout_evidence, kfold_evidence
from heldout.estimate.rows import EstimateRow
from heldout.estimate.select import smallest
from heldout.estimate.tables import bare_row, estimate_rows
from heldout.names import Theta
from heldout.plans import DEV, FOLDS, FULL
from heldout.splits import TRAIN

TRAINING = "none: the empirical risk of A_θ̂(S) on S itself (optimistic)"
HOLDOUT = "min_θ ℓ_D(A_θ(S_train)): the best θ on the development set"
KFOLD = "E[ℓ_D(A_θ̂(S))]: this algorithm with the selected θ, which the same folds chose"

Chosen = tuple[str, Theta]
"""A learner's name and a θ."""


def procedure_rows(
    book: LossBook, selected: dict[str, Chosen], level: float
) -> Iterator[EstimateRow]:
    """All rows; `selected` maps each learner, and `all`, to its selected learner and θ."""
    for name, (learner, theta) in selected.items():
        if FULL in book.resamples:
            [full] = book.resamples[FULL]
            losses = book.losses(learner, theta, full)[TRAIN]
            yield bare_row(
                name, "training", TRAINING, theta, float(losses.mean()), len(losses), learner
            )
        if DEV in book.resamples:
            best, evidence = _best_on_dev(book, book.thetas if name == "all" else [name])
            yield from estimate_rows(name, "holdout", HOLDOUT, best[1], evidence, level, best[0])
        if FOLDS in book.resamples:
            evidence = kfold_evidence(book, learner, theta)
            yield from estimate_rows(name, "kfold", KFOLD, theta, evidence, level, learner)


def _best_on_dev(
    book: LossBook, names: "list[str] | dict[str, list[Theta]]"
) -> tuple[Chosen, Evidence]:
    pairs = [(name, theta) for name in names for theta in book.thetas[name]]
    evidence = [holdout_evidence(book, name, theta) for name, theta in pairs]
    best = smallest([one.risk for one in evidence])
    return pairs[best], evidence[best]
