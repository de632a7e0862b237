"""The checks of how rows are divided. Standard library only."""

from heldout.checks.entry import Check

CHECKS = (
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
        code="H022",
        title="Folds and groups are enough",
        severity="warning",
        function="heldout.checks.sizes:folds_and_groups_enough",
        text="Fails where a fold (or a tested block of `time`) has fewer than 3 rows; where every one of them has rows of "
        "one class only; where there are fewer than 10 groups, or fewer than two per fold; and where fewer than 6 "
        "blocks are tested. The interval rests on the groups, however many rows these have, and on the blocks. Use "
        "fewer folds, stratify, or collect more groups.",
    ),
)
