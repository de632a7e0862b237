"""One batch of an audit's replicates → one file of arrays."""

from pathlib import Path

from threadpoolctl import threadpool_limits

from heldout.audit.batch import stack, write_batch
from heldout.audit.replicate import Auditor, Setup
from heldout.audit.source import open_source
from heldout.estimates.rules import rule_of
from heldout.execution.specs.audit import AuditBatch


def main(folder: Path, spec: AuditBatch) -> None:
    """Run the replicates of the batch, one after another."""
    auditor, m = Auditor(setup_of(folder, spec)), spec.m
    numbers = range(spec.first, spec.first + spec.count)
    with threadpool_limits(1):  # thousands of small fits: threads would only wait for one another
        replicates = [auditor.replicate(m, number) for number in numbers]
    write_batch(folder / "audit" / f"m{m}" / f"batch-{spec.batch}.npz", stack(replicates))
    print(f"replicates {numbers[0]} to {numbers[-1]} at m = {m}")


def setup_of(folder: Path, spec: AuditBatch) -> Setup:
    """What the spec says about the replicates, with the source of their draws opened."""
    return Setup(
        task=spec.cells.task,
        seed=spec.cells.seed,
        learners=spec.cells.learners,
        loss=spec.loss,
        kinds=spec.cells.kinds,
        estimators=spec.estimators,
        settings=spec.settings,
        stratify=spec.stratify,
        by=spec.by,
        rule=rule_of(spec.rule),
        level=spec.level,
        test=spec.test,
        source=open_source(folder, spec.data, spec.oracle, spec.truth),
    )
