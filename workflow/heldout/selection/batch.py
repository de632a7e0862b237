"""One batch of a task's cells: listed θ are fitted as they are, an endless grid is scanned."""

from heldout.cells.fit import Batch, Fitter, share
from heldout.cells.plan import Plan
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
) -> Batch:
    """Find or fit the cells of batch `batch` (counted from 1) of `batches`.

    `scanner` is needed where a learner's grid is endless; a scan is not divided between batches.
    """
    pairs = list(share(plan, batch, batches))
    endless = [learner for learner in plan.learners if learner.endless][batch - 1 :: batches]
    expected = plan.resamples if endless else [resample for resample, _ in pairs]
    fitter = Fitter(plan, store, models, loss_needs, expected)
    thetas = {learner.name: learner.thetas(plan.seed) for _, learner in pairs}
    fitter.progress.expect(sum(len(thetas[learner.name]) for _, learner in pairs))
    for resample, learner in pairs:
        fitter.ensure(learner, resample, thetas[learner.name])
    for learner in endless:
        assert scanner is not None
        scanner.scan(fitter, learner)
    return fitter.batch
