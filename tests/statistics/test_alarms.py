"""The study of checks: a fault makes its check ring, an ordinary table rings for stated reasons only."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from alarm_tables import TABLES, AlarmTable  # noqa: E402
from alarms import AlarmRow, faults  # noqa: E402
from alarms_page import page  # noqa: E402

from heldout.checks.registry import CHECKS  # noqa: E402
from heldout.estimates.rows import read_rows  # noqa: E402

DOCS = BENCHMARKS.parent / "docs"


def published() -> list[AlarmRow]:
    return read_rows(DOCS / "alarms.csv", AlarmRow)


def test_the_short_study_finds_every_fault_and_rings_for_no_other_reason(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "alarms.py"), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[AlarmRow] = read_rows(tmp_path / "alarms.csv", AlarmRow)
    short = [table.name for table in TABLES if table.short]
    assert {row.table for row in rows} == set(short)
    assert sum(row.status == "fail" for row in rows) >= 5


def test_the_published_study_is_of_the_tables_and_checks_that_are_there() -> None:
    rows = published()
    assert [(row.table, row.code) for row in rows] == [
        (table.name, code) for table in TABLES for code in CHECKS
    ]
    assert {row.code: row.severity for row in rows} == {c: e.severity for c, e in CHECKS.items()}
    assert faults(TABLES, rows) == []
    assert (DOCS / "alarms.md").read_text(encoding="utf-8") == page(TABLES, rows)


def test_the_study_is_large_enough() -> None:
    ordinary = [table for table in TABLES if not table.fault]
    assert len(TABLES) - len(ordinary) >= 10
    assert len(ordinary) >= 20
    assert sum(table.real for table in ordinary) >= 10
    assert all(table.must for table in TABLES if table.fault)


def test_what_is_unexpected_is_said() -> None:
    leak = AlarmTable("leak", "y", "sklearn:iris", "a leak", ("H008",))
    plain = AlarmTable("plain", "y", "sklearn:iris", reasons={"H005": "so it is"})
    silent = [AlarmRow("leak", "H008", "error", "pass", "nothing")]
    loud = [
        AlarmRow("plain", "H007", "warning", "fail", "copies"),
        AlarmRow("plain", "H023", "note", "fail", "groups"),
    ]
    assert faults([leak], silent) == ["leak: H008 does not ring: a leak"]
    assert faults([plain], loud) == [
        "plain: H007 (warning) rings: copies",
        "plain: H005 no longer rings; its reason can go",
    ]
