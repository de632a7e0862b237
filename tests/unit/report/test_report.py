"""The report: what it says, what it never lets through, and what it needs from nowhere else."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser.page_text import Page, page_of
from browser.report_case import Case, csv_rows, rows_of
from browser.report_pages import metric
from inprocess import run_task

from heldout.execution.specs import build
from heldout.execution.study import Study
from heldout.measures.registry import LOSSES
from heldout.measures.spec import LossSpec
from heldout.receipts import Receipt, write_receipt
from heldout.report import assets, steps, task
from heldout.report.fits import fits_by_estimate
from heldout.report.overview import index_page
from heldout.results import grids
from heldout.results.answer import answer_of
from heldout.results.held_out_sets import HeldOutSets
from heldout.results.predictions import diagnostics
from heldout.results.scale import scale_of
from heldout.results.task import TaskResults, facts_of

SCRIPT = "<script>alert(1)</script>"
HOSTILE = [
    SCRIPT,
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    'it\'s "quoted" & <b>bold</b>',
    "{{ 7 * 7 }}",
    "🐧 emoji",
    "x" * 3000,
    "a\u2028b\u2029c",
    "<!--",
]


# --- what it says ------------------------------------------------------------------------------


def test_the_answer_comes_first_in_plain_words(tmp_path: Path) -> None:
    text = page_of(Case(), tmp_path).text
    assert "err on 27.2 % of examples (95 % interval 23.2 to 31.2 %, by Nested CV)" in text
    assert "On 100 sealed rows, opened once, the final model made 22 errors" in text
    assert text.index("27.2 %") < text.index("Error of every learner by every estimator")


def test_the_head_says_what_the_terminal_says(tmp_path: Path) -> None:
    """Every line of the answer in its order; each part of it in the same words."""
    checks = [
        {
            "code": "H1",
            "title": "",
            "status": "fail",
            "severity": "note",
            "message": "look",
            "docs": "",
        },
        {
            "code": "H2",
            "title": "",
            "status": "pass",
            "severity": "note",
            "message": "",
            "docs": "",
        },
    ]
    pairs = [{"learner_a": "mean", "learner_b": "knn", "difference": 0.1, "told_apart": False}]
    case = Case(tables={"comparisons": pairs, "checks": checks})
    text = page_of(case, tmp_path).text
    results = TaskResults(tmp_path / "small")
    learners = [learner.as_spec() for learner in case.spec().cells.learners]
    scale = scale_of(LOSSES["zero_one"], results.estimates)
    said = answer_of(facts_of(results, scale, learners, HeldOutSets(folds=2, repeats=1)))
    place = text.index(said.heading)
    for line in said.lines:
        for part in (line.label, *line.value.split(": "), line.interval, line.note):
            place = text.index(part.replace("\u00a0", " "), place)
    assert "sealed test" in [line.label for line in said.lines]


def test_every_interval_is_said_to_be_for_something(tmp_path: Path) -> None:
    text = page_of(Case(), tmp_path).text
    assert "The 95 % interval by Nested CV is for the target of nested_cv." in text
    assert "The 95 % interval is for the target of test." in text
    assert "95 % The interval is for the target of nested_cv. Nested CV , Bayle" in text
    assert "Of K-fold CV, Leave-one-out" in text.split("Explanations")[-1]


def test_without_a_recommended_interval_the_reason_stands_in_its_place(tmp_path: Path) -> None:
    case = Case(reasons={"nested_cv": "no interval holds: heavy tails"})
    text = page_of(case, tmp_path).text
    assert "err on 27.2 % of examples (Nested CV, without an interval)" in text
    assert "No interval holds: heavy tails." in text
    assert "23.2 to 31.2 %" not in text


def test_the_parts_of_the_uncertainty_are_shares_of_its_square(tmp_path: Path) -> None:
    text = page_of(Case(), tmp_path).text
    assert "What the uncertainty is made of" in text
    assert "all together Nested CV 2.00 % 36 % 64 % 0 %" in text
    for words in ("More rows reduce it", "A steadier learner", "A smaller grid"):
        assert words in text
    without = Case(reasons={"nested_cv": "no interval holds"})
    assert "What the uncertainty" not in page_of(without, tmp_path / "2").text


def pairs_of(*told_apart: bool) -> list[dict[str, Any]]:
    names = (("mean", "knn"), ("mean", "tree"), ("knn", "tree"))
    return [
        {"learner_a": a, "learner_b": b, "difference": 0.1, "told_apart": told}
        for (a, b), told in zip(names, told_apart, strict=True)
    ]


@pytest.mark.parametrize(
    ("told_apart", "sentence"),
    [
        ((True, True, False), "knn cannot be told from tree"),
        ((True, False, False), "mean and knn cannot be told from tree"),
        ((False, True, True), "Both other learners can be told from tree"),
    ],
)
def test_learners_like_the_best_are_named(
    told_apart: tuple[bool, ...], sentence: str, tmp_path: Path
) -> None:
    grid = {"mean": [{}], "knn": [{"k": 1}], "tree": [{"depth": 1}]}
    case = Case(grids=grid, tables={"comparisons": pairs_of(*told_apart)})
    wanted = f"{sentence}, which has the smallest error by Nested CV (Holm over all 3 pairs)."
    assert wanted in page_of(case, tmp_path).text


def test_the_confidence_set_is_told_in_sentences(tmp_path: Path) -> None:
    knn = {"theta": {"k": 9}, "thetas": 3, "kept": 2, "simplest": {"k": 9}}
    whole = {"level": 0.95, "size": 3, "of": 4, "learners": ["knn", "mean"]}
    mean = {"theta": {}, "thetas": 1, "kept": 1}
    said = {"learners": {"mean": mean, "knn": knn}, "confidence_set": whole}
    rows = [{"learner": "knn", "theta": '{"k":9}', "risk": 0.1, "p": 1.0, "kept": True}]
    page = page_of(Case(selected=said, tables={"confidence_set": rows}), tmp_path)
    for words in (
        "Of knn, 2 of 3 θ cannot be told from the best; the simplest of them is k = 9.",
        "Of all learners together, 3 of 4 θ cannot be told from the best: knn and mean.",
    ):
        assert words in page.text
    assert rows_of(page.data["tables"]["confidence_set"])[0]["kept"] is True
    said["learners"] = {"mean": mean, "knn": knn | {"kept": 1}}
    text = page_of(Case(selected=said | {"confidence_set": None}), tmp_path / "2").text
    assert "Of knn, the best of 3 θ can be told from all others." in text
    assert "Of all learners together" not in text
    assert "be told from" not in page_of(Case(), tmp_path / "3").text


def test_the_tables_travel_with_every_digit(tmp_path: Path) -> None:
    case = Case()
    case.risk = lambda *_: 1 / 3  # type: ignore[method-assign]
    page = page_of(case, tmp_path)
    for name in ("risks", "estimates"):
        wanted = csv_rows(tmp_path / "small" / f"{name}.csv")
        found = rows_of(page.data["tables"][name])
        assert [row["learner"] for row in found] == [row["learner"] for row in wanted]
        assert [repr(row["risk"]) for row in found] == [row["risk"] for row in wanted]
    assert "0.3333333333333333" in page.attributes("data-value")
    assert "33.33 %" in page.text


def test_a_name_that_looks_like_a_number_stays_a_name(tmp_path: Path) -> None:
    page = page_of(Case(grids={"1": [{}], "2": [{"a": 1}, {"a": 2}]}), tmp_path)
    assert {row["learner"] for row in rows_of(page.data["tables"]["risks"])} == {"1", "2"}


def test_unknown_estimators_and_intervals_are_shown_by_name(tmp_path: Path) -> None:
    page = page_of(Case(estimators=("training", "kfold", "brand_new", "test")), tmp_path)
    assert "Brand new" in page.text
    assert "estimator-brand_new" in page.attributes("id")


def test_every_explained_term_has_its_explanation(tmp_path: Path) -> None:
    page = page_of(Case(), tmp_path)
    ids = set(page.attributes("id"))
    links = {link[1:] for link in page.attributes("href") if link.startswith("#")}
    assert links <= ids
    assert {"estimator-nested_cv", "interval-bayle_all_pairs"} <= links


def test_an_optimistic_headline_says_so(tmp_path: Path) -> None:
    text = page_of(Case(estimators=("training", "kfold")), tmp_path).text
    assert "K-fold CV is somewhat optimistic, because the same data also chose θ" in text


def test_a_run_with_nothing_but_training_still_has_a_page(tmp_path: Path) -> None:
    text = page_of(Case(estimators=("training",)), tmp_path).text
    assert "too small" in text
    assert "without an interval" in text


def test_failed_checks_come_first_and_all_checks_have_a_row(tmp_path: Path) -> None:
    columns = ("code", "title", "status", "severity", "message", "docs")
    checks = [
        ("H1", "first", "pass", "error", "fine", ""),
        ("H2", "second", "fail", "note", "a small thing", ""),
        ("H3", "third", "fail", "error", "a large thing", ""),
        ("H4", "fourth", "na", "warning", "no groups", ""),
    ]
    case = Case(tables={"checks": [dict(zip(columns, row, strict=True)) for row in checks]})
    text = page_of(case, tmp_path).text
    places = [
        text.index(one) for one in ("a large thing", "a small thing", "of every learner by every")
    ]
    assert places == sorted(places)
    assert {f"check-H{i}" for i in (1, 2, 3, 4)} <= set(page_of(case, tmp_path).attributes("id"))


def test_metrics_folds_and_comparisons_are_shown_if_they_are_there(tmp_path: Path) -> None:
    metrics = [metric("knn", "accuracy", "nested_cv", 0.91234)]
    folds = [{"learner": "all", "estimator": "nested_cv", "fold": 1, "theta": "{}", "risk": 0.1}]
    pairs = [{"learner_a": "mean", "learner_b": "knn", "difference": 0.1}]
    case = Case(tables={"metrics": metrics, "folds": folds, "comparisons": pairs})
    page = page_of(case, tmp_path)
    assert {"metrics", "folds", "comparisons"} <= set(page.attributes("id"))
    assert "Accuracy greater is better knn 91.2 % 86.2 to 96.2 % Tuned jackknife" in page.text
    assert {"metrics", "folds", "comparisons"}.isdisjoint(page_of(Case(), tmp_path / "2").attributes("id"))  # fmt: skip


def test_the_provenance_counts_cells_and_seconds(tmp_path: Path) -> None:
    text = page_of(Case(), tmp_path).text
    assert "2 cells fitted in the last run, 6 found in the store" in text
    assert "knn 3 6 1.50" in text
    assert "2026-01-02 03:04:05 UTC" in text


REFUSED = {"state": "refused", "count": 2, "message": "the test set has judged; open it: command"}


def test_a_refused_test_is_said_in_the_answer_and_beside_the_openings(tmp_path: Path) -> None:
    case = Case(estimators=("training", "kfold"))
    assert case.test is not None
    case.test |= REFUSED
    text = page_of(case, tmp_path).text
    answer, openings = text.split("Openings of the sealed test set")
    assert "sealed test none: the test set has judged; open it: command" in answer
    assert "It was not opened for this selection (m1): the test set has judged" in openings
    assert "2026-01-02 03:04:05 UTC small knn" in openings


def test_the_openings_say_what_the_intervals_cover(tmp_path: Path) -> None:
    case = Case(opening_notes=["another target, not counted"])
    assert case.test is not None
    case.test |= {"state": "opened again", "count": 3, "ledger": ["opening 2 is missing"]}
    text = page_of(case, tmp_path).text
    assert "On 100 sealed rows, counted as opened for 3 selections, the final model" in text
    _, openings = text.split("Openings of the sealed test set")
    for words in (
        "The ledger of openings is damaged: opening 2 is missing.",
        "another target, not counted",
        "uses δ/(t(t+1)) instead of δ",
        "1 − 1.5 δ",
        "no such bound holds",
    ):
        assert words in openings


def test_without_sealed_rows_there_are_no_openings(tmp_path: Path) -> None:
    page = page_of(Case(estimators=("training", "kfold"), test=None), tmp_path)
    assert "There are no sealed rows to open." in page.text
    assert "open test" not in page.text


def test_the_provenance_names_engines_and_measured_steps(tmp_path: Path) -> None:
    case = Case()
    receipts = case.write(tmp_path) / "receipts"
    for job, seconds in (("1-of-1", 1.5), ("2-of-1", 2.25), ("1-of-7", 100.0)):  # 7: earlier
        name = f"fit_cells.{job}"
        write_receipt(receipts / f"{name}.json", Receipt(name, {}, {}, {}, seconds=seconds))
    (receipts / "estimate_risks.json").write_text("nonsense")
    page = page_of(case, tmp_path)
    assert "generic (6)" in page.text
    assert "fit_cells prepare_data, draw_splits 2 3.75" in page.text
    assert "estimate_risks prepare_data, draw_splits, fit_cells – –" in page.text
    assert "compute_metrics" not in page.text


SHORTHANDS = {
    "TABLE": "prepare_data",
    "study.split_files": "draw_splits",
    "study.final_splits": "draw_splits",
    "plan.manifests": "fit_cells",
}
"""How rules name the files that many of them read."""


def test_the_steps_are_those_of_the_workflow() -> None:
    rules = Path(__file__).parents[3] / "workflow" / "rules"
    text = "\n".join((rules / f"{name}.smk").read_text() for name in ("data", "cells", "estimates", "report"))  # fmt: skip
    blocks = dict(re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL))
    made = {
        file: rule
        for rule, block in blocks.items()
        for file in re.findall(r'"results/\{task\}/([^"]+)"', block.partition("output:")[2].partition("log:")[0])
    }  # fmt: skip
    for rule, reads in steps.STEPS.items():
        asked = blocks[rule].partition("input:")[2].partition("output:")[0]
        files = re.findall(r'"results/(?:\{task\}|\{wildcards\.task\})/([^"]+)"', asked)
        found = {made[file] for file in files} | {
            maker for word, maker in SHORTHANDS.items() if word in asked
        }
        assert found == set(reads), rule
    assert set(blocks) - set(steps.STEPS) == {"render_index", "draw_figures"}


def test_the_drawing_has_a_box_for_each_step_and_no_line_twice() -> None:
    everything = [steps.Step(name, list(reads), 0, None) for name, reads in steps.STEPS.items()]
    shown = str(steps.drawing(everything))
    assert shown.count("<rect") == len(steps.STEPS)
    assert shown.count("<path") == sum(map(len, steps.direct(everything).values())) == 17


@pytest.mark.parametrize(
    ("estimator", "fits"),
    [
        ("training", 3),
        ("kfold", 6),
        ("kfold_pooled", 6),
        ("min_cv_bbc", 6),
        ("nested_cv", 9),
        ("nested_dev", 12),
        ("loo", 300),
        ("bootstrap_632plus", 9),
    ],
)
def test_fits_are_counted_over_the_whole_grid(estimator: str, fits: int) -> None:
    names = ("full", "k2.r1.f01", "k2.r1.f02", "k2.r1.f01+f02", "loo.c001", "loo.c002", "bag.001", "bag.002")  # fmt: skip
    cells = [{"learner": "knn", "theta": {"k": k}, "sets": dict.fromkeys(names)} for k in (1, 2, 3)]
    found = fits_by_estimate([{"cells": cells}], [estimator, "brand_new", "test"], 100)
    assert found == {name: {estimator: fits, "test": 1} for name in ("all", "knn")}


def test_the_simplest_theta_within_one_standard_error_is_marked() -> None:
    rows = [
        {"learner": "knn", "theta": json.dumps({"k": k}), "estimator": "kfold", "risk": risk, "se": 0.02}
        for k, risk in ((1, 0.3), (3, 0.1), (9, 0.11), (27, 0.4))
    ]  # fmt: skip
    learners = [{"name": "knn", "simpler": {"k": "larger"}}]
    [grid] = grids.describe_grids(rows, {"knn": {"k": 3}}, "kfold", learners)
    assert grid["one_se"] == {"k": 9}
    [grid] = grids.describe_grids(rows, {"knn": {"k": 3}}, "kfold", [{"name": "knn"}])
    assert grid["one_se"] is None


def test_the_index_links_every_report(tmp_path: Path) -> None:
    checks = [
        {"code": code, "title": "", "status": status, "severity": severity}
        for code, status, severity in (
            ("a", "fail", "error"),
            ("b", "fail", "note"),
            ("c", "pass", "error"),
        )
    ]
    cases = [
        Case(task="one", warnings=["x", "y"]),
        Case(
            task="two", classes=None, loss="squared", tables={"checks": checks}, warnings=["x"] * 9
        ),
    ]
    for case in cases:
        case.write(tmp_path)
    page = Page(index_page(tmp_path, {case.task: LossSpec(case.loss) for case in cases}, ["two"]))
    links = {link for link in page.attributes("href") if link.endswith(".html")}
    assert links == {"one/report.html", "two/report.html", "two/audit.html"}
    assert "27.2 % 23.2 to 31.2 % Nested CV 22.2 % 18.2 to 26.2 % 2" in page.text
    squared = "0.272 0.232 to 0.312 root 0.521 (0.481 to 0.558) Nested CV 0.222 0.182 to 0.262"
    assert f"mean squared error smaller is better {squared}" in page.text


# --- what it never lets through ------------------------------------------------------------------


def hostile_case() -> Case:
    named = {f"{i}{text}": [{text: 1}, {text: text}] for i, text in enumerate(HOSTILE)}
    columns = ("code", "title", "status", "severity", "message", "docs")
    checks = [
        dict(zip(columns, [text] * 2 + ["fail"] + [text] * 3, strict=True)) for text in HOSTILE
    ]
    return Case(
        grids=named,
        classes=HOSTILE,
        columns=HOSTILE,
        notes=HOSTILE,
        warnings=HOSTILE,
        tables={"checks": checks},
    )


def test_hostile_labels_stay_text(tmp_path: Path) -> None:
    harmless, hostile = page_of(Case(), tmp_path / "a"), page_of(hostile_case(), tmp_path / "b")
    assert SCRIPT in hostile.text
    assert "{{ 7 * 7 }}" in hostile.text
    count = len([tag for tag, _ in harmless.tags if tag == "script"])
    assert len([tag for tag, _ in hostile.tags if tag == "script"]) == count
    assert not {tag for tag, _ in hostile.tags} & {"img", "b", "iframe", "object"}
    assert not [name for _, attrs in hostile.tags for name in attrs if name.startswith("on")]


def test_data_in_a_script_element_cannot_end_it() -> None:
    text = assets.json_text(HOSTILE)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == HOSTILE


def test_only_the_scripts_of_the_page_may_run(tmp_path: Path) -> None:
    page = page_of(Case(), tmp_path)
    [policy] = [
        attrs["content"] for _, attrs in page.tags if "Policy" in (attrs.get("http-equiv") or "")
    ]
    assert policy == assets.policy(page.scripts[1:])
    assert "script-src 'sha256-" in policy
    assert "default-src 'none'" in policy


def test_nothing_is_loaded_from_the_network(tmp_path: Path) -> None:
    page = page_of(Case(), tmp_path)
    assert "src" not in {name for _, attrs in page.tags for name in attrs}
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "embed", "base"}
    assert not re.search(r"url\(|@import", assets.style())
    assert not re.search(r"\b(fetch|XMLHttpRequest|import)\s*\(|innerHTML", assets.script())


def test_no_number_is_nan(tmp_path: Path) -> None:
    case = Case()
    folder = case.write(tmp_path)
    with (folder / "estimates.csv").open("a", encoding="utf-8") as file:
        file.write("knn,odd,none,{},nan,inf,nan,inf,t,0.95,3,knn,x,True,nan,,,,nan,nan,inf\n")
    page = Page(task.report_page(folder, case.spec(), batches=1))
    assert not re.search(r"\b(nan|inf|None|undefined)\b", page.text, re.IGNORECASE)
    assert rows_of(page.data["tables"]["estimates"])[-1]["risk"] is None


# --- what it costs -------------------------------------------------------------------------------


def test_the_step_imports_no_heavy_library() -> None:
    heavy = "{'pandas', 'sklearn', 'matplotlib', 'scipy', 'pyarrow'}"
    code = f"import sys, heldout.execution.steps.render_report; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_changed_asset_changes_the_digest(tmp_path: Path) -> None:
    found = []
    for name, style in (("first", "a {}"), ("same", "a {}"), ("changed", "b {}")):
        (tmp_path / name / "assets").mkdir(parents=True)
        (tmp_path / name / "assets" / "style.css").write_text(style)
        found.append(assets.assets_digest(tmp_path / name))
    assert found[0] == found[1] != found[2]


# --- a real run ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimators", "by", "estimator"),
    [
        (["kfold"], "kfold", "kfold"),
        (["holdout", "loo"], "holdout", "loo"),
        (["holdout"], "holdout", "holdout"),
    ],
)
def test_held_out_predictions_are_those_behind_the_risk(
    estimators: list[str], by: str, estimator: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    rows = [f"{x:.3f},{int(x + rng.normal() > 0)}" for x in rng.normal(size=60)]
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "\n".join(rows) + "\n")
    config = {
        "tasks": {
            "t": {
                "data": str(table),
                "target": "y",
                "loss": "zero_one",
                "test": 0,
                "estimators": estimators,
                "select": {"by": by},
                "kfold": {"k": 5, "repeats": 2},
                "learners": ["tree"],
            }
        },
        "learners": {"tree": {"estimator": "tree", "grid": {"max_depth": [1, 2]}}},
    }
    run = run_task(config, tmp_path / "t")
    spec = build.render_report(Study(config).task("t")).page
    chosen = run.selection["learner"], run.selection["theta"]
    found = diagnostics(run.folder, spec.cells, 1, *chosen, spec.level)
    counts = np.array(found["confusion"])
    errors = 1 - counts.trace() / counts.sum()
    assert counts.sum() == found["n"] == (12 if estimator == "holdout" else 60)
    if estimator != "kfold":  # of two partitions, the first is shown
        assert errors == pytest.approx(run.risk(*chosen, estimator))
    lines = table.read_text().splitlines()
    hardest = rows_of(found["hardest"])
    assert hardest
    assert all(lines[row["row"]].split(",")[1] == row["true"] for row in hardest)
    assert "Predictions of the selected model" in task.report_page(run.folder, spec, batches=1)
