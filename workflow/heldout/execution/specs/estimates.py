"""The specs of estimates, selection, final model, test and checks."""

from dataclasses import dataclass

from heldout.cells.spec import CellsSpec
from heldout.estimates.spec import LossTableSpec, RuleSpec
from heldout.measures.spec import LossSpec
from heldout.selection.spec import SealedTestSpec


@dataclass(frozen=True)
class EstimateRisks:
    """Cells → risks.csv and confidence_set.csv."""

    cells: LossTableSpec
    level: float


@dataclass(frozen=True)
class SelectModel:
    """risks.csv, confidence_set.csv and cells → choice.json."""

    by: str
    rule: RuleSpec
    maximum: int
    cells: LossTableSpec
    """What θ on the edges of grids are compared by, and how people read a risk."""


@dataclass(frozen=True)
class EstimateProcedures:
    """Cells and selection → estimates of tuned procedures."""

    cells: LossTableSpec
    level: float
    estimators: list[str]
    rule: RuleSpec


@dataclass(frozen=True)
class Metric:
    """A further measure, and what the config calls it."""

    title: str
    loss: LossSpec


@dataclass(frozen=True)
class ComputeMetrics:
    """Cells, choice and predictions for the sealed rows → metrics.csv."""

    cells: LossTableSpec
    level: float
    estimators: list[str]
    rule: RuleSpec
    metrics: list[Metric]
    test: SealedTestSpec | None
    """None where there is no sealed test."""


@dataclass(frozen=True)
class TrainFinal:
    """Selection → final model."""

    cells: CellsSpec
    models: str
    thresholded: bool
    """Whether θ holds a decision threshold."""
    positive: str | None
    """The class that the config calls the positive one, if it matters."""
    full: str
    """The kind of its training rows."""


@dataclass(frozen=True)
class TrainAll:
    """Selection, opened test and sealed rows → the model of all rows."""

    cells: CellsSpec
    thresholded: bool
    """Whether θ holds a decision threshold."""
    positive: str | None
    """The class that the config calls the positive one, if it matters."""


@dataclass(frozen=True)
class OpenTest:
    """Final model and sealed rows → predictions for them, and what the ledger says."""

    task: str
    target: str
    groups: str | None
    """The column whose rows belong together, if there is one."""
    weights: str | None
    """The column of the rows' weights, if there is one."""
    time: str | None
    """The column that puts rows in time order, if there is one."""
    open_again: bool
    private: bool
    sharing: str
    """Digest of all in the config that can change a selection of the tasks on this table and target."""
    before: int
    """How many of these tasks come first in the config."""
    ledger: list[str]
    """What is wrong with the ledger: if something is, the step runs again and says so."""


@dataclass(frozen=True)
class ScoreTest:
    """Predictions for the sealed rows → test risk."""

    test: SealedTestSpec
    loss: LossSpec | None
    private: bool


@dataclass(frozen=True)
class WriteCard:
    """Choice, final model and opening → selection.json and card.json."""

    test: bool
    """Whether there is a sealed test."""
    refit: bool
    """Whether a second model is trained on all rows."""


@dataclass(frozen=True)
class TabulateEstimates:
    """Unsealed and sealed estimates → estimates.csv."""

    learners: list[str]
    test: bool
    """Whether there is a sealed test."""


@dataclass(frozen=True)
class RunChecks:
    """Everything → checks.csv."""

    cells: LossTableSpec
    level: float
    estimators: list[str]
    test: bool
    """Whether there is a sealed test."""
