"""The check of the size of the test set."""

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.errors import counted
from heldout.estimates.rows import EstimateRow

FEWEST_ROWS = 10
FEWEST_GROUPS = 5


def test_set_large_enough(context: Context) -> Outcome:
    """H021: with a few sealed rows, the test risk may be anything."""
    if context.sealed is None:
        return not_applicable("no sealed test")
    table, sealed = context.loss_table.table, context.sealed
    grouped = table.grouped and sealed.units < sealed.rows
    what, fewest = ("group", FEWEST_GROUPS) if grouped else ("row", FEWEST_ROWS)
    said = f"{counted(sealed.units, what)} sealed"
    if sealed.units < fewest:
        return failed(
            f"{said}, fewer than {fewest}: the test risk may be far off{_interval(context)}. Seal more (test), or "
            "rely on nested CV and set test: 0"
        )
    if sealed.classes == 1 and len(table.classes or []) > 1:
        return failed(
            f"all {counted(sealed.rows, 'sealed row')} are of one class: the test says nothing of errors on the "
            "others. Seal more rows, or stratify"
        )
    return passed(said)


def _interval(context: Context) -> str:
    """The ends of the recommended interval of the test, if there is one."""
    found: list[EstimateRow] = [
        row
        for row in context.estimates
        if (row.learner, row.estimator) == ("all", "test") and row.recommended
    ]
    if not found or found[0].ci_low is None or found[0].ci_high is None:
        return ""
    return f" (its interval: {found[0].ci_low:.3g} to {found[0].ci_high:.3g})"
