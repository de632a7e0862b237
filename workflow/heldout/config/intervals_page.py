"""docs/intervals.md: every confidence interval, from its registry."""

import re
from collections.abc import Iterator

from heldout.config.markdown import filled, generated, row
from heldout.estimates.holds import HOLDS, OF_SCORES
from heldout.estimates.interval_registry import INTERVALS, MEAN, Interval

FAMILIES = {
    MEAN: "means over examples",
    "auc": "AUC",
    "class_means": "means over classes (balanced accuracy, macro averages)",
    "ratio": "ratios (F1, precision, Jaccard)",
    "r2": "R²",
    "root": "roots (RMSE)",
    "other": "other scores",
    "unstudied": "scores that no study is about",
}
"""Families of losses in words."""


def interval_lines() -> Iterator[str]:
    """The lines of the page.

    Returns
    -------
    Iterator of str
        Lines of Markdown.

    Examples
    --------
    >>> next(line for line in interval_lines() if line.startswith("# "))
    '# Intervals'
    """
    yield generated("estimates/interval_registry.py and estimates/holds.py")
    yield "# Intervals"
    yield ""
    yield from filled(
        "Every confidence interval: its formula, what it is an interval for, what it assumes, and where it comes from. "
        "δ is 1 − `level`, z the normal quantile at 1 − δ/2, R̂ and C the estimate, n the number of rows (or of groups), K the "
        "number of folds. An interval that is not valid for an estimate is not computed. Which one is recommended for an "
        "estimate is said in the column `recommended` of `estimates.csv`; where none is, the column `note` says why "
        "([estimators](estimators.md#intervals))."
    )
    for interval in INTERVALS.values():
        yield ""
        yield from _section(interval)


def _section(interval: Interval) -> Iterator[str]:
    caveat = f" It {interval.caveat}." if interval.caveat else ""
    yield f"## `{interval.name}`"
    yield ""
    yield from filled(_linked(f"**{interval.title}.** {interval.meaning}{caveat}"))
    yield ""
    yield f"**Formula.** `{interval.formula}`"
    yield ""
    yield "| estimate | the interval is for | recommended, where it is valid |"
    yield "|---|---|---|"
    for estimator in interval.derived_for:
        yield row(f"`{estimator}`", interval.target(estimator), _evidence(estimator, interval.name))
    yield ""
    yield from filled(f"**Assumes.** {' '.join(_assumptions(interval))}")
    yield ""
    yield f"**Reference.** [{interval.reference}]({interval.url})."


def _assumptions(interval: Interval) -> Iterator[str]:
    yield f"Valid for {interval.valid}."
    yield "Rows are in time order." if interval.in_order else "Rows (or groups) are exchangeable."
    yield "Rows may have weights." if interval.weights else "Rows have no weights."
    yield f"It is for {', '.join(FAMILIES[family] for family in interval.families)}."


def _evidence(estimator: str, interval: str) -> str:
    """Where it is recommended, with the evidence; "no" if nowhere."""
    found = [HOLDS[estimator, interval]] if (estimator, interval) in HOLDS else []
    for family, words in FAMILIES.items():
        if (family, estimator, interval) in OF_SCORES:
            found.append(f"{words} ({OF_SCORES[family, estimator, interval]})")
    return _linked("; ".join(found)) or "no"


def _linked(text: str) -> str:
    """With links to pages of docs/."""
    return re.sub(r"docs/(\w+)\.md", r"[\1](\1.md)", text)
