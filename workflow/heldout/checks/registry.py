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
        "risk is 1/2. Fails where a learner errs more often than guessing would by chance (p < .001, over all "
        "learners; in groups, each group counts as one example). Use K-fold for such learners.",
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
        title="The guarantee of the development set says something",
        severity="note",
        function="heldout.checks.grid:dev_set_large_enough",
        text="With `select: {by: holdout}`: with probability 1 − δ, the risk of the θ chosen on the development set "
        "exceeds the best risk in the grid by at most √(2/|S_dev| · ln(2|Θ₀|/δ)) times the range of the loss. Fails where "
        "the best constant prediction (the most frequent class, the shares of the classes) is worse than the selected θ "
        "by less than that: then the bound cannot tell the choice from guessing. It holds for any learners, and "
        "is conservative: where it says nothing the choice may be good all the same. It is for means of bounded losses "
        "of examples, not for scores such as AUC and F1. To have a guarantee, enlarge `holdout.fraction` or "
        "shrink the grid. (Shalev-Shwartz & Ben-David 2014, Understanding Machine Learning, Corollary "
        "4.6.)",
    ),
    Check(
        code="H005",
        title="The selected θ lies inside the grid",
        severity="warning",
        function="heldout.checks.grid:not_on_the_edge",
        text="Fails where the selected value of a hyper-parameter is the smallest or largest of three or more, and the "
        "risk still falls there: it is smaller than that of the next value inside (other hyper-parameters equal) by "
        "more than 2 standard errors of the paired difference, or than that of the middle of the axis, if the last "
        "step is at least half of the mean step since. Passes where the risk is flat at the edge, and where no value "
        "beyond makes sense (one neighbour, depth 1, λ = 0). Without any difference between θ it fails in 7 to 11 % of "
        "samples; at one standard error in 30 %. Extend the grid in that direction; only the new θ are fitted.",
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
        function="heldout.checks.data:no_duplicates",
        text="Copies of a row may lie on both sides of a split, so that the model is tested on what it "
        "was trained on. Remove them, or keep them together with `groups`. With `time` it does not apply: rows of one time are in "
        "one block, and equal values at different times are no copies.",
    ),
    Check(
        code="H008",
        title="No feature is the target",
        severity="error",
        function="heldout.checks.data:no_feature_is_the_target",
        text="A feature that corresponds one to one to the target is most likely the target, coded differently. "
        "Put it under `drop`.",
    ),
    Check(
        code="H009",
        title="Groups are declared",
        severity="warning",
        function="heldout.checks.data:groups_declared",
        text="A column whose name suggests subjects, sites or batches, with several rows each, is used as "
        "a feature. If its rows belong together, name it under `groups`: otherwise "
        "rows of the same subject are in the training rows and held out, and risks are too small.",
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
        "correction too large. Fails where it is more than twice the one that nested CV (or BBC-CV) shows, and the "
        "corrected risk lies above theirs by more than a standard error of the risk. Prefer nested CV or BBC-CV.",
    ),
    Check(
        code="H016",
        title="Fits ended without warnings",
        severity="warning",
        function="heldout.checks.fits:fits_without_warnings",
        text="A fit that warns, for instance that it did not converge, still gives predictions, and its "
        "risks look like any others. The message says how many of how many fits, names learners, θ and warnings, and "
        "whether the selected θ is concerned; each cell keeps its own (`heldout show TASK CELL`). Of fits that did not "
        "converge, raise the number of iterations (`max_iter`), scale the features, or drop the θ at fault.",
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
        code="H022",
        title="Folds and groups are enough",
        severity="warning",
        function="heldout.checks.sizes:folds_and_groups_enough",
        text="Fails where a fold (or a tested block of `time`) has fewer than 3 rows; where every one of them has rows of "
        "one class only; where there are fewer than 10 groups, or fewer than two per fold; and where fewer than 6 "
        "blocks are tested. The interval rests on the groups, however many rows these have, and on the blocks. Use "
        "fewer folds, stratify, or collect more groups.",
    ),
    Check(
        code="H026",
        title="The selected model is better than the baseline",
        severity="warning",
        function="heldout.checks.baseline:better_than_baseline",
        text="Fails where a baseline (`majority`, `mean`) is selected though other learners were tried, and where the "
        "interval of the difference between the selected learner and the baseline (`comparisons.csv`) reaches 0. "
        "Without a baseline among the learners, the best constant prediction of each training part stands for it, "
        "which needs no fit: the most frequent class, the cheapest one, the shares of the classes, the mean, median "
        "or quantile. Then SE² = 2·(test noise of the difference) + (K−1)/8·Q ([coverage](coverage.md)). Such a model has "
        "learned nothing that can be told from guessing: look at the features, or collect more rows.",
    ),
    Check(
        code="H027",
        title="Predictions differ from row to row",
        severity="warning",
        function="heldout.checks.predictions:predictions_differ",
        text="Fails where the selected model predicts one class for all held-out rows, or others for fewer rows "
        "than 5 % of those that are of another class; for losses of probabilities and scores, where these are all one; of "
        "numbers, where predictions spread less than 1 % as much as the target, or 99 % of a held-out set get the same. "
        "Under imbalance the share of errors rewards that. Choose by a measure that sees the rare class (`roc_auc`, "
        "`balanced_accuracy`, costs), tune the threshold (`threshold: tune`), or look at the features.",
    ),
    Check(
        code="H028",
        title="Probabilities are calibrated",
        severity="note",
        function="heldout.checks.predictions:probabilities_calibrated",
        text="Fails where the expected calibration error of the selected learner's held-out probabilities exceeds what "
        "true probabilities would show by chance by .05 or more, and would do so with a probability of less than .001, over "
        "all classes. One row of each group is looked at, and at most 10,000 rows over all classes. Set `calibrate: sigmoid` "
        "or `isotonic`, and see the [reliability curve](probabilities.md). Labels at a threshold of one half and "
        "rankings (AUC) do not suffer.",
    ),
    Check(
        code="H029",
        title="No few rows decide the ranking of learners",
        severity="note",
        function="heldout.checks.ranking:no_few_rows_decide",
        text="For losses without a bound, such as the squared one. Fails where another learner leads without the 10 rows "
        "(at most 5 % of all) with the largest losses, averaged over learners, by more than the interval of "
        "the paired difference on the other rows (SE² = 2·test noise). Look at these rows: if they are errors, correct "
        "them; if they are real, the choice depends on how many of them new data bring. Absolute loss depends less on them.",
    ),
    Check(
        code="H030",
        title="The measure fits the imbalance",
        severity="warning",
        function="heldout.checks.balance:measure_fits_imbalance",
        text="Fails where θ is chosen by the share of errors (or accuracy) and one class has 95 % of the rows or more: "
        "always predicting it is then hard to beat, and worthless. Use `loss: roc_auc`, `average_precision` or "
        "`balanced_accuracy`, costs of errors (`loss: {costs: …}`), or `f1` with `threshold: tune`.",
    ),
)

CHECKS = {entry.code: entry for entry in _ENTRIES}
"""Every check by its code."""

RETIRED = {
    "H015": "Enough repeats for the nested-CV standard error. It was about the `bates` interval, which is never the "
    "recommended one; the column `note` of its rows says on how many partitions it rests.",
}
"""Codes that are no longer used, and never again, with what they were."""
