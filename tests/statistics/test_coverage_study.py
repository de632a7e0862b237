"""The coverage study: its problems are valid, its command works end to end, and its page says what the rows say."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from coverage_page import attainable, lower_of_targets, page, too_small  # noqa: E402
from coverage_problems import SCORES, Problem, cells_of, config_of, read_problems  # noqa: E402
from coverage_rows import CoverageRow, recommended  # noqa: E402

from heldout.estimates.holds import BY_STUDY, HOLDS, OF_SCORES  # noqa: E402
from heldout.estimates.rows import read_rows  # noqa: E402
from heldout.execution.study import Study  # noqa: E402
from heldout.measures.registry import family_of  # noqa: E402


def test_the_command_runs_end_to_end_and_can_be_repeated(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "coverage.py"), "--quick", "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    rows: list[CoverageRow] = read_rows(tmp_path / "coverage.csv", CoverageRow)
    found = {(row.estimator, row.target) for row in rows}
    assert {("nested_cv", "tuned"), ("nested_cv", "predictor")} <= found
    assert {("kfold", "algorithm"), ("kfold", "predictor"), ("loo", "predictor")} <= found
    assert all(row.draws == 3 and 0 <= row.coverage <= 1 for row in rows)
    assert {row.width for row in rows if row.interval == "bayle_all_pairs"} == {1.0}
    text = (tmp_path / "coverage.md").read_text(encoding="utf-8")
    assert "groups of five rows, k-NN ✦" in text
    assert "a real table" in text
    batches = sorted(tmp_path.rglob("batch-*.npz"))
    before = [path.stat().st_mtime_ns for path in batches]
    subprocess.run(command, check=True, capture_output=True)
    assert [path.stat().st_mtime_ns for path in batches] == before, "nothing is computed twice"


def test_all_problems_are_valid_and_enough_are_new() -> None:
    problems = read_problems()
    cells = cells_of(problems)
    assert len(Study(config_of(cells)).audits) == len(cells)
    assert len(problems) >= 14
    assert sum(one.origin == "new" for one in problems) >= 8
    assert {one.origin for one in problems} == {"found", "new"}
    assert all(cell.draws >= 200 for cell in cells)


def test_what_is_recommended_covers_in_the_published_study() -> None:
    """At least 90 % for a nominal 95 %, in every problem without heavy tails."""
    rows: list[CoverageRow] = read_rows(BENCHMARKS.parent / "docs" / "coverage.csv", CoverageRow)
    heavy = {one.name for one in read_problems() if one.heavy}
    assert "t3" in heavy
    mine = [row for row in rows if row.recommended and row.problem not in heavy]
    assert [(r.problem, r.n, r.estimator) for r in mine if r.coverage < 0.9] == []
    studied = {(row.estimator, row.interval) for row in mine}
    assert {pair for pair, evidence in HOLDS.items() if evidence == BY_STUDY} <= studied


def test_the_published_study_is_of_the_problems_that_are_there() -> None:
    rows: list[CoverageRow] = read_rows(BENCHMARKS.parent / "docs" / "coverage.csv", CoverageRow)
    cells = cells_of(read_problems())
    draws: dict[tuple[str, int], int] = {}
    for row in rows:  # where an interval was refused in some draws, it has fewer of them
        draws[row.problem, row.n] = max(draws.get((row.problem, row.n), 0), row.draws)
    assert draws == {(cell.problem.name, cell.n): cell.draws for cell in cells}
    for cell in cells:
        mine = [row for row in rows if (row.problem, row.n) == (cell.problem.name, cell.n)]
        valid = {(row.estimator, row.interval) for row in mine}
        for row in mine:
            assert row.recommended == recommended(
                cell, row.estimator, row.interval, row.target, valid
            )


def published_scores() -> list[CoverageRow]:
    rows: list[CoverageRow] = read_rows(
        BENCHMARKS.parent / "docs" / "coverage_scores.csv", CoverageRow
    )
    return rows


def test_intervals_of_scores_that_are_recommended_cover_in_the_published_study() -> None:
    """At least 90 % for a nominal 95 %, in every problem, for what they claim."""
    mine = [row for row in published_scores() if row.recommended]
    assert [(r.problem, r.n, r.estimator, r.target) for r in mine if r.coverage < 0.9] == []
    studied = {(family_of(row.loss), row.estimator, row.interval) for row in mine}
    by_study = {place for place, evidence in OF_SCORES.items() if evidence == BY_STUDY}
    fixed = {place for place in by_study if place[1] in ("kfold", "kfold_pooled")}
    assert by_study - fixed <= studied, "K-fold at a fixed θ is nested CV of one θ"


def test_the_published_study_of_scores_is_of_the_problems_that_are_there() -> None:
    rows, cells = published_scores(), cells_of(read_problems(SCORES))
    draws = {(row.problem, row.n): 0 for row in rows}
    for row in rows:
        draws[row.problem, row.n] = max(draws[row.problem, row.n], row.draws)
    assert draws == {(cell.problem.name, cell.n): cell.draws for cell in cells}
    assert all(cell.draws >= 200 for cell in cells)
    for cell in cells:
        mine = [row for row in rows if (row.problem, row.n) == (cell.problem.name, cell.n)]
        valid = {(row.estimator, row.interval) for row in mine}
        for row in mine:
            expected = recommended(cell, row.estimator, row.interval, row.target, valid)
            assert row.recommended == expected, row


def test_the_study_of_scores_runs_end_to_end(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "coverage.py"), "--scores", "--quick"]
    subprocess.run([*command, "--out", str(tmp_path)], check=True, capture_output=True)
    rows: list[CoverageRow] = read_rows(tmp_path / "coverage_scores.csv", CoverageRow)
    assert {row.loss for row in rows} == {"roc_auc", "f1", "r2", "neg_median_absolute_error"}
    text = (tmp_path / "coverage_scores.md").read_text(encoding="utf-8")
    assert "AUC, groups of five rows, k-NN ✦" in text


def row(
    target: str, coverage: float, draws: int = 400, interval: str = "tuned_jackknife"
) -> CoverageRow:
    start = "p", "new", 60, "ridge", "squared", 5, 1, "nested_cv"
    error = (coverage * (1 - coverage) / draws) ** 0.5
    recommended = interval == "tuned_jackknife"
    return CoverageRow(*start, interval, target, recommended, draws, coverage, error, 1.5)


def test_the_page_shows_the_lower_of_the_two_targets() -> None:
    rows = [row("tuned", 0.96), row("predictor", 0.91), row("tuned", 0.8, interval="bates")]
    lowest = lower_of_targets(rows)
    assert [one.coverage for one in lowest] == [0.91, 0.8]
    assert too_small(lowest[0])
    assert not too_small(row("tuned", 0.93)), "two Monte Carlo errors are .022"


def test_the_recommended_interval_is_found_by_its_name() -> None:
    problem = Problem("p", "a problem", "new", {60: 400}, {}, {}, 442)
    old = [
        row("tuned", 0.95, interval="nadeau_bengio"),
        row("tuned", 0.81, interval="bayle_all_pairs"),
    ]
    text = page(old, [problem])
    assert "has no interval `tuned_jackknife`" in text
    assert "**.81 ± .020**" in text
    assert "p, n = 60: .932" in text
    text = page([*old, row("tuned", 0.96)], [problem])
    assert "## Nested CV: `tuned_jackknife`" in text
    assert "has no interval" not in text
    assert "| a problem ✦ | .96 | .95 | **.81** |" in text, "the recommended one comes first"
    assert "Of 1 recommended intervals" in text
    assert "0 are clearly below" in text


def test_what_an_exact_interval_reaches_on_a_small_table() -> None:
    assert attainable(60, 10**9) == pytest.approx(0.95, abs=1e-6)
    assert attainable(100, 200) == pytest.approx(0.834, abs=1e-3), "1.96/√2"
