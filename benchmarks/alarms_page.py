"""alarms.csv as a page in plain English: docs/alarms.md."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from alarm_tables import AlarmTable

from heldout.checks.registry import CHECKS

HEAD = """\
# Which checks ring, and on what

This page is written by `python benchmarks/alarms.py`; every outcome with its message is in [alarms.csv](alarms.csv).

**What was done.** Each table went through `heldout init` and the workflow with three learners (the baseline, a
regularised linear model, a tree). Some tables have a known fault: a leak, copies, groups that nobody declared, rows out of
order, a test set that says nothing. A check must ring for it. The others are ordinary tables, most of them real ones
from R packages and scikit-learn. There a check of severity warning or error may ring only for a reason that one would
tell a colleague; it is named below. The command ends with an error where a fault is missed or a reason is missing. A
short form of it is one of the tests.

● rings because of the fault; ○ rings, a warning or an error; ◦ rings, a note; empty: passes or does not apply.
What each check is about: [checks](checks.md).
"""


class Row(Protocol):
    """A check of a table."""

    table: str
    code: str
    severity: str
    status: str
    message: str


def page(tables: Sequence[AlarmTable], rows: Sequence[Row]) -> str:
    """The whole page."""
    failed = {(row.table, row.code): row for row in rows if row.status == "fail"}
    codes = [code for code in CHECKS if any(code == one for _, one in failed)]
    faulty = [table for table in tables if table.fault]
    ordinary = [table for table in tables if not table.fault]
    silent = [code for code in CHECKS if code not in codes]
    parts = [
        HEAD,
        *matrix("Tables with a fault", faulty, codes, failed),
        *matrix("Ordinary tables", ordinary, codes, failed),
        f"On none of these tables rings: {', '.join(silent)}.\n" if silent else "",
        "## Why a check rings where there is a fault\n",
        *faulty_lines(faulty, failed),
        "\n## What else rings, and why\n",
        *reason_lines(tables, failed),
    ]
    return "\n".join(parts) + "\n"


def matrix(title: str, tables: Sequence[AlarmTable], codes: Sequence[str], failed: dict[tuple[str, str], Row]) -> Iterator[str]:  # fmt: skip
    """A row for each table, a column for each check that rings somewhere."""
    yield f"## {title}\n"
    yield f"| table | {' | '.join(codes)} |"
    yield f"| --- |{' :-: |' * len(codes)}"
    for table in tables:
        marks = [mark(table, failed.get((table.name, code))) for code in codes]
        yield f"| {table.name}{'' if table.real else ' (made)'} | {' | '.join(marks)} |"
    yield ""


def mark(table: AlarmTable, row: Row | None) -> str:
    if row is None:
        return ""
    return "●" if row.code in table.must else "◦" if row.severity == "note" else "○"


def faulty_lines(tables: Sequence[AlarmTable], failed: dict[tuple[str, str], Row]) -> Iterator[str]:
    for table in tables:
        yield f"- **{table.name}**: {table.fault}."
        for code in table.must:
            row = failed.get((table.name, code))
            yield f"  {code}: {row.message if row else 'does not ring'}."


def reason_lines(tables: Sequence[AlarmTable], failed: dict[tuple[str, str], Row]) -> Iterator[str]:
    for table in tables:
        for code, reason in table.reasons.items():
            row = failed.get((table.name, code))
            yield f"- **{table.name}**, {code}: {reason}. It says: {row.message if row else 'nothing'}."
