"""All checks, by code. To add one, write its function, add it here and document it."""

from heldout.checks import data, procedure
from heldout.checks.check import Check, CheckRow, Context, row

CHECKS = (
    Check("H001", "Leave-one-out does not punish a majority rule", "warning", procedure.loo_of_a_majority_rule),
    Check("H002", "Every training part has every class", "warning", data.every_class_in_training),
    Check("H003", "Every fold has every class", "note", data.every_class_in_folds),
    Check("H004", "The development set is large enough for the grid", "warning", procedure.dev_set_large_enough),
    Check("H005", "The selected θ lies inside the grid", "warning", procedure.not_on_the_edge),
    Check("H006", "Outer folds agree on the choice", "warning", procedure.stable_choice),
    Check("H007", "No row occurs twice", "warning", data.no_duplicates),
    Check("H008", "No feature is the target", "error", data.no_feature_is_the_target),
    Check("H009", "Groups are declared", "warning", data.groups_declared),
    Check("H010", "Every row is out of some bag", "note", data.enough_bags),
    Check("H011", "Every bag leaves something out", "note", data.every_bag_leaves_out),
    Check("H012", "The test set was opened once", "error", procedure.test_opened_once),
    Check("H013", "Scans ended by themselves", "warning", procedure.scan_ended),
    Check("H014", "The fold-by-fold correction does not overshoot", "note", procedure.corrections_hold),
    Check("H015", "Enough repeats for the nested-CV standard error", "note", procedure.bates_repeated),
)  # fmt: skip


def run_checks(context: Context) -> list[CheckRow]:
    """Ask every question."""
    return [row(check, context) for check in CHECKS]
