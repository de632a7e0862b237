"""The checks of what is in the table. Standard library only."""

from heldout.checks.entry import Check

CHECKS = (
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
        code="H023",
        title="No column tells which rows belong together",
        severity="note",
        function="heldout.checks.groups:no_hidden_groups",
        text="Looks at columns whose names say nothing, features and those under `drop`: categories and whole numbers with at least "
        "10 values that come again, 6 columns at most, dropped ones first. On at most 800 rows it takes the nearest other row as a "
        "prediction, by all features but the column itself, once among all rows and once among those of other values. "
        "Fails where rows of the same value predict each other better than other rows do at the same distance "
        "(for numbers: rows of the values next to theirs), by more than 4 standard errors (values as units) and more than a "
        "tenth of the risk. That rows of one value are alike in their features is no reason, unless a mate is the nearest row for 80 % of the "
        "rows, at half the usual distance or less, as where one thing was measured again. Then held-out rows of a value "
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
        "`time`; days and seconds written as numbers are left to [H019](#h019). A number by which the table happens to be sorted, and which never comes twice and grows evenly, looks alike.",
    ),
    Check(
        code="H025",
        title="No single feature does nearly all the work",
        severity="warning",
        function="heldout.checks.single_feature:no_single_feature",
        text="Small models of a single feature (a tree of depth 1, 2 or 4, a line, the mean of each level) are trained and "
        "judged on the folds, by zero-one or squared loss. Fails where one of them, or two, gain at least 90 % of what "
        "the selected learner gains with all features, remove at least 75 % of the risk of a constant, and no other "
        "feature alone gains half as much, or each leaves 15 times as much of the risk, and a quarter of it or more. Such a "
        "feature is often known only after the target, or was computed from it. Ask how it was recorded, and put it under "
        "`drop` if it is not known when you predict. If it is, there is nothing to do. It does not apply with `time`, where "
        "the value before is often nearly all there is.",
    ),
)
