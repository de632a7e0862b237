"""The registry of checks, in the order of their codes.

`checks.csv` and docs/checks.md come from here. To add a check, add an entry to the module of its subject, `about_….py`,
with the next free code, and write its function.

Standard library only.
"""

from heldout.checks import about_choice, about_models, about_splits, about_table, about_test_set

_SUBJECTS = (about_table, about_splits, about_choice, about_models, about_test_set)

CHECKS = {
    entry.code: entry
    for entry in sorted(
        (entry for subject in _SUBJECTS for entry in subject.CHECKS), key=lambda entry: entry.code
    )
}
"""Every check by its code."""

RETIRED = {
    "H015": "Enough repeats for the nested-CV standard error. It was about the `bates` interval, which is never the "
    "recommended one; the column `note` of its rows says on how many partitions it rests.",
}
"""Codes that are no longer used, and never again, with what they were."""
