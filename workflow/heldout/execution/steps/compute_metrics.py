"""Cells, choice and predictions for the sealed rows → metrics.csv: further measures, nothing selected by them."""

from collections.abc import Iterator
from pathlib import Path

from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError
from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.metrics import MetricRow, as_metric, metric_rows, undefined
from heldout.estimates.procedures import ALL, Procedures
from heldout.estimates.rows import write_rows
from heldout.estimates.rules import rule_of
from heldout.execution.specs.estimates import ComputeMetrics
from heldout.files import read_json
from heldout.measures.loss import Loss
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.selection.sealed_predictions import read_predictions
from heldout.selection.select import selected_thetas
from heldout.selection.spec import SealedTestSpec
from heldout.selection.test import test_rows


def main(folder: Path, spec: ComputeMetrics, batches: int) -> None:
    """Compute and write all rows."""
    loss_table = open_loss_table(folder, spec.cells, batches)
    table = loss_table.table
    metrics = {one.title: measure_of(one.loss, table) for one in spec.metrics}
    procedures = Procedures(
        loss_table,
        selected_thetas(read_json(folder / "selection" / "choice.json")),
        spec.estimators,
        rule_of(spec.rule),
        spec.level,
        spec.cells.seed,
    )
    rows = list(metric_rows(procedures, metrics))
    if spec.test is not None:
        rows += sealed_rows(folder, metrics, spec.test)
    write_rows(folder / "metrics.csv", MetricRow, rows)


def measure_of(spec: LossSpec, table: Prepared) -> Loss:
    """A measure for the target of this table; an error says that it is a metric."""
    try:
        return loss_for(spec, table.classes, table.class_counts)
    except HeldoutError as error:
        raise HeldoutError(f"metrics: {error}") from error


def sealed_rows(
    folder: Path, metrics: dict[str, Loss], spec: SealedTestSpec
) -> Iterator[MetricRow]:
    """The metrics on the sealed rows, from what was predicted when they were opened.

    One that is not defined there has rows that say so: the run goes on.
    """
    found = read_predictions(folder / "vault")
    choice = read_json(folder / "selection" / "choice.json")
    count = read_json(folder / "vault" / "opening.json")["count"]
    for name, loss in metrics.items():
        try:
            yield from as_metric(test_rows(found, choice, loss, spec, count), name)
        except (HeldoutError, ValueError) as error:
            learner, theta = choice["learner"], choice["theta"]
            for procedure in (learner, ALL):
                yield undefined(name, "test", procedure, learner, theta, len(found), str(error))
