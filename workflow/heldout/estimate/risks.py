"""The risk of each θ, by each estimator of a fixed algorithm: the rows of risks.csv."""

from collections.abc import Iterator

from heldout.estimate.evidence import Evidence
from heldout.estimate.intervals import intervals_for
from heldout.estimate.lossbook import LossBook
from heldout.estimate.rows import RiskRow
from heldout.names import Theta, canonical
from heldout.plans import DEV, FOLDS, FULL
from heldout.splits import TRAIN, partitions


def risk_rows(book: LossBook, level: float) -> Iterator[RiskRow]:
    """All rows: learners and θ in order, estimators within."""
    for learner, thetas in book.thetas.items():
        for theta in thetas:
            yield from rows_of_theta(book, learner, theta, level)


def rows_of_theta(book: LossBook, learner: str, theta: Theta, level: float) -> Iterator[RiskRow]:
    """The rows of one θ: one per estimator whose cells are there."""
    if FULL in book.resamples:
        [full] = book.resamples[FULL]
        losses = book.losses(learner, theta, full)[TRAIN]
        risk = float(losses.mean())
        yield RiskRow(
            learner, canonical(theta), "training", risk, None, None, None, None, None, len(losses)
        )
    if DEV in book.resamples:
        yield _row(learner, theta, "holdout", holdout_evidence(book, learner, theta), level)
    if FOLDS in book.resamples:
        evidence = kfold_evidence(book, learner, theta)
        yield _row(learner, theta, "kfold", evidence, level)
        if len({len(losses) for losses in evidence.losses}) > 1:
            yield _pooled_row(learner, theta, evidence)


def holdout_evidence(book: LossBook, learner: str, theta: Theta) -> Evidence:
    """Development-set losses. The union bound covers all θ of all learners at once."""
    [dev] = book.resamples[DEV]
    return Evidence(
        "holdout",
        [book.losses(learner, theta, dev)[DEV]],
        [book.units(dev.held[DEV])],
        bound=book.loss.bound,
        binary=book.loss.name == "zero_one",
        comparisons=sum(len(thetas) for thetas in book.thetas.values()),
    )


def kfold_evidence(book: LossBook, learner: str, theta: Theta) -> Evidence:
    """The losses of every fold of every repeat, in order."""
    folds = book.resamples[FOLDS]
    split = partitions(book.splits["kfold"])
    held = [fold.held[fold.name] for fold in folds]
    return Evidence(
        "kfold",
        [book.losses(learner, theta, fold)[fold.name] for fold in folds],
        [book.units(rows) for rows in held],
        bound=book.loss.bound,
        binary=book.loss.name == "zero_one",
        ratio=1 / (split[0].k - 1),
        repeats=len(split),
    )


def _row(learner: str, theta: Theta, estimator: str, evidence: Evidence, level: float) -> RiskRow:
    found = intervals_for(evidence, level)
    name, (se, low, high) = (found[0][0], found[0][2]) if found else (None, (None, None, None))
    sd = float(evidence.set_means.std(ddof=1)) if len(evidence.losses) > 1 else None
    return RiskRow(
        learner, canonical(theta), estimator, evidence.risk, sd, se, low, high, name, evidence.n
    )


def _pooled_row(learner: str, theta: Theta, evidence: Evidence) -> RiskRow:
    """Folds of unequal size: the mean over examples differs from the mean over folds."""
    pooled = float(evidence.pooled.mean())
    return RiskRow(
        learner, canonical(theta), "kfold_pooled", pooled, None, None, None, None, None, evidence.n
    )
