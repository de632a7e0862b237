"""The registry of checks: one entry per check.

`checks.csv` and docs/checks.md come from here. To add a check, add an entry and write its function.

Standard library only.
"""

from dataclasses import dataclass

from heldout.registries import refuse_empty

SEVERITIES = ("error", "warning", "note")
"""The most severe first."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check of a finished run; one entry of the registry.

    code: H and three digits; never used again for another check.
    title: what is true where it passes.
    severity: one of SEVERITIES: how much a failure affects the numbers.
    function: the dotted path of (Context) → Outcome.
    text: its section in docs/checks.md: why it matters and what to do.
    """

    code: str
    title: str
    severity: str
    function: str
    text: str

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "function", "text")
        if self.severity not in SEVERITIES:
            raise ValueError(f"Check '{self.code}': unknown severity '{self.severity}'")


_ENTRIES = (
    Check(
        code="H001",
        title="Leave-one-out is not misled by a majority rule",
        severity="warning",
        function="heldout.checks.procedure:loo_of_a_majority_rule",
        text="With two balanced classes, leaving out one example makes the other class the majority, so a "
        "rule that follows the majority errs on every example: its leave-one-out error is 1 while its "
        "risk is 1/2. Use K-fold for such learners.",
    ),
    Check(
        code="H002",
        title="Every training part has every class",
        severity="warning",
        function="heldout.checks.data:every_class_in_training",
        text="A model cannot predict a class that its training rows lack. Zero-one loss counts that as an error; "
        "cross-entropy becomes as large as its clipping allows (36 per example). Use stratified folds, "
        "fewer folds, or merge rare classes.",
    ),
    Check(
        code="H003",
        title="Every fold has every class",
        severity="note",
        function="heldout.checks.data:every_class_in_folds",
        text="A fold that lacks a class does not measure the errors on it, and some metrics are undefined. Use "
        "stratified folds or fewer of them.",
    ),
    Check(
        code="H004",
        title="The development set is large enough for the grid",
        severity="warning",
        function="heldout.checks.procedure:dev_set_large_enough",
        text="With probability 1 − δ, the risk of the θ chosen on the development set exceeds the best "
        "risk in the grid by at most √(2/|S_dev| · ln(2|Θ₀|/δ)) times the range of the loss. Where this "
        "is not smaller than the range of the loss, nothing is guaranteed. It is for means of losses of "
        "examples, not for scores such as AUC and F1. Enlarge `holdout.fraction` or "
        "shrink the grid. (Shalev-Shwartz & Ben-David 2014, Understanding Machine Learning, Corollary "
        "4.6.)",
    ),
    Check(
        code="H005",
        title="The selected θ lies inside the grid",
        severity="warning",
        function="heldout.checks.procedure:not_on_the_edge",
        text="A minimum on the edge suggests that a better θ lies outside the grid. Extend the grid in that "
        "direction; only the new θ are fitted.",
    ),
    Check(
        code="H006",
        title="Outer folds agree on the choice",
        severity="warning",
        function="heldout.checks.procedure:stable_choice",
        text="Passes where at least half of the outer folds of nested CV choose the same (learner, θ), or "
        "choose among those that cannot be told from the best (confidence_set.csv): then the choice may "
        "differ, but hardly the risk. Where it fails, the estimate remains valid for the tuned "
        "procedure, but another sample may well lead to a clearly different model.",
    ),
    Check(
        code="H007",
        title="No row occurs twice",
        severity="warning",
        function="heldout.checks.copies:no_duplicates",
        text="Copies of a row may lie on both sides of a split, so that the model is tested on what it "
        "was trained on. Fails where at least 1 % of the rows, and two of them, have a copy in another group. Counted are rows that are equal in all columns, "
        "and rows that are nearly equal, as after rounding, a little noise, or a change in one column of many; columns that number the rows are left out. "
        "In tables of few values rows are equal by chance: then many more differ in one column only, and they are not counted. "
        "Of more than 10,000 rows a sample is compared. Remove copies, or keep them together with `groups`. With `time` it does not apply: rows of one time are in "
        "one block, and equal values at different times are no copies.",
    ),
    Check(
        code="H008",
        title="No feature is the target",
        severity="error",
        function="heldout.checks.leaks:no_feature_is_the_target",
        text="Fails where a feature gives the target away whatever its coding: another code of the classes, a finer one "
        "whose levels have one class each, a number that separates the classes, or a copy of a number that is bent, "
        "rounded, cut in two or has a little noise (the ranks of both correlate by 0.999). Up to half of its values may "
        "be missing, and one row in 200 may not fit. It rings only for what chance gives some feature of the table in "
        "at most one of 1000 tables, so not with very few rows. Such a feature is most likely the target itself. Put it "
        "under `drop`. If its levels are groups of rows, name it under `groups`; if it and the target "
        "only rise with time, name a column under `time`.",
    ),
    Check(
        code="H009",
        title="Groups are declared",
        severity="warning",
        function="heldout.checks.groups:groups_declared",
        text="Fails where a column is named like one of units (`patient_id`, `Kundennummer`, `site`, `id`), has at least 5 "
        "values, and at least a fifth of the rows share theirs with another row: be it a feature or a column under "
        "`drop`. If its rows belong together, name it under `groups`: otherwise rows of the same subject are in the "
        "training rows and held out, and risks are too small. Where it can be measured, the message says how much better the nearest "
        "row predicts if it may be of the same subject ([H023](#h023)). If the same subjects will come again when the model "
        "is used, there is nothing to do.",
    ),
    Check(
        code="H010",
        title="Every row is out of some bag",
        severity="note",
        function="heldout.checks.data:enough_bags",
        text="Rows that are in every bootstrap bag have no out-of-bag loss, and the .632 estimates leave them "
        "out. Raise `bootstrap.bags`.",
    ),
    Check(
        code="H011",
        title="Every bag leaves something out",
        severity="note",
        function="heldout.checks.data:every_bag_leaves_out",
        text="A bag that holds every row (or group) has an empty out-of-bag set and is left out of "
        "the average. This happens only with few rows or groups.",
    ),
    Check(
        code="H012",
        title="The test set has judged no other selection",
        severity="error",
        function="heldout.checks.procedure:test_opened_once",
        text="The smallest of several results on the same test set is optimistic. So sealed rows that have "
        "judged a selection judge another one only if you ask for it (`snakemake --config "
        "open_again=true`); selection number t ≥ 2 gets intervals at δ/(t(t+1)) instead of δ. Fails where "
        "the opening was refused or counted, and where the ledger of openings is not as it was written. "
        "See [sealed rows](sealed.md).",
    ),
    Check(
        code="H013",
        title="Every scan ended before its maximum",
        severity="warning",
        function="heldout.checks.procedure:scan_ended",
        text="The scan of an endless grid stopped at `select.maximum` before it found enough significant "
        "rises. Raise the maximum, lower `select.patience`, or choose a finite grid.",
    ),
    Check(
        code="H014",
        title="The fold-by-fold correction is not too large",
        severity="note",
        function="heldout.checks.procedure:corrections_hold",
        text="The correction of Tibshirani and Tibshirani adds the mean over folds of e_k(θ̂) − min_θ "
        "e_k(θ). With small folds and many θ, the minimum within a fold is mostly chance and the "
        "correction too large. Prefer nested CV or BBC-CV.",
    ),
    Check(
        code="H015",
        title="Enough repeats for the nested-CV standard error",
        severity="note",
        function="heldout.checks.procedure:bates_repeated",
        text="The `bates` interval estimates a mean squared error, and the estimate varies much between "
        "partitions; its authors average over many. Raise `kfold.repeats` or use another interval.",
    ),
    Check(
        code="H016",
        title="Fits ended without warnings",
        severity="warning",
        function="heldout.checks.fits:fits_without_warnings",
        text="A fit that warns, for instance that it did not converge, still gives predictions, and its "
        "risks look like any others. The message names learners, θ and warnings; "
        "each cell keeps its own (`heldout show TASK CELL`). Raise the number of iterations, scale the "
        "features, or drop the θ at fault.",
    ),
    Check(
        code="H017",
        title="No few rows carry the loss",
        severity="warning",
        function="heldout.checks.procedure:no_heavy_tails",
        text="Fails where n·Σℓ²/(Σℓ)² > 4 for squared or absolute losses (R² and RMSE: for squared ones): 3 is usual for squared Gaussian errors. "
        "Then a few rows make up most of the risk, other rows may bring larger losses still, and no interval "
        "holds; none is recommended. It finds noise with a t distribution of three degrees of freedom in 41 % "
        "of samples of 30 rows, in 83 % of samples of 100, and rings for Gaussian noise in at most 6 %: that "
        "it passes is no proof. Look at the rows with the largest losses, or use absolute loss.",
    ),
    Check(
        code="H018",
        title="Every fold has rows of the classes that the score is about",
        severity="warning",
        function="heldout.checks.data:enough_rows_of_classes",
        text="Scores of classes (AUC, recall, F1, balanced accuracy, …) are computed on each fold. Fails where a "
        "fold has fewer than 2 rows of a class that the score is about: of the class `positive`, and for AUC, "
        "recall and balanced accuracy of every class. One row then decides the score of the fold. Use fewer "
        "folds, stratified ones (`kfold.stratify`), or a loss of single rows. Blocks of `time` are looked at too "
        "(`rolling.blocks`): F1 and the like are 0 on one without rows of the class.",
    ),
    Check(
        code="H019",
        title="Rows with dates are not shuffled",
        severity="warning",
        function="heldout.checks.time_order:dates_not_shuffled",
        text="Fails where a feature holds dates, or the rows of the table come in the order of one, and folds or the sealed "
        "rows are drawn at random. If the model is to predict what comes after the rows that it was trained on, then "
        "random folds train it on the future of the rows that it is judged by, and risks are too small. Name the column "
        "under `time` ([rows in time order](time.md)). If rows do not depend on when they were taken, there is nothing "
        "to do.",
    ),
    Check(
        code="H020",
        title="No sealed row is a copy of an unsealed one",
        severity="warning",
        function="heldout.checks.copies:no_sealed_copies",
        text="A model that was trained on a copy of a sealed row knows its answer, and the test risk is too small. Fails where at "
        "least 1 % of the sealed rows, and two of them, are copies of unsealed rows, exact or near ones as in [H007](#h007); with "
        "`groups`, also of rows in another group. A test table of its own (`test: table.csv`) may share rows with the other one. Remove "
        "the copies, or keep them together with `groups`. The copies are counted when the rows are sealed; nothing "
        "else of them leaves the vault. With `time` it does not apply.",
    ),
    Check(
        code="H021",
        title="The test set is large enough to say something",
        severity="warning",
        function="heldout.checks.sealed:test_set_large_enough",
        text="Fails where fewer than 10 rows are sealed (with `groups`: fewer than 5 groups), or rows of one class only. After 10 rows "
        "without an error, the 95 % interval for the error still reaches 0.31; with fewer, a good model can hardly be told from a useless "
        "one. Seal more rows (`test`), or set `test: 0` and rely on nested CV.",
    ),
    Check(
        code="H023",
        title="No column tells which rows belong together",
        severity="note",
        function="heldout.checks.groups:no_hidden_groups",
        text="Looks at columns whose names say nothing, features and those under `drop`: categories and whole numbers with at least "
        "10 values that come again, 6 columns at most, dropped ones first. On at most 800 rows it takes the nearest other row as a "
        "prediction, by all features but the column itself, once among all rows and once among those of other values. "
        "Fails where rows of the same value predict each other better than other rows do at the same distance "
        "(for numbers: rows of the values next to theirs), by more than 4 standard errors (values as units) and more than a "
        "tenth of the risk. That rows of one value are alike in their features is no reason. Then held-out rows of a value "
        "that was trained on do better than rows of a new one: if new rows will be of new patients, machines, places, name the "
        "column under `groups`; if the same values come again, there is nothing to do. It sees what the features reveal of a value; "
        "that it passes is no proof. With `groups` and with `time` it does not apply.",
    ),
    Check(
        code="H024",
        title="No feature counts the rows",
        severity="warning",
        function="heldout.checks.row_numbers:no_feature_counts_the_rows",
        text="Fails where a feature holds whole numbers, all different, that rise or fall with the rows of the table: the "
        "number of the row, or serial numbers with gaps. Where the table is sorted by its target or by time, such a "
        "number predicts the target, held out as well, and says nothing about new rows. The message says whether the "
        "target goes with the order of the rows. Put the column under `drop`; if it stands for time, name it under "
        "`time`. A number by which the table happens to be sorted, and which never comes twice and grows evenly, looks alike.",
    ),
    Check(
        code="H025",
        title="No single feature does nearly all the work",
        severity="warning",
        function="heldout.checks.single_feature:no_single_feature",
        text="Small models of a single feature (a tree of depth 1, 2 or 4, a line, the mean of each level) are trained and "
        "judged on the folds, by zero-one or squared loss. Fails where one of them, or two, gain at least 90 % of what "
        "the selected learner gains with all features, remove at least 75 % of the risk of a constant, and no other "
        "feature alone gains half as much. Such a feature is often known only after the target, or was computed from "
        "it. Ask how it was recorded, and put it under `drop` if it is not known when you predict. If it is, there is "
        "nothing to do. It does not apply with `time`, where the value before is often nearly all there is.",
    ),
)

CHECKS = {entry.code: entry for entry in _ENTRIES}
"""Every check by its code."""
