"""Splits → one batch of cells: a model and a score file per (θ, held-out set), and a manifest."""

from pathlib import Path

from heldout.cells.fit import report_batch
from heldout.cells.kept_models import kept_models
from heldout.cells.manifest import manifest_paths, write_manifest
from heldout.cells.plan import open_plan, read_splits
from heldout.cells.sets_check import check_sets, check_threshold
from heldout.cells.store import Store
from heldout.execution.specs.cells import FitCells
from heldout.measures.needs import BY_THRESHOLD
from heldout.measures.registry import loss_for
from heldout.selection.batch import fit_batch
from heldout.selection.scan import Scanner


def main(folder: Path, spec: FitCells) -> None:
    """Fit what is missing, then list everything in the manifest."""
    plan, kinds = open_plan(folder, spec.cells), spec.cells.kinds
    loss = loss_for(spec.loss, plan.table.classes, plan.table.class_counts)
    check_sets(loss, plan)
    if spec.thresholded:
        check_threshold(loss, plan.table.classes)
    scanner = None
    if spec.scan is not None:
        scanner = Scanner(loss, read_splits(folder, kinds), kinds, spec.scan)
    store, place = Store(folder / "cells", spec.packed), (spec.batch, spec.batches)
    store.adopt()
    needs = BY_THRESHOLD if spec.thresholded else loss.needs
    models = kept_models(store.folder, spec.models)
    done = fit_batch(plan, store, models, needs, scanner, *place)
    report_batch(done)
    facts = {
        "task": plan.task,
        "batch": spec.batch,
        "batches": spec.batches,
        "data": plan.table.digest,
        "fitted": done.fitted,
        "reused": len(done.cells) - done.fitted,
    }
    write_manifest(manifest_paths(folder, spec.batches)[spec.batch - 1], facts, done.cells)
