"""Splits → one batch of cells: a model and a score file per (θ, held-out set), and a manifest."""

from pathlib import Path
from typing import Any

from heldout.cells.fit import Fitter, report_batch, share
from heldout.cells.manifest import manifest_paths, write_manifest
from heldout.cells.plan import open_plan, read_splits
from heldout.cells.store import Store
from heldout.measures.losses import loss_for
from heldout.selection.scan import Scanner


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Fit what is missing, then list everything in the manifest."""
    plan = open_plan(folder, spec)
    part, parts = spec["part"], spec["parts"]
    loss = loss_for(spec["loss"], plan.table.classification)
    units = list(share(plan, part, parts))
    endless = [learner for learner in plan.learners if learner.endless][part - 1 :: parts]
    expected = plan.resamples if endless else [resample for resample, _ in units]
    store = Store(folder / "cells")
    store.adopt()
    fitter = Fitter(plan, store, spec["models"], loss.needs, expected)
    thetas = {learner.name: learner.thetas(plan.seed) for _, learner in units}
    fitter.progress.expect(sum(len(thetas[learner.name]) for _, learner in units))
    for resample, learner in units:
        fitter.ensure(learner, resample, thetas[learner.name])
    for learner in endless:
        splits = read_splits(folder, spec["kinds"])
        Scanner(loss, splits, spec["kinds"], **spec["scan"]).scan(fitter, learner)
    report_batch(fitter.batch)
    facts = {"task": plan.task, "part": part, "parts": parts, "data": plan.table.digest}
    counts = {
        "fitted": fitter.batch.fitted,
        "reused": len(fitter.batch.cells) - fitter.batch.fitted,
    }
    path = manifest_paths(folder, parts)[part - 1]
    write_manifest(path, facts | counts, fitter.batch.cells)
