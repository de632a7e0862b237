"""`heldout show`: the estimates of a task, or one cell, in the terminal."""

import csv
import json
import re
import shutil
from dataclasses import replace

from heldout.checks.check import CheckRow
from heldout.cli import main
from heldout.cli.columns import aligned
from heldout.errors import counted
from heldout.estimates.metrics import MetricRow
from heldout.estimates.rows import EstimateRow, read_rows, write_rows
from heldout.receipts import Receipt, write_receipt
from heldout.results.answer_text import answer_text
from heldout.results.task import open_task


def shown(capsys, *arguments):
    assert main(["show", *arguments]) == 0
    return capsys.readouterr().out


def tables(capsys, *arguments):
    return shown(capsys, "small", "--all", *arguments)


def failed(capsys, *arguments):
    assert main(["show", *arguments]) == 1
    return capsys.readouterr().err


def estimates(project):
    with (project / "results" / "small" / "estimates.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def table_lines(text):
    """The lines between the header and the next empty line, as cells."""
    lines = text.split("\n\n")[1].splitlines()
    return [re.split(r"\s{2,}", line) for line in lines[1:] if not line.startswith("(")]


def test_columns_are_aligned():
    table = aligned([["name", "n"], ["a", "10"], ["long one", "2"]], right=[1])
    assert table == "name       n\na         10\nlong one   2"


def test_counts_have_the_right_number():
    assert [counted(n, "cell") for n in (0, 1, 2)] == ["0 cells", "1 cell", "2 cells"]


def test_every_interval_of_every_estimate(project, capsys):
    lines, rows = table_lines(tables(capsys)), estimates(project)
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        assert (line[0].split(" (")[0], line[1]) == (row["learner"], row["estimator"])
        assert line[2] == f"{float(row['risk']):.4g}"
        assert line[-1] == row["theta"]
        assert ("…" in " ".join(line)) == bool(row["interval"])
        if row["interval"]:
            assert line[3] == f"{float(row['ci_low']):.4g} … {float(row['ci_high']):.4g}"
            assert line[4] == f"{row['interval']} 95%"


def test_what_intervals_are_for_and_why_others_are_missing_is_said_once(project, capsys):
    text = tables(capsys)
    rows = estimates(project)
    targets = {row["interval_target"] for row in rows if row["interval_target"]}
    notes = {row["note"] for row in rows if row["note"]}
    assert targets
    assert notes
    for words in (*(f"interval for {one}" for one in targets), *(f"note: {one}" for one in notes)):
        assert text.count(f"\n{words} (") == 1


def test_failed_checks_other_than_notes_are_shown(project, capsys):
    lines = ["H1,fail,note,small", "H2,fail,warning,large", "H3,pass,error,fine", "H4,fail,error,"]
    text = "\n".join(["code,status,severity,message,title", *(f"{line},title" for line in lines)])
    (project / "results" / "small" / "checks.csv").write_text(text)
    text = tables(capsys)
    assert "\nerror H4: title\nwarning H2: large\n" in text
    assert "H1" not in text
    assert "H3" not in text


def test_numbers_are_flush_right(project, capsys):
    header, *lines = tables(capsys).split("\n\n")[1].splitlines()
    risks = [line[: header.index("risk") + 4].split()[-1] for line in lines]
    assert risks == [cells[2] for cells in table_lines(tables(capsys))]


def test_the_choice_between_learners_names_the_chosen_one(project, capsys):
    selection = json.loads((project / "results" / "small" / "selection.json").read_text())
    text = tables(capsys)
    assert f"\nall ({selection['learner']})  " in text
    assert f"\nselected: {selection['learner']}, θ = {{" in text
    assert f"\nwhy: {selection['why']}" in text


def as_auc(project):
    """The same study, as if its risks were 1 − AUC."""
    folder = project / "results" / "small"
    spec = {"cells": {"loss": {"name": "roc_auc"}}}
    write_receipt(
        folder / "receipts" / "estimate_risks.json",
        Receipt("estimate_risks", {"spec": spec}, {}, {}),
    )
    rows = [
        replace(
            row,
            score=1 - row.risk,
            score_low=None if row.ci_high is None else 1 - row.ci_high,
            score_high=None if row.ci_low is None else 1 - row.ci_low,
        )
        for row in read_rows(folder / "estimates.csv", EstimateRow)
    ]
    write_rows(folder / "estimates.csv", EstimateRow, rows)
    return [row for row in rows if row.recommended]


def test_scores_are_shown_as_people_read_them(project, capsys):
    rows = as_auc(project)
    text = tables(capsys)
    assert text.split("\n\n")[1].splitlines()[0].split()[2] == "AUC"
    for row in rows:
        ends = f"{row.score_low:.4g} … {row.score_high:.4g}"
        assert [row.estimator, f"{row.score:.4g}", ends, f"{row.interval} 95%"] in [
            line[1:5] for line in table_lines(text)
        ]
    assert "interval for the AUC of the final model" in text
    assert "\n" in text


def metric(learner, estimator, value, *, recommended=True, note=None):
    return MetricRow(
        learner, "f1", estimator, "{}", value, 0.25, 0.75, "tuned_jackknife",
        "the risk", recommended, 0.95, 9, "knn", note,
    )  # fmt: skip


def test_metrics_of_the_whole_procedure_are_shown_below(project, capsys):
    assert "metric " not in tables(capsys)
    rows = [
        metric("knn", "nested_cv_pooled", 0.51),
        metric("all", "kfold_pooled", 0.52),
        metric("all", "nested_cv_pooled", 0.53, recommended=False),
        metric("all", "nested_cv_pooled", 0.53),
        metric("all", "test", 0.54, recommended=False, note="no interval holds"),
    ]
    path = project / "results" / "small" / "metrics.csv"
    write_rows(path, MetricRow, rows)
    [part] = [one for one in tables(capsys).split("\n\n") if one.startswith("metric ")]
    lines = [line.split() for line in part.splitlines()[1:]]
    assert len(lines) == len(rows)
    end = ["0.25", "…", "0.75", "tuned_jackknife", "95%"]
    assert lines[0] == ["f1", "knn", "nested_cv_pooled", "0.51", *end]
    assert lines[-1] == ["f1", "all", "test", "0.54", *end]


def test_warnings_are_shown(project, capsys):
    path = project / "results" / "small" / "selection.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"warnings": ["look out"]}))
    assert "\nwarning: look out\n" in tables(capsys)


CHECKS = [
    CheckRow("H001", "All is well", "pass", "error", "passed one", "docs"),
    CheckRow("H004", "Unheeded", "na", "error", "does not apply", "docs"),
    CheckRow("H006", "Steady", "fail", "warning", "outer folds\ndisagree", "docs"),
    CheckRow("H010", "Small", "fail", "note", "a note", "docs"),
    CheckRow("H012", "Sealed", "fail", "error", "the ledger is damaged", "docs"),
    CheckRow("H013", "Every scan ended", "fail", "warning", "", "docs"),
]


def test_failed_checks_are_shown_below_the_selection(project, capsys):
    assert "H0" not in tables(capsys), "no checks were run"
    write_rows(project / "results" / "small" / "checks.csv", CheckRow, CHECKS)
    text = tables(capsys)
    below = text[text.index("\nwhy: ") + 1 :].splitlines()[1:]
    assert [line for line in below if not line.startswith(("test: ", "warning: "))] == [
        "error H012: the ledger is damaged",
        "warning H006: outer folds disagree",
        "warning H013: Every scan ended",
    ]


def test_a_run_whose_checks_pass_has_nothing_below_the_selection(project, capsys):
    before = tables(capsys)
    write_rows(project / "results" / "small" / "checks.csv", CheckRow, CHECKS[:2])
    assert tables(capsys) == before


def test_the_smallest_cv_risk_is_never_without_its_label(project, capsys):
    path = project / "results" / "small" / "estimates.csv"
    rows = read_rows(path, EstimateRow)
    more = [replace(row, estimator="min_cv") for row in rows if row.estimator == "kfold"]
    corrected = [replace(row, estimator="min_cv_bbc") for row in more]
    write_rows(path, EstimateRow, [*rows, *more, *corrected])
    names = [line[1] for line in table_lines(tables(capsys))]
    assert "min_cv (optimistic)" in names
    assert "min_cv_bbc" in names
    assert "min_cv" not in names


def test_all_tasks_without_a_name(project, capsys):
    shutil.copytree(project / "results" / "small", project / "results" / "again")
    text = shown(capsys)
    assert text.startswith("again   y from 3 columns; ")
    assert "\nsmall   y from 3 columns; " in text


def test_results_may_lie_elsewhere(project, capsys):
    (project / "results").rename(project / "elsewhere")
    assert shown(capsys, "small", "--results", "elsewhere").startswith("small  ")


def test_a_cell_by_any_of_its_names(project, capsys):
    whole = "results/small/cells/knn/n_neighbors=5/k3.r1.f02.safetensors"
    text = shown(capsys, "small", whole)
    for name in (
        "knn/n_neighbors=5/k3.r1.f02",
        "knn/n_neighbors=5/k3.r1.f02.safetensors",
        "knn/n_neighbors=5/k3.r1.f02.model",
    ):
        assert shown(capsys, "small", name) == text
    lines = dict(re.split(r"\s{2,}", line) for line in text.splitlines()[1:])
    assert lines["learner"] == "knn"
    assert lines["theta"] == '{"n_neighbors":5}'
    assert lines["held_out"] == "k3.r1.f02"
    assert lines["sets"] == '{"k3.r1.f02": 16}'
    size = (project / whole.replace(".safetensors", ".model")).stat().st_size
    assert lines["model file"] == f"{size} bytes"


def test_a_cell_without_a_model(project, capsys):
    (project / "results/small/cells/knn/n_neighbors=5/full.model").unlink()
    assert "\nmodel file    none\n" in shown(capsys, "small", "knn/n_neighbors=5/full")


def test_errors(project, capsys):
    assert "no task 'smal' in 'results'; did you mean 'small'?" in failed(capsys, "smal")
    message = failed(capsys, "small", "knn/n_neighbors=5/ful")
    assert "no cell 'knn/n_neighbors=5/ful'" in message
    assert "did you mean 'knn/n_neighbors=5/full'?" in message
    assert failed(capsys, "small", "zzz") == "heldout: no cell 'zzz' in 'results/small/cells'\n"
    (project / "results/small/cells/knn/n_neighbors=5/full.safetensors").write_bytes(b"{}\n")
    assert "is damaged; run: heldout check" in failed(capsys, "small", "knn/n_neighbors=5/full")
    (project / "results/small/estimates.csv").unlink()
    assert "task 'small' has no estimates yet; run: heldout run" in failed(capsys, "small")
    assert "no estimates in 'results'; run: heldout run" in failed(capsys)


def test_what_must_be_known_of_the_test_is_said(project, capsys):
    path = project / "results" / "small" / "selection.json"
    selection = json.loads(path.read_text())
    assert "test:" not in tables(capsys).split("why:")[1]
    refused = {
        "state": "refused",
        "count": 2,
        "message": "judged before",
        "ledger": ["opening 1 …"],
    }
    path.write_text(json.dumps(selection | {"test": selection["test"] | refused}))
    text = tables(capsys)
    assert "test: judged before" in text
    assert "test: the ledger of openings is damaged: opening 1 …" in text
    path.write_text(json.dumps(selection | {"test": None}))
    assert "test:" not in tables(capsys).split("why:")[1]


def test_the_answer_is_what_is_printed(project, capsys):
    text = shown(capsys, "small")
    assert (
        text
        == answer_text(open_task(project / "results", "small")).replace(
            str(project / "results"), "results"
        )
        + "\n"
    )
    assert len(text.splitlines()) <= 10
