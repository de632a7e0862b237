"""coverage.csv as a page in plain English: docs/coverage.md."""

from collections.abc import Iterable, Sequence
from statistics import NormalDist, median

from coverage_problems import LEVEL, Problem
from coverage_rows import REFERENCE, CoverageRow

from heldout.estimates.registry import ESTIMATORS

RECOMMENDED = "tuned_jackknife"
NESTED, KFOLD = "nested_cv", "kfold"
CLEAR = 2.0
"""A coverage is called too small if it is this many Monte Carlo errors below the level."""

HEAD = """\
# Do the intervals cover?

This page is written by `python benchmarks/coverage.py`; every number is in [coverage.csv](coverage.csv). The problems
are in `benchmarks/coverage.yaml`. AUC, F1, R² and other scores have [a study of their own](coverage_scores.md).

**What was done.** From each problem many samples of n rows were drawn. On each sample heldout did what it does with a
user's table: it chose θ (and the learner), estimated the risk, and computed its intervals, with K = 5 folds and one
repeat unless the problem says otherwise, at the level {level}. The true risk is known, or it is the mean loss on
the rows of a real table that were not drawn ([the audit](audit.md)). The coverage is the share of the samples whose
interval contains the true value. Two values may be meant: the risk of the final model, and the expected risk of the
procedure at size n. **The tables show the smaller of the two coverages**, ± its Monte Carlo standard error.
Coverages that lie more than two such errors below {level} are **bold**.

Problems of the kinds marked † were used to find the rule of the recommended interval (also with repeats, ten folds
and fixed θ); those marked ✦ were not: they are the test. In those marked ‡ few rows carry most of the loss. The smaller of two noisy shares is a
little too small on average, and where a true risk is computed on fresh rows its own error counts as a miss, so the
tables err on the strict side.
"""


def page(rows: Sequence[CoverageRow], problems: Sequence[Problem]) -> str:
    """The whole page."""
    titles = {
        one.name: f"{one.title} {'†' if one.origin == 'found' else '✦'}{'‡' if one.heavy else ''}"
        for one in problems
    }
    present = {row.interval for row in rows}
    best = RECOMMENDED if RECOMMENDED in present else REFERENCE
    lowest = lower_of_targets(rows)
    parts = [HEAD.format(level=_share(LEVEL)), _stand_in(best)]
    kept = {row.problem for row in lowest if row.estimator == KFOLD and row.recommended}
    fixed = [row for row in lowest if row.problem in kept]
    parts += _section(NESTED, "", best, lowest, titles)
    parts += _section(KFOLD, " at a fixed θ", best, fixed, titles)
    parts += [_chosen(lowest, best, titles)]
    parts += ["## Other estimators\n", OTHERS, _others(lowest, titles)]
    parts += ["## What breaks it\n", _breaks(lowest, titles), _tails(lowest, problems)]
    parts += [_populations(lowest, problems), LIMITS]
    return "\n".join(part for part in parts if part)


def _stand_in(best: str) -> str:
    if best == RECOMMENDED:
        return ""
    return f"**This run has no interval `{RECOMMENDED}`; `{best}` stands in for it.**\n"


def lower_of_targets(rows: Iterable[CoverageRow]) -> list[CoverageRow]:
    """Of each interval in each cell the row of the target that it covers less often."""
    found: dict[tuple[str, int, str, str], CoverageRow] = {}
    for row in rows:
        place = row.problem, row.n, row.estimator, row.interval
        if place not in found or row.coverage < found[place].coverage:
            found[place] = row
    return list(found.values())


# --- tables --------------------------------------------------------------------------------------


def _section(
    estimator: str, where: str, best: str, rows: Sequence[CoverageRow], titles: dict[str, str]
) -> list[str]:
    """The recommended interval of an estimator with errors, then the others beside it."""
    mine = [row for row in rows if row.estimator == estimator]
    chosen = [row for row in mine if row.interval == best]
    if not chosen:
        return []
    return [
        f"## {ESTIMATORS[estimator].title}{where}: `{best}`\n",
        _by_size(chosen, titles),
        _widths(chosen),
        f"The intervals of {ESTIMATORS[estimator].title} side by side; coverages at {_sizes(mine)} rows, as far as "
        "the problem was run there:\n",
        _side_by_side(mine, best, titles),
    ]


def _by_size(rows: Sequence[CoverageRow], titles: dict[str, str]) -> str:
    sizes = sorted({row.n for row in rows})
    lines = [["problem", *(f"n = {n}" for n in sizes), "width"]]
    for name in dict.fromkeys(row.problem for row in rows):
        mine = {row.n: row for row in rows if row.problem == name}
        texts = [with_error(mine[n]) if n in mine else "–" for n in sizes]
        lines.append([titles[name], *texts, _width(list(mine.values()))])
    return table(lines)


def _side_by_side(rows: Sequence[CoverageRow], best: str, titles: dict[str, str]) -> str:
    known = list(dict.fromkeys(row.interval for row in rows))
    intervals = sorted(known, key=lambda name: (name != best, known.index(name)))
    lines = [["problem", *(f"`{name}`" for name in intervals)]]
    for name in dict.fromkeys(row.problem for row in rows):
        mine = [row for row in rows if row.problem == name]
        lines.append([titles[name], *(_in_a_row(mine, interval) for interval in intervals)])
    return table(lines)


def _in_a_row(rows: Iterable[CoverageRow], interval: str) -> str:
    mine = sorted((row for row in rows if row.interval == interval), key=lambda row: row.n)
    return " / ".join(_marked(row, _share(row.coverage)) for row in mine) or "–"


def _chosen(rows: Sequence[CoverageRow], best: str, titles: dict[str, str]) -> str:
    """K-fold at a θ that the same folds chose."""
    mine = [row for row in rows if row.estimator == KFOLD and row.interval == best]
    chosen = [row for row in mine if not row.recommended]
    if not chosen:
        return ""
    return f"## K-fold CV at a θ that the same folds chose\n\n{CHOSEN}\n{_by_size(chosen, titles)}"


def _others(rows: Iterable[CoverageRow], titles: dict[str, str]) -> str:
    lines = [["estimator", "interval", "recommended", "problem", "n", "coverage"]]
    order = list(ESTIMATORS)
    cells: dict[tuple[int, str, bool, str], list[CoverageRow]] = {}
    for row in rows:
        if row.estimator not in (NESTED, KFOLD):
            place = order.index(row.estimator), row.interval, row.recommended, row.problem
            cells.setdefault(place, []).append(row)
    for place in sorted(cells, key=lambda place: place[0]):
        estimator, interval, recommended, problem = place
        texts = [
            ESTIMATORS[order[estimator]].title,
            f"`{interval}`",
            "yes" if recommended else "no",
        ]
        sizes = " / ".join(str(row.n) for row in sorted(cells[place], key=lambda row: row.n))
        lines.append([*texts, titles[problem], sizes, _in_a_row(cells[place], interval)])
    return table(lines) if cells else "None in this run.\n"


def table(lines: Sequence[Sequence[str]]) -> str:
    """Lines of texts as a table; the first one is its head."""
    ruled = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in ruled) + "\n"


# --- sentences -----------------------------------------------------------------------------------


def _widths(rows: Sequence[CoverageRow]) -> str:
    known = [row.width for row in rows if row.width is not None]
    if not known or rows[0].interval == REFERENCE:
        return ""
    return (
        f"Widths are relative to `{REFERENCE}` of the same estimator: the median over all cells is "
        f"{median(known):.2f}, the range {min(known):.2f} to {max(known):.2f}.\n"
    )


def _breaks(rows: Sequence[CoverageRow], titles: dict[str, str]) -> str:
    mine = [row for row in rows if row.recommended]
    failed = sorted((row for row in mine if too_small(row)), key=lambda row: row.coverage)
    texts = [
        f"- {titles[row.problem]}, n = {row.n}, {ESTIMATORS[row.estimator].title}, `{row.interval}`: "
        f"{with_error(row)} (target `{row.target}`)"
        for row in failed
    ]
    head = (
        f"Of {len(mine)} recommended intervals (an estimate of a problem at one n each), {len(failed)} are clearly "
        f"below their level (about {len(mine) * 0.025:.0f} would be by chance if all were exact):\n"
    )
    return "\n".join([head, *texts, ""])


def _tails(rows: Sequence[CoverageRow], problems: Sequence[Problem]) -> str:
    """What this run found where few rows carry most of the loss."""
    texts = []
    for problem in {one.name: one for one in problems}.values():
        found = [row.coverage for row in rows if row.problem == problem.name and row.recommended]
        if problem.heavy and found:
            texts.append(f"{problem.title}: {_share(min(found))} to {_share(max(found))}")
    if not texts:
        return ""
    return (
        "Where few rows carry most of the loss, the mean depends on rare values that most samples lack, and no "
        "interval holds. Where heldout sees this in the losses, it says so and recommends none (column `note`; check "
        "H017); it does not always see it. The study counts all samples there, with and without that note, and does "
        "not say how often an interval covers where none is given. In this run the intervals that heldout "
        f"recommends otherwise cover ({'; '.join(texts)}). The problems with cross-entropy and Brier scores of easy "
        "classes were added, and marked ‡, after such problems had been seen to break the rule: the claim that it "
        "holds on the other problems leaves them out.\n"
    )


def _populations(rows: Sequence[CoverageRow], problems: Iterable[Problem]) -> str:
    """What an exact interval would reach where the truth is the rest of a small table."""
    sizes = {one.name: one.population for one in problems if one.population}
    cells = dict.fromkeys((row.problem, row.n) for row in rows if row.problem in sizes)
    texts = [f"{name}, n = {n}: {_share(attainable(n, sizes[name]), 3)}" for name, n in cells]
    if not texts:
        return ""
    return (
        "Real tables are small. The risk of the final model is there the mean loss on the rows that were not drawn, "
        "which is itself uncertain, and draws overlap. If losses were independent, an exact interval would cover "
        f"this risk only so often ({'; '.join(texts)}).\n"
    )


def attainable(n: int, population: int) -> float:
    """P(|Z| ≤ z/√(1 + n/(N − n))): a mean of n losses against the mean of the other N − n."""
    normal = NormalDist()
    reach = normal.inv_cdf((1 + LEVEL) / 2) / (1 + n / (population - n)) ** 0.5
    return 2 * normal.cdf(reach) - 1


CHOSEN = """\
The smallest of several risks is too small, and no interval of it allows for that: heldout recommends none. This is how
often the interval of a fixed θ would cover there.
"""
OTHERS = """\
Of a development set the true value is the risk of the model that was fitted to the rest; of all others it is, as above,
the risk of the final model or the expected risk at size n, whichever is covered less often.
"""
LIMITS = """\
The study says nothing about problems unlike these: time series, shifts between the sample and later rows, and
neural networks, for instance, are not in it.
"""


def too_small(row: CoverageRow) -> bool:
    """Whether a coverage is below the level by more than chance; the error is that at the level."""
    return row.coverage < LEVEL - CLEAR * (LEVEL * (1 - LEVEL) / row.draws) ** 0.5


def with_error(row: CoverageRow) -> str:
    """`.95 ± .01`."""
    return _marked(row, f"{_share(row.coverage)} ± {_share(row.coverage_se, 3)}")


def _marked(row: CoverageRow, text: str) -> str:
    return f"**{text}**" if too_small(row) else text


def _share(value: float, digits: int = 2) -> str:
    """Without the zero before the point."""
    return f"{value:.{digits}f}".removeprefix("0")


def _width(rows: Sequence[CoverageRow]) -> str:
    known = [row.width for row in rows if row.width is not None]
    return f"{sum(known) / len(known):.2f}" if known else "–"


def _sizes(rows: Iterable[CoverageRow]) -> str:
    return " / ".join(str(n) for n in sorted({row.n for row in rows}))
