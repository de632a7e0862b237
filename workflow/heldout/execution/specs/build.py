"""From the config to the spec of each step: one function per step, named for it.

A function takes a task and the wildcards of the rule, which are texts; `render_index` takes all
tasks. Standard library and pydantic only: the workflow imports this while it is parsed.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heldout.audit.assets import audit_assets_digest
from heldout.audit.spec import AuditPageSpec
from heldout.cells.spec import CellsSpec
from heldout.data import oracle_catalogue
from heldout.data.ledger import FOLDER, ledger_faults
from heldout.data.reading import Reading
from heldout.data.request import Request
from heldout.data.witness import task_folders
from heldout.estimates.lookup import outer_among
from heldout.estimates.spec import LossTableSpec, RuleSpec
from heldout.execution.sharing import opening_tasks, sharing_digest
from heldout.execution.specs.audit import AuditBatch, RenderAudit, SummariseAudit
from heldout.execution.specs.cells import FitCells
from heldout.execution.specs.estimates import (
    ComputeMetrics,
    EstimateProcedures,
    EstimateRisks,
    Metric,
    OpenTest,
    RunChecks,
    ScoreTest,
    SelectModel,
    TabulateEstimates,
    TrainAll,
    TrainFinal,
    WriteCard,
)
from heldout.execution.specs.report import DrawFigures, RenderIndex, RenderReport
from heldout.execution.tasks import DeclaredTask
from heldout.measures.choice import classification_of
from heldout.numerics.engines.registry import numeric_code
from heldout.provenance import library_versions
from heldout.report.assets import assets_digest
from heldout.report.spec import ReportSpec
from heldout.resampling import spec as drawn
from heldout.resampling.kinds import split_files
from heldout.resampling.spec import SplitSettings, SplitSpec
from heldout.selection.spec import ScanSpec, SealedTestSpec

AUDIT_TEST = 0.2
"""The share that an audit seals where the task's test set is a table of its own."""


def prepare_data(task: DeclaredTask) -> Request:
    """How the table is read, and what of it is sealed."""
    block = task.block
    oracle = None
    if task.is_oracle:
        rows = block.oracle.get("rows", oracle_catalogue.ROWS)
        oracle = task.oracle | {"rows": rows}
    return Request(
        task=task.name,
        seed=task.config.seed,
        data=block.data,
        target=block.target,
        drop=block.drop,
        groups=block.groups,
        fold_column=block.kfold.column,
        weights=block.weights,
        reading=Reading(
            delimiter=block.delimiter,
            decimal=block.decimal,
            thousands=block.thousands,
            encoding=block.encoding,
            sheet=block.sheet,
            missing=block.missing,
        ),
        missing_target=block.missing_target,
        categories=block.categories,
        types=block.types,
        classification=classification_of(block.loss),
        test=block.test,
        stratify=block.kfold.stratify,
        oracle=oracle,
        private=task.config.vault == "private",
        time=block.time,
        rolling=_rolling(task),
    )


def draw_splits(task: DeclaredTask, split: str) -> SplitSpec:
    """One split file."""
    stratify = task.block.kfold.stratify
    return SplitSpec(task.name, task.config.seed, split, _settings(task, split), stratify)


def fit_cells(task: DeclaredTask, batch: str, batches: str) -> FitCells:
    """One batch of cells. Which θ is simpler changes no fit, so it is left out."""
    cells = _cells(task)
    return FitCells(
        cells=replace(cells, learners=[replace(one, simpler={}) for one in cells.learners]),
        loss=task.loss,
        thresholded=bool(task.thresholds),
        models=task.config.models,
        packed=task.packed,
        scan=_scan(task),
        batch=int(batch),
        batches=int(batches),
    )


def estimate_risks(task: DeclaredTask) -> EstimateRisks:
    """The risk of each θ."""
    return EstimateRisks(_loss_table(task), task.config.level)


def select_model(task: DeclaredTask) -> SelectModel:
    """The choice of θ and learner."""
    select = task.block.select
    return SelectModel(select.by, _rule(task), select.maximum, _loss_table(task))


def estimate_procedures(task: DeclaredTask) -> EstimateProcedures:
    """The estimates of tuned procedures."""
    level, estimators = task.config.level, task.estimators
    return EstimateProcedures(_loss_table(task), level, estimators, _rule(task))


def compute_metrics(task: DeclaredTask) -> ComputeMetrics:
    """The extra metrics."""
    return ComputeMetrics(
        cells=_loss_table(task),
        level=task.config.level,
        estimators=task.estimators,
        rule=_rule(task),
        metrics=[Metric(title, loss) for title, loss in task.metrics.items()],
        test=_sealed_test(task) if task.has_test else None,
    )


def train_final(task: DeclaredTask) -> TrainFinal:
    """The final model. The positive class counts only where a threshold decides for it."""
    thresholded = bool(task.thresholds)
    positive = task.block.positive if thresholded else None
    return TrainFinal(_cells(task), task.config.models, thresholded, positive, task.full)


def train_all(task: DeclaredTask) -> TrainAll:
    """The model of all rows."""
    thresholded = bool(task.thresholds)
    return TrainAll(_cells(task), thresholded, task.block.positive if thresholded else None)


def open_test(task: DeclaredTask) -> OpenTest:
    """The opening of the sealed rows. Nothing here changes with the loss or the level."""
    sharing = opening_tasks(task.config, task.name)
    return OpenTest(
        task=task.name,
        target=task.block.target,
        groups=task.block.groups,
        weights=task.block.weights,
        time=task.block.time,
        open_again=task.config.open_again,
        private=task.config.vault == "private",
        sharing=sharing_digest(task.config, sharing),
        before=sharing.index(task.name) if task.has_test else 0,
        ledger=ledger_faults(FOLDER, task_folders(Path("results"))),
    )


def score_test(task: DeclaredTask) -> ScoreTest:
    """The risk of the sealed test."""
    return ScoreTest(_sealed_test(task), task.loss, task.config.vault == "private")


def write_card(task: DeclaredTask) -> WriteCard:
    """What is public of the selection, the final model and the test."""
    return WriteCard(task.has_test, task.refits)


def tabulate_estimates(task: DeclaredTask) -> TabulateEstimates:
    """The table of all estimates."""
    return TabulateEstimates(task.block.learners, task.has_test)


def run_checks(task: DeclaredTask) -> RunChecks:
    """The checks."""
    level, estimators = task.config.level, task.estimators
    return RunChecks(_loss_table(task), level, estimators, task.has_test)


def render_report(task: DeclaredTask) -> RenderReport:
    """The report."""
    page = ReportSpec(
        task=task.name,
        level=task.config.level,
        config=task.block.model_dump(),
        metrics=task.metrics,
        versions=library_versions(),
        cells=_loss_table(task),
    )
    return RenderReport(page, assets_digest())


def draw_figures(task: DeclaredTask) -> DrawFigures:
    """The figures."""
    return DrawFigures(_loss_table(task), task.config.level)


def render_index(tasks: Sequence[DeclaredTask]) -> RenderIndex:
    """The page of all tasks."""
    return RenderIndex(
        losses={task.name: task.loss for task in tasks},
        audits=[task.name for task in tasks if task.block.audit is not None],
        assets=assets_digest(),
    )


def audit_batch(task: DeclaredTask, m: str, batch: str) -> AuditBatch:
    """One batch of an audit's replicates."""
    block, audit = task.block, task.audit
    kinds = task.kinds("training")
    return AuditBatch(
        cells=replace(_cells(task), kinds=kinds),
        data=block.data,
        oracle=task.oracle,
        loss=task.loss,
        level=task.config.level,
        estimators=task.estimators,
        settings={split: _settings(task, split) for split in split_files(kinds)},
        stratify=block.kfold.stratify,
        by=block.select.by,
        rule=_rule(task),
        test=AUDIT_TEST if isinstance(block.test, str) else block.test,
        truth=audit.truth,
        m=int(m),
        batch=batch,
        first=(int(batch) - 1) * audit.batch + 1,
        count=audit.batch,
    )


def summarise_audit(task: DeclaredTask) -> SummariseAudit:
    """The tables of an audit."""
    return SummariseAudit(
        seed=task.config.seed,
        level=task.config.level,
        m=task.audit.m,
        batches=task.audit_batches,
        learners=task.learners,
        by=task.block.select.by,
    )


def render_audit(task: DeclaredTask) -> RenderAudit:
    """The page of an audit."""
    kfold = task.block.kfold
    page = AuditPageSpec(
        task=task.name,
        level=task.config.level,
        loss=task.loss,
        data=task.block.data,
        oracle=task.oracle,
        folds=None if kfold.column else kfold.k,
        truth=task.audit.truth,
    )
    return RenderAudit(page, audit_assets_digest())


# --- shared parts ------------------------------------------------------------------------------


def _sealed_test(task: DeclaredTask) -> SealedTestSpec:
    return SealedTestSpec(task.name, task.config.seed, task.config.level)


def _cells(task: DeclaredTask) -> CellsSpec:
    return CellsSpec(
        task=task.name,
        seed=task.config.seed,
        kinds=task.kinds(),
        learners=task.learners,
        numeric_code=numeric_code(),
        versions=library_versions(),
    )


def _loss_table(task: DeclaredTask) -> LossTableSpec:
    return LossTableSpec(task.config.seed, task.loss, task.kinds(), task.learners, task.thresholds)


def _rule(task: DeclaredTask) -> RuleSpec:
    select = task.block.select
    simpler = {learner.name: learner.simpler for learner in task.learners}
    config = task.config
    return RuleSpec(select.rule, select.patience, simpler, config.level, config.seed)


def _scan(task: DeclaredTask) -> ScanSpec | None:
    """What the scan of an endless grid depends on; nothing where all grids end."""
    if not any(learner.endless for learner in task.learners):
        return None
    select = task.block.select
    nested = outer_among(task.estimators)
    return ScanSpec(select.by, nested, select.patience, select.maximum)


def _settings(task: DeclaredTask, split: str) -> SplitSettings:
    """What a split file depends on besides rows and seed."""
    block = task.block
    kfold, montecarlo = block.kfold, block.montecarlo
    rounds, fraction = montecarlo.rounds, montecarlo.fraction
    settings: dict[str, SplitSettings] = {
        "holdout": _holdout(task),
        "rolling": _rolling(task),
        "kfold": drawn.KFold(kfold.k, kfold.repeats, kfold.column),
        "loo": drawn.LeaveOneOut(),
        "montecarlo": drawn.MonteCarlo(rounds, fraction),
        "halvings": drawn.Halvings(rounds, fraction, montecarlo.halvings),
        "bootstrap": drawn.Bootstrap(block.bootstrap.bags),
    }
    return settings[split]


def _rolling(task: DeclaredTask) -> drawn.Rolling:
    """How rows in time order are divided."""
    rolling = task.block.rolling
    return drawn.Rolling(rolling.blocks, rolling.window, rolling.gap)


def _holdout(task: DeclaredTask) -> SplitSettings:
    """The development set: drawn at random, or the latest rows."""
    fraction = task.block.holdout.fraction
    if task.block.time is None:
        return drawn.Holdout(fraction)
    return drawn.Latest(fraction, _rolling(task))
