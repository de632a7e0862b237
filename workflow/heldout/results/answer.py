"""The answer for a task: its facts, and the words that the terminal, a notebook and the report say them in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from heldout.checks.entry import SEVERITIES
from heldout.errors import counted
from heldout.results import compared, glossary
from heldout.results.display import theta_text
from heldout.results.headline import (
    baseline_row,
    headline_row,
    percent,
    root_of,
    short,
    span,
    test_row,
)
from heldout.results.held_out_sets import HeldOutSets
from heldout.results.scale import Scale
from heldout.results.scores import in_words
from heldout.results.tables import Row, Table

NAMES = ("K-fold", "Monte Carlo")
"""Titles of estimators that begin with these keep their capital letter within a sentence."""
NO_INTERVAL = "no interval"


@dataclass(frozen=True)
class Facts:
    """All that an answer is made of.

    Parameters
    ----------
    task
        The name of the task.
    target
        The name of the target.
    columns
        The number of features.
    rows, sealed
        How many rows there are to learn from, and how many are sealed.
    selection
        The content of selection.json.
    estimates
        The rows of estimates.csv, with their scores.
    scale
        The scale of their values.
    learners
        The learners as the workflow knows them (`Learner.as_spec`): which of them are baselines.
    sets
        How many held-out sets there are.
    comparisons, checks
        The rows of these files; None where there is none.
    report
        Where the report is; empty if there is none.
    """

    task: str
    target: str
    columns: int
    rows: int
    sealed: int
    selection: dict[str, Any]
    estimates: Table
    scale: Scale
    learners: Sequence[dict[str, Any]] = ()
    sets: HeldOutSets = field(default_factory=HeldOutSets)
    comparisons: Table | None = None
    checks: Table | None = None
    report: str = ""


@dataclass(frozen=True)
class Line:
    """One thing that is said, and the words for it.

    Parameters
    ----------
    label
        What it is about.
    value
        The value, or the text.
    interval
        The interval of a value; empty if there is none.
    notes
        Where the value comes from, and what else must be known of it.
    measured
        Whether it is about an estimate.
    target
        What the interval is for.
    estimator, method
        The estimator, and the name of the interval; empty for a text, and where there is none.
    role
        The role of the estimator; empty for a text.
    """

    label: str
    value: str
    interval: str = ""
    notes: tuple[str, ...] = ()
    measured: bool = False
    target: str = ""
    estimator: str = ""
    method: str = ""
    role: str = ""

    @property
    def note(self) -> str:
        """All notes together."""
        return "; ".join(filter(None, self.notes))


@dataclass(frozen=True)
class Answer:
    """What is said of a task, line by line."""

    task: str
    heading: str
    lines: list[Line]

    def line(self, label: str) -> Line | None:
        """The line with this label, if there is one."""
        return next((line for line in self.lines if line.label == label), None)


def answer_of(facts: Facts) -> Answer:
    """Put the facts about a task into words.

    Parameters
    ----------
    facts
        All that is known.

    Returns
    -------
    Answer
        A line for each thing that can be said; what is not there is left out.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> from heldout.results.scale import scale_of
    >>> columns = ("learner", "estimator", "risk", "score", "score_low", "score_high", "level", "recommended")
    >>> row = dict(zip(columns, ("all", "nested_cv", 0.02, 0.02, 0.01, 0.05, 0.95, True)))
    >>> table = Table(list(columns), [row])
    >>> chosen = {"learner": "knn", "theta": {"k": 9}, "learners": {"knn": {"thetas": 3}}}
    >>> facts = Facts("t", "y", 2, 80, 0, chosen, table, scale_of(LOSSES["zero_one"], table))
    >>> [line.label for line in answer_of(facts).lines]
    ['selected', 'expected error', 'sealed test']
    """
    sealed = f"{facts.sealed} sealed" if facts.sealed else "none sealed"
    heading = (
        f"{facts.target} from {counted(facts.columns, 'column')}; "
        f"{counted(facts.rows, 'row')} to learn from, {sealed}"
    )
    expected = headline_row(facts.estimates, pooled=facts.scale.loss.pooled)
    lines = [
        _selected(facts.selection),
        *_expected(facts, expected),
        _sealed_test(facts, expected),
        *_not_told_apart(facts),
        *_checks(facts),
        *([Line("report", facts.report)] if facts.report else []),
    ]
    return Answer(facts.task, heading, lines)


def _selected(selection: dict[str, Any]) -> Line:
    """The learner, θ, and how many were tried."""
    theta = theta_text(selection["theta"])
    counts = [entry.get("thetas") for entry in selection["learners"].values()]
    known = sum(counts) if counts and None not in counts else 0
    tried = f"({known} θ of {counted(len(counts), 'learner')} tried)" if known else ""
    return Line("selected", ", ".join(filter(None, (selection["learner"], theta))), notes=(tried,))


def _expected(facts: Facts, row: Row | None) -> list[Line]:
    """What to expect of new data, and of a learner that ignores the features."""
    if row is None:
        return []
    label = f"expected {facts.scale.label}"
    by = ", ".join(filter(None, (title_in_sentence(row), facts.sets.words(row["estimator"]))))
    baseline = baseline_row(facts.estimates, list(facts.learners), row)
    return [
        _measured(label, row, facts.scale, by, percent(row["level"])),
        *([_measured("baseline", baseline, facts.scale, baseline["learner"])] if baseline else []),
    ]


def _sealed_test(facts: Facts, expected: Row | None) -> Line:
    """The result on the sealed rows, or why there is none."""
    test, row = facts.selection.get("test"), test_row(facts.estimates)
    if row is None:
        return Line("sealed test", *_without_test(facts.sealed, test))
    count = test["count"] if test else 0
    opened = {0: "", 1: "opened once"}.get(count, f"counted as opened for {count} selections")
    rows = ", ".join(filter(None, (counted(row["n"], "row"), opened)))
    level = percent(row["level"])
    usual = expected is not None and level == percent(expected["level"])
    return _measured("sealed test", row, facts.scale, rows, "" if usual else level)


def _without_test(sealed: int, test: dict[str, Any] | None) -> tuple[str, str, tuple[str, ...]]:
    if test is not None:
        return "none", "", (test["message"],)
    if not sealed:
        return "none", "", ("no rows were sealed",)
    return "none", "", (f"the config asks for none, and {counted(sealed, 'row')} stay sealed",)


def _measured(label: str, row: Row, scale: Scale, *notes: str) -> Line:
    """A value with its interval, or with the reason why there is none."""
    interval, baseline = span(row, scale.show), label == "baseline"
    root = f"root {root_of(row)}" if scale.squared else ""
    return Line(
        label,
        short(row["score"], scale.show),
        interval,
        (*notes, "" if interval else row.get("note") or NO_INTERVAL, root),
        measured=True,
        target=in_words(row.get("interval_target") or "", scale.loss)
        if interval and not baseline  # which is not the final model
        else "",
        estimator=row["estimator"],
        method=(row.get("interval") or "") if interval else "",
        role="other" if baseline else glossary.estimator(row["estimator"]).role,
    )


def _not_told_apart(facts: Facts) -> list[Line]:
    """The best learner and those that cannot be told from it; nothing where none were compared."""
    group = compared.best_group(facts.comparisons, facts.estimates)
    if group is None:
        return []
    if not group.alike:
        return [Line("told apart", f"{group.best} from all others")]
    return [Line("not told apart", ", ".join([group.best, *group.alike]))]


def _checks(facts: Facts) -> list[Line]:
    """How many checks passed, and those that failed; without checks, the warnings of the selection."""
    if facts.checks is None or not facts.checks.rows:
        return [Line("warning", text) for text in facts.selection.get("warnings", [])]
    failed = failed_checks(facts.checks)
    counts = check_counts(facts.checks)
    said = [f"{row['code']} {_in_one_line(row['message'] or row['title'])}" for row in failed]
    if len(said) == 1:
        return [Line("checks", f"{counts}: {said[0]}")]
    return [Line("checks", counts), *(Line("", text) for text in said)]


def failed_checks(checks: Table | None) -> list[Row]:
    """List the failed checks.

    Parameters
    ----------
    checks
        The rows of checks.csv; None where there is none.

    Returns
    -------
    list of dict
        The most severe first; unknown severities last.

    Examples
    --------
    >>> rows = [{"status": "fail", "severity": one} for one in ("note", "error")]
    >>> [row["severity"] for row in failed_checks(Table(["status", "severity"], rows))]
    ['error', 'note']
    """
    failed = checks.where(status="fail") if checks else []
    rank = {severity: i for i, severity in enumerate(SEVERITIES)}
    return sorted(failed, key=lambda check: rank.get(check["severity"], len(rank)))


def check_counts(checks: Table) -> str:
    """Count checks: `15 passed, 1 error, 2 notes`; those that do not apply are not counted.

    Parameters
    ----------
    checks
        The rows of checks.csv.

    Returns
    -------
    str
        How many passed, and how many failed of each severity.

    Examples
    --------
    >>> rows = [{"status": "pass", "severity": "note"}, {"status": "fail", "severity": "note"}]
    >>> check_counts(Table(["status", "severity"], rows))
    '1 passed, 1 note'
    """
    severities = [row["severity"] for row in failed_checks(checks)]
    failed = [counted(severities.count(one), one) for one in dict.fromkeys(severities)]
    return ", ".join([f"{len(checks.where(status='pass'))} passed", *failed])


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def title_in_sentence(row: Row) -> str:
    """Write the title of an estimator as it stands within a sentence.

    Parameters
    ----------
    row
        A row of estimates.csv.

    Returns
    -------
    str
        Without a capital letter, unless it is that of a name.

    Examples
    --------
    >>> [title_in_sentence({"estimator": name}) for name in ("nested_cv", "kfold")]
    ['nested CV', 'K-fold CV']
    """
    title = glossary.estimator(row["estimator"]).title
    return title if title.startswith(NAMES) else title[:1].lower() + title[1:]
