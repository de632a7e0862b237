"""The checks of how learners and θ are judged and chosen. Standard library only."""

from heldout.checks.entry import Check

CHECKS = (
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
