"""The answer for a task: what it says, in which order, and what it says where something is missing."""

import json
from pathlib import Path
from typing import Any

import pytest
from browser.report_case import Case

from heldout.measures.registry import loss_for
from heldout.results.answer import Answer, answer_of
from heldout.results.answer_text import as_html, as_text
from heldout.results.held_out_sets import HeldOutSets
from heldout.results.scale import scale_of
from heldout.results.task import TaskResults, facts_of

SETS = HeldOutSets(folds=5, repeats=1)


def answer(case: Case, root: Path, sets: HeldOutSets = SETS) -> Answer:
    task = TaskResults(case.write(root))
    scale = scale_of(loss_for(case.loss_spec, case.classes, [60, 40]), task.estimates)
    learners = [learner.as_spec() for learner in case.spec().cells.learners]
    return answer_of(facts_of(task, scale, learners, sets))


def said(case: Case, root: Path) -> dict[str, tuple[str, str, str]]:
    lines = answer(case, root).lines
    return {
        one.label: (one.value.replace("\u00a0", " "), one.interval.replace("\u00a0", " "), one.note)
        for one in lines
    }


def check(code: str, status: str, severity: str, message: str = "") -> dict[str, Any]:
    return {
        "code": code, "title": "the title", "status": status, "severity": severity,
        "message": message, "docs": "",
    }  # fmt: skip


def test_the_whole_answer_in_its_order(tmp_path: Path) -> None:
    theta = {"theta": {"k": 9}, "thetas": 3}
    pairs = [{"learner_a": "mean", "learner_b": "knn", "difference": 0.1, "told_apart": False}]
    checks = [check("H001", "pass", "error"), check("H005", "fail", "note", "on the\nedge")]
    case = Case(
        selected={"learners": {"mean": {"theta": {}, "thetas": 1}, "knn": theta}},
        tables={"comparisons": pairs, "checks": checks},
    )
    folder = case.write(tmp_path)
    (folder / "report.html").touch()
    text = as_text(answer(case, tmp_path)).replace(str(tmp_path), "results")
    assert text == "\n".join(
        [
            "small   y from 2 columns; 100 rows to learn from, 20 sealed",
            "  selected        knn, k = 9  (4 θ of 2 learners tried)",
            "  expected error  27.2 %  23.2 to 31.2 %  nested CV, 5 folds; 95 %",
            "  baseline        49.0 %  45.0 to 53.0 %  mean",
            "  sealed test     22.2 %  18.2 to 26.2 %  100 rows, opened once",
            "  not told apart  knn, mean",
            "  checks          1 passed, 1 note: H005 on the edge",
            "  report          results/small/report.html",
        ]
    )


def test_without_nested_cv_a_baseline_or_a_test(tmp_path: Path) -> None:
    case = Case(grids={"knn": [{"k": 1}]}, estimators=("training", "kfold"), test=None)
    found = said(case, tmp_path)
    assert list(found) == ["selected", "expected error", "sealed test"]
    assert found["expected error"][2] == "K-fold CV, 5 folds; 95\u00a0%"
    assert found["sealed test"] == ("none", "", "the config asks for none, and 20 rows stay sealed")


def test_no_recommended_interval_is_never_an_interval(tmp_path: Path) -> None:
    reasons = {"nested_cv": "no interval holds: heavy tails", "test": ""}
    found = said(Case(reasons=reasons), tmp_path)
    value, interval, note = found["expected error"]
    assert (value, interval) == ("27.2 %", "")
    assert note == "nested CV, 5 folds; no interval holds: heavy tails"
    assert found["sealed test"][1:] == ("", "100 rows, opened once; no interval")


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ({"state": "refused", "count": 2, "message": "judged before"}, "judged before"),
        ({"state": "opened", "count": 1, "message": "the first"}, "the first"),
    ],
)
def test_a_refused_opening_is_said_in_its_own_words(
    test: dict[str, Any], words: str, tmp_path: Path
) -> None:
    case = Case(estimators=("training", "kfold", "nested_cv"), test=test)
    assert said(case, tmp_path)["sealed test"] == ("none", "", words)


def test_rows_that_judged_before_are_counted(tmp_path: Path) -> None:
    again = {"state": "opened again", "count": 3, "rows": 100, "message": "third", "ledger": []}
    words = "100 rows, counted as opened for 3 selections"
    assert said(Case(test=again), tmp_path)["sealed test"][2] == words


def test_no_sealed_rows(tmp_path: Path) -> None:
    case = Case(estimators=("training", "kfold", "nested_cv"), test=None)
    folder = case.write(tmp_path)
    facts = json.loads((folder / "data" / "table.json").read_text()) | {"sealed": 0}
    task = TaskResults(folder)
    task.__dict__["facts"] = facts
    scale = scale_of(loss_for(case.loss_spec, case.classes, [60, 40]), task.estimates)
    found = answer_of(facts_of(task, scale, [], SETS))
    assert found.heading.endswith("100 rows to learn from, none sealed")
    line = found.line("sealed test")
    assert line is not None
    assert line.note == "no rows were sealed"


def test_scores_and_roots_as_people_read_them(tmp_path: Path) -> None:
    found = said(Case(loss="roc_auc"), tmp_path / "a")
    assert found["expected AUC"][:2] == ("0.728", "0.688 to 0.768")
    found = said(Case(loss="squared", classes=None), tmp_path / "b")
    value, _, note = found["expected mean squared error"]
    assert (value, note.split("; ")[-1]) == ("0.272", "root 0.521 (0.481 to 0.558)")


def test_time_order_is_told_by_its_blocks(tmp_path: Path) -> None:
    case = Case(estimators=("training", "rolling", "nested_rolling", "test"))
    found = {one.label: one.note for one in answer(case, tmp_path, HeldOutSets(blocks=10)).lines}
    assert found["expected error"] == "nested rolling origin, 10 blocks; 95\u00a0%"


def test_failed_checks_the_most_severe_first(tmp_path: Path) -> None:
    checks = [
        check("H1", "fail", "note", "small"), check("H2", "fail", "error"),
        check("H3", "pass", "error"), check("H4", "na", "error"), check("H5", "fail", "note", "x"),
    ]  # fmt: skip
    lines = answer(Case(tables={"checks": checks}), tmp_path).lines[-4:]
    assert [(one.label, one.value) for one in lines] == [
        ("checks", "1 passed, 1 error, 2 notes"),
        ("", "H2 the title"),
        ("", "H1 small"),
        ("", "H5 x"),
    ]


def test_of_many_failed_checks_the_terminal_counts_the_rest(tmp_path: Path) -> None:
    checks = [check(f"H{i}", "fail", "note", "x") for i in range(9)]
    found = answer(Case(tables={"checks": checks}), tmp_path)
    text = as_text(found)
    assert "H4 x" in text
    assert "H5 x" not in text
    assert "and 4 more: " in text
    assert "H8 x" in as_html(found)


def test_without_checks_the_warnings_of_the_selection_are_said(tmp_path: Path) -> None:
    lines = answer(Case(warnings=["look out", "mind"]), tmp_path).lines
    assert [one.value for one in lines if one.label == "warning"] == ["look out", "mind"]


def test_html_has_the_same_words_and_nothing_of_the_data_is_markup(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    case = Case(task="t", grids={"mean": [{}], hostile: [{hostile: hostile}]})
    found = answer(case, tmp_path)
    html = as_html(found)
    assert hostile not in html
    for line in found.lines:
        if line.label in ("expected error", "baseline"):
            assert line.value in html
            assert line.interval in html


def test_a_learner_told_from_all_others(tmp_path: Path) -> None:
    pairs = [{"learner_a": "mean", "learner_b": "knn", "difference": 0.1, "told_apart": True}]
    found = said(Case(tables={"comparisons": pairs}), tmp_path)
    assert found["told apart"][0] == "knn from all others"


def test_folds_are_counted_in_the_manifests_behind_the_numbers(project: Path) -> None:
    task = TaskResults(project / "results" / "small")
    assert task.sets == HeldOutSets(folds=3, repeats=1)
    assert task.answer().lines[1].note.startswith("K-fold CV, 3 folds")
