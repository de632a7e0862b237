"""Every key of the configuration, with its type, default and meaning.

The workflow validates configs with these models, and ``config/README.md`` and
``workflow/schemas/config.schema.json`` are generated from them. Names of
estimators and losses come from their registries.
"""

import codecs
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticKnownError

from heldout import limits
from heldout.config.one_of import OneOf
from heldout.data.kinds import ASKED, DATE_SPELLINGS
from heldout.estimates.lookup import default_estimators, estimator_names, selector_names
from heldout.measures.thresholds import TUNE

Fraction = Annotated[float, Field(gt=0, lt=1)]


def _as_text(value: Any) -> Any:
    """A class as a text: it may be a number, and YAML reads yes and no as true and false."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value


def _keys_as_texts(value: Any) -> Any:
    """Mappings with texts as keys: classes may be numbers, and YAML reads yes and no as true and false."""
    if not isinstance(value, dict):
        return value
    truth = {True: "yes", False: "no"}
    return {
        truth[key] if isinstance(key, bool) else str(key): _keys_as_texts(inner)
        for key, inner in value.items()
    }


def _as_delimiter(value: Any) -> Any:
    """Refuse what is not one character, in words."""
    if value is not None and (not isinstance(value, str) or len(value) != 1 or value in '"\r\n'):
        expected = 'one character, such as ";" or "\\t"'
        raise PydanticKnownError("literal_error", {"expected": expected})
    return value


def _as_encoding(value: Any) -> Any:
    """Refuse names of encodings that Python does not know."""
    try:
        codecs.lookup(value)
    except (LookupError, TypeError):
        expected = "an encoding that Python knows, such as utf-8, utf-16, cp1252 or latin-1"
        raise PydanticKnownError("literal_error", {"expected": expected}) from None
    return value


def _as_threshold(value: Any) -> Any:
    """Refuse what is neither a word, a number nor a list of numbers, in one message."""
    numbers = value if isinstance(value, list) else [value]
    plain = all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
    if value not in (None, TUNE) and not plain:
        expected = f"'{TUNE}', a number or a list of numbers"
        raise PydanticKnownError("literal_error", {"expected": expected})
    return value


def _as_column_type(value: Any) -> Any:
    """A kind, a spelling of dates, or levels in order."""
    if isinstance(value, list):
        return [_as_text(one) for one in value]
    known = (*ASKED, *DATE_SPELLINGS)
    if value not in known:
        expected = f"{', '.join(known)}, or a list of levels in order"
        raise PydanticKnownError("literal_error", {"expected": expected})
    return value


Loss = Annotated[str | dict[str, Any], BeforeValidator(_keys_as_texts)]
Label = Annotated[str, BeforeValidator(_as_text)]
Threshold = Annotated[Literal["tune"] | float | list[float] | None, BeforeValidator(_as_threshold)]
ColumnType = Annotated[str | list[Label], BeforeValidator(_as_column_type)]
Delimiter = Annotated[str, BeforeValidator(_as_delimiter)]
Encoding = Annotated[str, BeforeValidator(_as_encoding)]
EstimatorName = Annotated[str, OneOf(estimator_names)]
SelectorName = Annotated[str, OneOf(selector_names)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]


class Strict(BaseModel):
    """Unknown keys are errors, and nothing changes after validation."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class Holdout(Strict):
    """The development set."""

    fraction: Fraction = Field(
        default=0.2, description="share of the unsealed rows (or groups) held out"
    )


class KFold(Strict):
    """The folds of cross-validation."""

    k: int = Field(default=5, ge=2, le=limits.SETS, description="number of folds")
    repeats: int = Field(
        default=1, ge=1, le=limits.SETS, description="how many partitions are drawn"
    )
    stratify: bool = Field(
        default=True, description="classification: give all folds about the same class frequencies"
    )
    column: str | None = Field(default=None, description="a column with the user's own folds")


class MonteCarlo(Strict):
    """Random hold-outs."""

    rounds: int = Field(default=25, ge=2, le=limits.SETS, description="number of random hold-outs")
    fraction: Fraction = Field(default=0.2, description="share of the rows (or groups) held out")
    halvings: int = Field(
        default=0,
        ge=0,
        le=limits.SETS,
        description="pairs of disjoint halves for the interval conservative_z "
        "(2 · halvings · rounds more fits; 10 are usual); 0: none",
    )


class Bootstrap(Strict):
    """Bags drawn with replacement."""

    bags: int = Field(default=50, ge=2, le=limits.SETS, description="number of bags")


class Rolling(Strict):
    """Blocks in time order, each predicted by a model of the rows before it."""

    blocks: int = Field(
        default=10,
        ge=2,
        le=limits.SETS,
        description="number of blocks of the unsealed rows; the rows of one time stamp stay together",
    )
    window: Annotated[int, Field(ge=1)] | str | None = Field(
        default=None,
        description="what models are trained on, the final one too: the last so many blocks, or the last so much "
        "time (90d; see gap). Default: all that is known",
    )
    gap: Annotated[int, Field(ge=0)] | str = Field(
        default=0,
        description="what lies between the training rows and those they are judged by: blocks (2), or time (7d; "
        "s, min, h, d and w for dates, 5 units for a time column with numbers)",
    )


class Select(Strict):
    """How θ and the learner are chosen."""

    by: SelectorName = Field(
        default="kfold",
        description="the risk estimate compared (with `time`: rolling, unless it says holdout); nested_cv and nested_dev choose by kfold inside each "
        "outer fold, so that with another one they are refused and `estimators` must be a list "
        "without them",
    )
    rule: Literal["min", "one_se", "confidence_set", "first_local_min"] = Field(
        default="min",
        description="the smallest risk; the simplest θ within one standard error of it; the simplest θ "
        "that cannot be told from the best (by: kfold only); or the first significant local minimum of an "
        "ordered grid, which may have no end ({from: 1})",
    )
    patience: int = Field(
        default=3,
        ge=1,
        le=limits.THETAS,
        description="first_local_min: significant rises in a row that end the scan",
    )
    maximum: int = Field(
        default=100,
        ge=2,
        le=limits.THETAS,
        description="first_local_min: the scan of an endless grid stops here",
    )


class Audit(Strict):
    """Simulation: every estimator and interval is compared with the true risk, on many draws."""

    replicates: int = Field(
        default=1000, ge=2, le=limits.REPLICATES, description="independent draws at each size"
    )
    m: list[Annotated[int, Field(ge=4, le=limits.ROWS)]] = Field(
        default=[50, 100, 200], min_length=1, description="rows to learn from in a draw"
    )
    batch: int = Field(
        default=50,
        ge=1,
        le=limits.REPLICATES,
        description="replicates that a job runs; only whole batches are run",
    )
    truth: int = Field(
        default=2000,
        ge=100,
        le=limits.ROWS,
        description="rows that a true risk is computed on where it has no closed form: fresh from an "
        "oracle, or of the rest of a table",
    )


class Task(Strict):
    """A table, a target, a loss, and the learners to compare."""

    data: str = Field(
        description="a table: csv, tsv or txt (also .gz, .zst, .xz, .bz2, .zip), xlsx, parquet, feather, SQLite; "
        "sklearn:NAME or oracle:NAME ([tables](../docs/tables.md))"
    )
    target: str = Field(description="the column to predict")
    drop: list[str] = Field(default=[], description="columns never used")
    groups: str | None = Field(default=None, description="a column: its rows always stay together")
    weights: str | None = Field(
        default=None,
        description="a column: the weight of each row, in fits and in every mean "
        "([weights](../docs/weights.md))",
    )
    time: str | None = Field(
        default=None,
        description="a column of dates or numbers that puts the rows in order: models are trained on the past and "
        "judged by the future, and the sealed rows are the latest ([rows in time order](../docs/time.md)). It is no feature",
    )
    missing: list[str] = Field(
        default=[], description="texts that mean 'missing', besides the usual ones"
    )
    missing_target: Literal["drop", "refuse"] = Field(
        default="drop",
        description="rows without a target are left out and counted (`drop`), or are an error (`refuse`)",
    )
    delimiter: Delimiter | None = Field(
        default=None,
        description="text files: the character between fields. Default: found out, as are the next four "
        "([tables](../docs/tables.md))",
    )
    decimal: Literal[".", ","] | None = Field(
        default=None, description="the decimal mark of numbers in texts"
    )
    thousands: Literal[",", ".", " ", "'", ""] | None = Field(
        default=None,
        description="the mark between groups of three digits: `,`, `.`, a space or an apostrophe; `''`: none",
    )
    encoding: Encoding | None = Field(
        default=None, description="text files: the encoding, such as utf-8, utf-16 or cp1252"
    )
    sheet: str | None = Field(
        default=None,
        description="the sheet of a workbook (default: the first one that is not empty), or the table of an "
        "SQLite file",
    )
    categories: list[str] = Field(default=[], description="columns of numbers that are categories")
    types: dict[str, ColumnType] = Field(
        default={},
        description="by column what it is, whatever it looks like: number, boolean, category, ordered, date, text; a list "
        "of levels in order; or how its dates are spelled, such as DD/MM/YYYY ([kinds of columns](../docs/tables.md#kinds-of-columns))",
    )
    loss: Loss | None = Field(
        default=None,
        description="what θ is chosen by: zero_one, cross_entropy, brier, squared, absolute; a scorer of scikit-learn such as "
        "roc_auc, f1 or r2; the import path of a function of your own; {costs: …}, {quantile: …}, {fbeta: …}, "
        "{precision_at_recall: …} or {function: …} ([losses and scores](../docs/estimators.md#losses)). Default: "
        "zero_one for text and boolean targets, squared for numbers",
    )
    metrics: list[Loss] = Field(
        default=[],
        description="further measures, named as `loss` is: each is reported with its interval for every learner "
        "and for the choice between them, on the sealed rows too, and nothing is selected by it",
    )
    positive: Label | None = Field(
        default=None,
        description="the class that AUC, F1, precision, recall and thresholds mean. Default: the rarer of two",
    )
    threshold: Threshold = Field(
        default=None,
        description="two classes, measures of labels: the probability from which a row gets the class `positive`. A number, "
        "a list of numbers to choose from, or `tune`, which tries 29 of them. It is chosen together with θ, from stored "
        "predictions ([thresholds](../docs/thresholds.md)). Default: the labels that learners predict",
    )
    test: Annotated[float, Field(ge=0, lt=1)] | str = Field(
        default=0.2,
        description="share of rows (or groups) sealed for the test; 0: none; or a table's path",
    )
    refit: Literal["unsealed", "all"] = Field(
        default="unsealed",
        description="all: when the sealed rows have judged the final model, train a second one on all rows, "
        "`final/model_all.joblib`, which nobody has tested ([sealed rows](../docs/sealed.md#all-rows))",
    )
    estimators: list[EstimatorName] = Field(
        default=default_estimators(),
        min_length=1,
        description="the estimators to compute. Default with `time`: "
        f"[{', '.join(default_estimators(in_time=True))}]",
    )
    holdout: Holdout = Holdout()
    kfold: KFold = KFold()
    montecarlo: MonteCarlo = MonteCarlo()
    bootstrap: Bootstrap = Bootstrap()
    rolling: Rolling = Rolling()
    select: Select = Select()
    learners: list[Name] = Field(min_length=1, description="names of learners, in order")
    oracle: dict[str, Any] = Field(
        default={}, description="data: oracle:NAME: its parameters, and `rows`, how many are drawn"
    )
    audit: Audit | None = Field(
        default=None,
        description="compare estimates with true risks, on many samples from the oracle (or table)",
    )

    @model_validator(mode="before")
    @classmethod
    def _in_time(cls, given: Any) -> Any:
        """Rows in time order have other defaults: those of the estimators, and of what θ is chosen by."""
        if not isinstance(given, dict) or given.get("time") is None:
            return given
        select = given.get("select", {})
        if isinstance(select, dict):
            given = {**given, "select": {"by": "rolling", **select}}
        return {"estimators": default_estimators(in_time=True), **given}


class Learner(Strict):
    """A family of algorithms {A_θ}: an estimator and its grid."""

    estimator: str | None = Field(
        default=None,
        description="short name, or an import path such as sklearn.svm.SVC; either this or `steps`",
    )
    steps: list[Any] | None = Field(
        default=None,
        min_length=1,
        description="a Pipeline, the model last: each step a short name, an import path, {step: …, name: …, params: {…}} "
        "or {columns: {numbers: …, categories: …}, rest: drop} ([learners](../docs/learners.md))",
    )
    calibrate: Literal["sigmoid", "isotonic"] | None = Field(
        default=None,
        description="classes: calibrate the probabilities, inside each fold ([learners](../docs/learners.md#probabilities))",
    )
    target: Literal["log", "log1p"] | None = Field(
        default=None,
        description="numbers: fit to the transformed target; predictions and losses are on the original scale",
    )
    params: dict[str, Any] = Field(
        default={}, description="fixed parameters, of steps by `step__name`"
    )
    scale: bool | None = Field(
        default=None, description="standardise numbers; default: where needed"
    )
    grid: dict[str, Any] = Field(default={}, description="hyper-parameters and their values")
    threads: Annotated[int, Field(ge=1)] = Field(
        default=1,
        description="how many cores a fit may use: for a few slow fits of LightGBM, CatBoost or a forest, whose numbers do "
        "not depend on it ([learners](../docs/learners.md#threads))",
    )
    simpler: dict[str, Literal["larger", "smaller"]] = Field(
        default={},
        description="one_se: which direction of each hyper-parameter is the simpler one; only numbers and null have one",
    )


class Config(Strict):
    """The whole file."""

    seed: Annotated[int, Field(ge=0)] = Field(
        default=19, description="the root of every random choice"
    )
    level: Fraction = Field(default=0.95, description="confidence level of every interval")
    models: Literal["auto", "all", "selected", "none"] = Field(
        default="auto",
        description="which fitted models stay on disk: those of all θ, of the selected θ of each learner, or none; `auto`: "
        "all, unless they take more than 1 GB, then those of the selected θ",
    )
    cells: Literal["files", "packed"] | None = Field(
        default=None,
        description="how predictions and models of cells are stored: in files of their own, or many to a file "
        f"([files](../docs/files.md#packs)). Default: packed for tasks of more than {limits.PACKED_ABOVE:,} cells",
    )
    batches: int | None = Field(
        default=None,
        ge=1,
        le=limits.JOBS,
        description="fitting jobs per task; default: as many as there are cores",
    )
    batch_cells: int | None = Field(
        default=None,
        ge=1,
        description="about how many cells a fitting job gets, unless `batches` says how many jobs "
        "there are; default: 500 on a cluster",
    )
    figures: bool = Field(
        default=False,
        description="draw PNG, SVG and PDF figures into results/TASK/figures (needs matplotlib)",
    )
    open_again: bool = Field(
        default=False,
        description="let sealed rows that have judged a selection judge another one, counted",
    )
    vault: Literal["private", "shared"] = Field(
        default="private",
        description="who may read the sealed rows and the ledger of openings: their owner only, or, in a "
        "folder that several people use, whoever the umask lets",
    )
    tasks: dict[Name, Task] = Field(min_length=1)
    learners: dict[Name, Learner] = Field(default={})
