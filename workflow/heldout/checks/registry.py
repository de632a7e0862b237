"""The registry of checks: one entry says all about each.

`checks.csv` and docs/checks.md come from here. To add a check, add an entry and write its function.

Standard library only.
"""

from dataclasses import dataclass

from heldout.registries import refuse_empty

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, kw_only=True)
class Check:
    """A question about a finished run; one entry of the registry.

    code: H and three digits, never used for another question.
    title: what is true where it passes.
    severity: error, warning or note: what a failure means for the numbers.
    ask: the dotted path of (Context) → Outcome.
    text: its section in docs/checks.md: why it matters and what to do.
    """

    code: str
    title: str
    severity: str
    ask: str
    text: str

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "ask", "text")
        if self.severity not in SEVERITIES:
            raise ValueError(f"Check '{self.code}': unknown severity '{self.severity}'")


_ENTRIES = (
    Check(
        code="H001",
        title="Leave-one-out does not punish a majority rule",
        severity="warning",
        ask="heldout.checks.procedure:loo_of_a_majority_rule",
        text="With balanced classes, leaving out one example makes the other class the majority, so a "
        "majority-type rule errs on every example it leaves out: its leave-one-out error is 1 while its "
        "risk is 1/2. Use K-fold for such learners.",
    ),
    Check(
        code="H002",
        title="Every training part has every class",
        severity="warning",
        ask="heldout.checks.data:every_class_in_training",
        text="A model cannot predict a class it has not seen. Zero-one loss counts that as an error; "
        "cross-entropy becomes as large as its clipping allows (36 per example). Use stratified folds, "
        "fewer folds, or merge rare classes.",
    ),
    Check(
        code="H003",
        title="Every fold has every class",
        severity="note",
        ask="heldout.checks.data:every_class_in_folds",
        text="A fold that lacks a class says nothing about it, and some metrics are undefined on it. Use "
        "stratified folds or fewer of them.",
    ),
    Check(
        code="H004",
        title="The development set is large enough for the grid",
        severity="warning",
        ask="heldout.checks.procedure:dev_set_large_enough",
        text="With probability 1 − δ, the risk of the θ chosen on the development set exceeds the best "
        "risk in the grid by at most √(2/|S_dev| · ln(2|Θ₀|/δ)) times the range of the loss. Where this "
        "is not below the range of the loss, the bound says nothing. Enlarge `holdout.fraction` or "
        "shrink the grid.",
    ),
    Check(
        code="H005",
        title="The selected θ lies inside the grid",
        severity="warning",
        ask="heldout.checks.procedure:not_on_the_edge",
        text="A minimum on the edge suggests that a better θ lies beyond it. Extend the grid in that "
        "direction; only the new θ are fitted.",
    ),
    Check(
        code="H006",
        title="Outer folds agree on the choice",
        severity="warning",
        ask="heldout.checks.procedure:stable_choice",
        text="Fails when no single (learner, θ) is chosen in at least half of the outer folds of nested "
        "CV. The estimate is still honest for the tuned procedure, but the selected θ itself is not to "
        "be trusted.",
    ),
    Check(
        code="H007",
        title="No row occurs twice",
        severity="warning",
        ask="heldout.checks.data:no_duplicates",
        text="Copies of a row may lie on both sides of a split, so that the model is tested on what it "
        "was trained on. Remove them, or keep them together with `groups`.",
    ),
    Check(
        code="H008",
        title="No feature is the target",
        severity="error",
        ask="heldout.checks.data:no_feature_is_the_target",
        text="A feature that determines the target one to one is most likely the target in other words. "
        "Put it under `drop`.",
    ),
    Check(
        code="H009",
        title="Groups are declared",
        severity="warning",
        ask="heldout.checks.data:groups_declared",
        text="A column whose name suggests subjects, sites or batches, with several rows each, is used as "
        "a feature. If its rows belong together, name it under `groups`: held-out rows of a known "
        "subject are not new data.",
    ),
    Check(
        code="H010",
        title="Every row is out of some bag",
        severity="note",
        ask="heldout.checks.data:enough_bags",
        text="Rows that are in every bootstrap bag are never scored and cannot count in the .632 "
        "estimates. Raise `bootstrap.bags`.",
    ),
    Check(
        code="H011",
        title="Every bag leaves something out",
        severity="note",
        ask="heldout.checks.data:every_bag_leaves_out",
        text="A bag that holds every row (or group) has an empty out-of-bag set; it is not averaged. "
        "Happens with few rows or groups only.",
    ),
    Check(
        code="H012",
        title="The test set was opened once",
        severity="error",
        ask="heldout.checks.procedure:test_opened_once",
        text="Every selection that the test set judges makes the best of its answers more optimistic. "
        "Intervals are widened by δ/M for M selections.",
    ),
    Check(
        code="H013",
        title="Scans ended by themselves",
        severity="warning",
        ask="heldout.checks.procedure:scan_ended",
        text="The scan of an endless grid stopped at `select.maximum` before enough significant rises "
        "were seen. Raise the maximum, lower `select.patience`, or choose a finite grid.",
    ),
    Check(
        code="H014",
        title="The fold-by-fold correction does not overshoot",
        severity="note",
        ask="heldout.checks.procedure:corrections_hold",
        text="The correction of Tibshirani and Tibshirani adds the mean over folds of e_k(θ̂) − min_θ "
        "e_k(θ). With small folds and many θ, the minimum within a fold is mostly luck and the "
        "correction too large. Prefer nested CV or BBC-CV.",
    ),
    Check(
        code="H015",
        title="Enough repeats for the nested-CV standard error",
        severity="note",
        ask="heldout.checks.procedure:bates_repeated",
        text="The `bates` interval rests on an estimate of a mean squared error that is itself noisy; its "
        "authors advise many random partitions. Raise `kfold.repeats` or read another interval.",
    ),
    Check(
        code="H016",
        title="Fits ended without warnings",
        severity="warning",
        ask="heldout.checks.fits:fits_without_warnings",
        text="A learner that warns while it is fitted, that it did not converge for instance, still gives "
        "predictions, and its risks look like any others. The message names learners, θ and warnings; "
        "each cell keeps its own (`heldout show TASK CELL`). Raise the number of iterations, scale the "
        "features, or drop the θ at fault.",
    ),
)

CHECKS = {entry.code: entry for entry in _ENTRIES}
"""Every check by its code."""
