"""Splits → one batch of cells: a model and a score file per (θ, held-out set), and a manifest."""

from pathlib import Path
from typing import Any

from heldout.cells import open_plan
from heldout.fit import fit_part, report_batch
from heldout.losses import loss_for
from heldout.manifest import manifest_paths, write_manifest
from heldout.store import Store


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Fit what is missing, then list everything in the manifest."""
    plan = open_plan(folder, spec)
    part, parts = spec["part"], spec["parts"]
    needs = loss_for(spec["loss"], plan.table.classification).needs
    keep_models = spec["models"] != "none"
    batch = fit_part(plan, Store(folder / "cells"), part, parts, keep_models, needs)
    report_batch(batch)
    facts = {"task": plan.task, "part": part, "parts": parts, "data": plan.table.digest}
    counts = {"fitted": batch.fitted, "reused": len(batch.cells) - batch.fitted}
    write_manifest(manifest_paths(folder, parts)[part - 1], facts | counts, batch.cells)
