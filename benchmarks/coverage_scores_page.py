"""coverage_scores.csv as a page in plain English: docs/coverage_scores.md."""

from collections.abc import Sequence

from coverage_page import table, too_small, with_error
from coverage_problems import LEVEL, Problem
from coverage_rows import CoverageRow

from heldout.estimates import targets
from heldout.estimates.registry import ESTIMATORS

HEAD = """\
# Do the intervals of scores cover?

AUC, F1, R² and their like are numbers of a whole held-out set. This page is written by `python benchmarks/coverage.py
--scores`; every number is in [coverage_scores.csv](coverage_scores.csv), the problems are in
`benchmarks/coverage_scores.yaml`. What was done is described with [the study of losses](coverage.md): many samples of n
rows, all that heldout does with each, and the share of them whose interval contains the true value, ± its Monte Carlo
standard error, at the level {level}. Shares that lie more than two such errors below it are **bold**.

Problems of the kinds marked † were used to find the constructions; those marked ✦ were not. *Final model*: the true
score of the model that was selected and trained on all rows. *Expected*: its mean over samples. Intervals say which of
the two they are for (column `interval_target`); what they do not claim is in brackets here.
"""
LIMITS = """\
## What is not here

Repeats of pooled scores (F1, R², RMSE), functions of your own, `precision_at_recall`, maxima, likelihood ratios and
scores of clusterings were not simulated, nor were groups with average precision, Matthews' correlation and other scores
than those above: heldout prints their intervals, and recommends none. Rows with weights were
simulated for losses, AUC, balanced accuracy and R² (`tests/statistics/test_weighted_coverage.py`), and are recommended
there only. With fewer rows of a class than folds a score of classes has no interval, and with fewer than 15 sealed rows
or groups none by `bca` is recommended: this limit was set after groups had been seen to break it.
"""


def scores_page(rows: Sequence[CoverageRow], problems: Sequence[Problem]) -> str:
    """The whole page."""
    titles = {one.name: f"{one.title} {'†' if one.origin == 'found' else '✦'}" for one in problems}
    parts = [HEAD.format(level=f"{LEVEL:g}".removeprefix("0"))]
    for recommended, head in ((True, "Recommended intervals"), (False, "Other intervals")):
        parts += [f"## {head}\n", _table(rows, titles, recommended)]
    return "\n".join([*parts, _failed(rows, titles), LIMITS])


def _table(rows: Sequence[CoverageRow], titles: dict[str, str], recommended: bool) -> str:
    """A line for each interval of a cell: both coverages."""
    cells: dict[tuple[str, str, str, int], dict[str, CoverageRow]] = {}
    for row in rows:
        place = row.problem, row.estimator, row.interval, row.n
        cells.setdefault(place, {})["final" if _final(row) else "expected"] = row
    lines = [["problem", "estimator", "interval", "n", "final model", "expected"]]
    for (problem, estimator, interval, n), found in cells.items():
        if any(row.recommended for row in found.values()) == recommended:
            texts = [_text(found.get(kind), recommended) for kind in ("final", "expected")]
            title = ESTIMATORS[estimator].title
            lines.append([titles[problem], title, f"`{interval}`", str(n), *texts])
    return table(lines)


def _final(row: CoverageRow) -> bool:
    return row.target in (targets.THIS_PREDICTOR, targets.MODELS)


def _text(row: CoverageRow | None, recommended: bool) -> str:
    if row is None:
        return "–"
    return f"({with_error(row)})" if recommended and not row.recommended else with_error(row)


def _failed(rows: Sequence[CoverageRow], titles: dict[str, str]) -> str:
    mine = [row for row in rows if row.recommended]
    failed = sorted((row for row in mine if too_small(row)), key=lambda row: row.coverage)
    texts = [
        f"- {titles[row.problem]}, n = {row.n}, {ESTIMATORS[row.estimator].title}, `{row.interval}`: "
        f"{with_error(row)} (target `{row.target}`)"
        for row in failed
    ]
    head = (
        f"## What breaks\n\nOf {len(mine)} coverages of recommended intervals {len(failed)} are clearly below the "
        f"level (about {len(mine) * 0.025:.0f} would be by chance if all were exact):\n"
    )
    return "\n".join([head, *texts, ""])
