"""Everything → checks.csv."""

from collections import Counter
from pathlib import Path

from heldout.cells.manifest import cell_warnings, manifest_paths, read_manifests
from heldout.checks.check import CheckRow, Context, run_checks
from heldout.data.sealed_facts import read_facts
from heldout.estimates.comparisons import Comparison
from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.rows import EstimateRow, FoldRow, read_rows, write_rows
from heldout.execution.specs.estimates import RunChecks
from heldout.files import read_json
from heldout.learners.catalogue import is_baseline


def main(folder: Path, spec: RunChecks, batches: int) -> None:
    """Ask every question about the finished run."""
    checks = run_checks(context_of(folder, spec, batches))
    write_rows(folder / "checks.csv", CheckRow, checks)


def context_of(folder: Path, spec: RunChecks, batches: int) -> Context:
    """All that checks look at."""
    index = read_manifests(manifest_paths(folder, batches))
    return Context(
        open_loss_table(folder, spec.cells, batches),
        spec.estimators,
        read_json(folder / "selection.json"),
        read_rows(folder / "estimates.csv", EstimateRow),
        read_rows(folder / "folds.csv", FoldRow),
        spec.level,
        read_rows(folder / "confidence_set.csv", ConfidenceRow),
        cell_warnings(index),
        Counter((learner, theta) for learner, theta, _ in index),
        read_rows(folder / "comparisons.csv", Comparison),
        [one.name for one in spec.cells.learners if is_baseline(one.classifier, one.regressor)],
        read_facts(folder / "vault") if spec.test else None,
    )
