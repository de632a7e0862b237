"""The entry of an estimator in the registry.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass

from heldout.registries import refuse_empty
from heldout.resampling.kinds import ADJACENT, PAIRS, PREFIXES

ROLES = ("apparent", "chosen", "corrected", "honest")


@dataclass(frozen=True, kw_only=True)
class Estimator:
    """One entry of the registry. Functions are named by dotted paths.

    name: as in the config and in the column `estimator`.
    title: as in the report.
    role: apparent (rows seen in training), chosen (rows that also chose θ), corrected, or honest
        (rows that chose nothing).
    target: what it estimates, the text of the column `target`.
    meaning, formula: what it is, in words and in symbols.
    caveat: completes "This estimate …"; empty if there is none.
    reference, url: where it comes from.
    kinds: the kinds of held-out sets whose cells it needs.
    judges: the kind of held-out sets whose models it estimates the risk of.
    aims: the quantities that an audit compares it with (see `targets`), the most important one first.
    intervals: the methods that are tried, the recommended one first.
    comes_with: the estimator that the config must name to get this one; None: this one itself.
    selects: whether `select.by` may name it.
    in_time: whether it is for rows in time order.
    by_default: whether it is computed where the config names no estimators.
    headline: its rank among the estimates that the report may show as the expected risk, 1 being the
        first choice; None: shown there only if there is no other.
    fixed: the function for a fixed θ, (Algorithm, name) → Estimate or None: rows of risks.csv and,
        at the selected θ, of estimates.csv.
    tuned: the function for a tuned procedure, (Procedures, procedure, name) → Estimate or None: rows
        of estimates.csv. One with neither function is computed elsewhere: the sealed test, by the
        step that opens the vault.
    """

    name: str
    title: str
    role: str
    target: str
    meaning: str
    formula: str
    caveat: str
    reference: str
    url: str
    kinds: tuple[str, ...]
    judges: str
    aims: tuple[str, ...]
    intervals: tuple[str, ...] = ()
    comes_with: str | None = None
    selects: bool = False
    in_time: bool = False
    by_default: bool = False
    headline: int | None = None
    fixed: str | None = None
    tuned: str | None = None

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "target", "meaning", "formula", "reference", "url")
        if self.role not in ROLES:
            raise ValueError(f"Estimator '{self.name}': unknown role '{self.role}'")

    @property
    def config_name(self) -> str:
        """The name that the config must list to get it."""
        return self.comes_with or self.name

    @property
    def only_in_time(self) -> bool:
        """Whether it is for rows in time order only."""
        return PREFIXES in self.kinds

    @property
    def inside(self) -> str | None:
        """What θ is chosen by in every outer fold (or block); None where nothing is chosen there."""
        if PAIRS in self.kinds or ADJACENT in self.kinds:
            return "kfold"
        return "rolling" if self.only_in_time and self.of_procedure else None

    @property
    def nested(self) -> bool:
        """Whether it selects θ in every outer fold, with cells that leave out two folds."""
        return self.inside == "kfold"

    @property
    def of_procedure(self) -> bool:
        """Whether it estimates the risk of the whole procedure, selection of θ included."""
        return self.tuned is not None and self.fixed is None
