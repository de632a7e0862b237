"""The checks of fitted models and their predictions. Standard library only."""

from heldout.checks.entry import Check

CHECKS = (
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
)
