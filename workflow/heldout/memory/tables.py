"""From fitted cells to the tables of a task: the steps of the workflow after the fits, without files."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from heldout.cells.manifest import cell_warnings
from heldout.cells.stored import StoredCells
from heldout.checks.check import CheckRow, Context, run_checks
from heldout.estimates.comparisons import Comparison
from heldout.estimates.confidence_rows import ConfidenceRow, confidence_rows
from heldout.estimates.loss_table import LossTable, loss_table_of
from heldout.estimates.metrics import MetricRow, metric_rows
from heldout.estimates.procedures import Procedures
from heldout.estimates.risks import risk_rows
from heldout.estimates.rows import EstimateRow, FoldRow, RiskRow
from heldout.estimates.rules import rule_of
from heldout.estimates.tables import by_learner, with_tails
from heldout.execution.specs import build
from heldout.execution.steps.compute_metrics import measure_of
from heldout.execution.tasks import DeclaredTask
from heldout.learners.catalogue import is_baseline
from heldout.memory.fitting import Fitted, plan_of
from heldout.selection.edges import gains_by
from heldout.selection.final import Predictor
from heldout.selection.select import select, selected_thetas
from heldout.selection.train import final_predictor


@dataclass(frozen=True)
class Tables:
    """What the files of a finished task hold, row by row."""

    loss_table: LossTable
    risks: list[RiskRow]
    confidence_set: list[ConfidenceRow]
    selection: dict[str, Any]
    estimates: list[EstimateRow]
    folds: list[FoldRow]
    comparisons: list[Comparison]
    metrics: list[MetricRow]
    checks: list[CheckRow]
    model: Predictor


def tables_of(task: DeclaredTask, fitted: Fitted) -> Tables:
    """Estimate, select, compare, check, and train the final model.

    Parameters
    ----------
    task
        The task.
    fitted
        All its cells.

    Returns
    -------
    Tables
        The rows that the workflow writes into files, in the same order.
    """
    spec = build.estimate_risks(task)
    stored = StoredCells(fitted.store, fitted.index)
    loss_table = loss_table_of(fitted.table, fitted.splits, stored, spec.cells)
    risks = list(risk_rows(loss_table, spec.level))
    kept = confidence_rows(loss_table, spec.level, spec.cells.seed)
    choice = _choice(task, loss_table, risks, kept)
    procedures = _procedures(task, loss_table, choice)
    rows = with_tails(procedures.rows())
    estimates, folds = by_learner(rows, task.block.learners), list(procedures.fold_rows())
    selection = {**choice, "test": None, "refit": None}
    comparisons = procedures.comparisons()
    context = Context(
        loss_table,
        task.estimators,
        selection,
        estimates,
        folds,
        spec.level,
        kept,
        cell_warnings(fitted.index),
        Counter((learner, theta) for learner, theta, _ in fitted.index),
        comparisons,
        [one.name for one in task.learners if is_baseline(one.classifier, one.regressor)],
    )
    return Tables(
        loss_table,
        risks,
        kept,
        selection,
        estimates,
        folds,
        comparisons,
        _metrics(task, procedures),
        run_checks(context),
        _model(task, fitted, choice),
    )


def _choice(
    task: DeclaredTask, loss_table: LossTable, risks: list[RiskRow], kept: list[ConfidenceRow]
) -> dict[str, Any]:
    spec = build.select_model(task)
    rule, gains = rule_of(spec.rule), gains_by(loss_table, spec.by)
    return select(risks, kept, spec.by, rule, spec.maximum, loss_table.loss, gains)


def _procedures(task: DeclaredTask, loss_table: LossTable, choice: dict[str, Any]) -> Procedures:
    spec = build.estimate_procedures(task)
    chosen, rule = selected_thetas(choice), rule_of(spec.rule)
    return Procedures(loss_table, chosen, spec.estimators, rule, spec.level, spec.cells.seed)


def _metrics(task: DeclaredTask, procedures: Procedures) -> list[MetricRow]:
    table = procedures.loss_table.table
    asked = build.compute_metrics(task).metrics
    return list(metric_rows(procedures, {one.title: measure_of(one.loss, table) for one in asked}))


def _model(task: DeclaredTask, fitted: Fitted, choice: dict[str, Any]) -> Predictor:
    """The final model, of all rows; fitted again, since no cell keeps its model."""
    spec = build.train_final(task)
    plan = plan_of(task, fitted.table, [spec.full], fitted.splits)
    return final_predictor(plan, fitted.store, choice, spec.thresholded, spec.positive)[0]
