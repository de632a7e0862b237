"""One batch of a task's cells: finite grids are fitted whole, endless grids are scanned."""

from heldout.cells.fit import Batch, Fitter, share
from heldout.cells.plan import Plan
from heldout.cells.progress import Progress
from heldout.cells.store import Store
from heldout.selection.scan import Scanner


def fit_batch(
    plan: Plan,
    store: Store,
    models: str,
    loss_needs: str | None,
    scanner: Scanner | None,
    batch: int,
    batches: int,
    progress: Progress | None = None,
) -> Batch:
    """Find in the store, or fit, the cells of one batch.

    Parameters
    ----------
    plan
        The table, the learners and the resamples of a task.
    store
        Where cells are kept.
    models
        Which fitted models are kept: `all`, `selected` or `none`.
    loss_needs
        The field of `Predictions` that the loss needs, if it is known.
    scanner
        Needed where a learner's grid is endless. One batch scans it whole.
    batch, batches
        Batch number `batch`, counted from 1, of `batches`.
    progress
        Is told of every cell; None: lines for a log.

    Returns
    -------
    Batch
        The cells, and the fits that failed.
    """
    pairs = list(share(plan, batch, batches))
    endless = [learner for learner in plan.learners if learner.endless][batch - 1 :: batches]
    expected = plan.resamples if endless else [resample for resample, _ in pairs]
    fitter = Fitter(plan, store, models, loss_needs, expected)
    if progress is not None:
        fitter.progress = progress
    thetas = {learner.name: learner.thetas(plan.seed) for _, learner in pairs}
    fitter.progress.expect(sum(len(thetas[learner.name]) for _, learner in pairs))
    for resample, learner in pairs:
        fitter.ensure(learner, resample, thetas[learner.name])
    for learner in endless:
        assert scanner is not None
        scanner.scan(fitter, learner)
    return fitter.batch
