"""The report of any loss: scores as people read them, the right way round, with their own words."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser.page_text import Page, page_of
from browser.report_case import Case, rows_of
from browser.report_pages import metric
from inprocess import run_step, run_task
from sklearn.metrics import roc_auc_score

from heldout.execution.specs import build
from heldout.execution.study import Study
from heldout.measures.registry import LOSSES, loss_for
from heldout.measures.score_registry import SCORES
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions
from heldout.report import answer, metrics, task
from heldout.report.overview import index_page
from heldout.results import curves, headline
from heldout.results.display import Format
from heldout.results.predictions import HeldOut, classification, diagnostics, row_losses
from heldout.results.scale import Scale, with_article
from heldout.results.tables import Table

YES = ["no", "yes"]


# --- the answer --------------------------------------------------------------------------------------


def test_an_auc_is_shown_as_an_auc(tmp_path: Path) -> None:
    page = page_of(Case(loss="roc_auc"), tmp_path)
    assert "is expected to have an AUC of 0.728 (95 % interval 0.688 to 0.768, by Nested CV)" in page.text  # fmt: skip
    assert "the final model had an AUC of 0.778 (95 % interval 0.738 to 0.818)" in page.text
    assert "expected AUC 0.728 0.688 to 0.768 nested CV, 2 folds; 95 %" in page.text
    assert "AUC of every learner by every estimator" in page.text
    assert "baseline 0.510" in page.text
    for risk in ("0.272", "27.2 %", "0.222"):
        assert risk not in page.text
    assert "The words below speak of risks: the risk is 1 − AUC." in page.text


def test_the_data_behind_the_plots_keep_risks_and_say_how_to_read_them(tmp_path: Path) -> None:
    data = page_of(Case(loss="roc_auc"), tmp_path).data
    assert data["loss"]["greater"] is True
    assert data["loss"]["optimum"] == 1
    assert data["loss"]["axis"] == "AUC, greater is better"
    row = next(row for row in rows_of(data["tables"]["estimates"]) if row["estimator"] == "test")
    assert row["score"] == 1 - row["risk"]
    assert row["score_low"] == 1 - row["ci_high"]
    assert data["format"]["percent"] is False


def test_an_accuracy_is_a_percentage_and_an_error_stays_one(tmp_path: Path) -> None:
    text = page_of(Case(loss="accuracy"), tmp_path).text
    assert "expected to have an accuracy of 72.8 % (95 % interval 68.8 to 76.8 %, by Nested CV)" in text  # fmt: skip
    assert "expected accuracy 72.8 %" in text
    assert "expected error 27.2 %" in page_of(Case(), tmp_path / "2").text


def test_a_squared_error_has_its_root_in_the_unit_of_the_target(tmp_path: Path) -> None:
    text = page_of(Case(loss="squared", classes=None), tmp_path).text
    assert "; its root is 0.521 (0.481 to 0.558), in the unit of the target." in text
    assert "nested CV, 2 folds; 95 %; root 0.521 (0.481 to 0.558) The interval is for" in text
    assert "its root" not in page_of(Case(loss="absolute", classes=None), tmp_path / "2").text


def test_intervals_are_for_the_score(tmp_path: Path) -> None:
    row = {"estimator": "test", "interval_target": "the risk of the final model", "level": 0.95}
    found = [
        answer.interval_sentence(row, Scale(loss, Format()))
        for loss in (SCORES["roc_auc"], LOSSES["zero_one"])
    ]
    assert found == [f"The 95\u00a0% interval is for the {one} of the final model." for one in ("AUC", "risk")]  # fmt: skip


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("AUC", "an AUC"),
        ("F1", "an F1"),
        ("R²", "an R²"),
        ("RMSE", "an RMSE"),
        ("accuracy", "an accuracy"),
        ("mean squared error", "a mean squared error"),
        ("Brier score", "a Brier score"),
        ("macro F1", "a macro F1"),
        ("Youden's J", "a Youden's J"),
    ],
)
def test_labels_have_their_article(label: str, shown: str) -> None:
    assert with_article(label) == shown


def test_of_a_pooled_score_the_pooled_estimate_is_the_headline(tmp_path: Path) -> None:
    estimators = ("training", "kfold", "kfold_pooled", "nested_cv", "nested_cv_pooled", "test")
    for loss, classes, title in (
        ("r2", None, "Nested CV, pooled"),
        ("f1", YES, "Nested CV, pooled"),
        ("zero_one", YES, "Nested CV"),
    ):
        case = Case(loss=loss, classes=classes, estimators=estimators)
        text = page_of(case, tmp_path / loss).text
        assert f"by {title})" in text
        text = Page(index_page(tmp_path / loss, {case.task: LossSpec(loss)})).text
        assert f" {title} " in text
    folds = [{"learner": "all", "estimator": name} for name in ("kfold", "kfold_pooled")]
    for pooled, name in ((True, "kfold_pooled"), (False, "kfold")):
        row = headline.headline_row(Table([], folds), pooled=pooled)
        assert row is not None
        assert row["estimator"] == name


@pytest.mark.parametrize(
    ("positive", "words"),
    [
        (
            None,
            "AUC and F1 are about class 'yes', the rarer one; the key 'positive' of the config chooses.",
        ),
        ("no", "AUC and F1 are about class 'no', as the config says. "),
    ],
)
def test_the_positive_class_is_said(positive: str | None, words: str, tmp_path: Path) -> None:
    rows = [metric("all", "f1", "nested_cv_pooled", 0.5), metric("all", "accuracy", "test", 0.5)]
    case = Case(loss="roc_auc", positive=positive, tables={"metrics": rows})
    assert words in page_of(case, tmp_path).text
    assert "about class" not in page_of(Case(), tmp_path / "2").text


def test_equally_frequent_classes_are_no_rarer_ones() -> None:
    assert answer.why_positive(None, [3, 3]).startswith("the last of two equally frequent ones;")


def test_the_best_learner_has_the_greatest_score(tmp_path: Path) -> None:
    pairs = [{"learner_a": "mean", "learner_b": "knn", "difference": 0.1, "told_apart": True}]
    text = page_of(Case(loss="roc_auc", tables={"comparisons": pairs}), tmp_path).text
    assert "can be told from knn, which has the greatest AUC by Nested CV (one pair)." in text


def test_the_index_shows_scores(tmp_path: Path) -> None:
    case = Case(loss="roc_auc")
    case.write(tmp_path)
    text = Page(index_page(tmp_path, {case.task: LossSpec("roc_auc")})).text
    assert "AUC greater is better 0.728 0.688 to 0.768 Nested CV 0.778 0.738 to 0.818" in text


def test_the_index_believes_the_table_where_it_does_not_know_the_function(tmp_path: Path) -> None:
    case = Case(loss="roc_auc")
    case.write(tmp_path)
    text = Page(index_page(tmp_path, {case.task: LossSpec("mine.gain")})).text
    assert "mean mine.gain greater is better 0.728" in text


# --- metrics -----------------------------------------------------------------------------------------


def test_metrics_have_a_line_for_every_learner_and_say_why_intervals_are_missing() -> None:
    chose = "no interval holds: the same rows chose θ among 3"
    rows = [
        metric("knn", "f1", "kfold_pooled", 0.5, chose),
        metric("knn", "f1", "nested_cv_pooled", 0.4),
        metric("all", "f1", "kfold_pooled", 0.5, chose),
        metric("all", "f1", "nested_cv_pooled", 0.45) | {"recommended": False, "interval": "t"},
        metric("all", "f1", "nested_cv_pooled", 0.45),
        metric("all", "f1", "test", 0.6, "no row of the class") | {"value": None},
    ]  # fmt: skip
    found = metrics.table_of(Table([], rows), {"f1": loss_for(LossSpec("f1"), YES, [60, 40])})
    assert [title for title, _ in found["heads"]] == ["Metric", "Learner", "K-fold CV", "Nested CV", "Sealed test"]  # fmt: skip
    assert [line["shown"] for line in found["lines"]] == ["all together", "knn"]
    assert found["notes"] == [chose[0].upper() + chose[1:], "No row of the class"]
    whole, knn = ([cell and (cell["value"], cell["range"], cell["note"]) for cell in line["cells"]] for line in found["lines"])  # fmt: skip
    assert whole == [("0.500", "", 1), ("0.450", "0.400 to 0.500", None), ("–", "", 2)]
    assert knn == [("0.500", "", 1), ("0.400", "0.350 to 0.450", None), None]
    assert found["lines"][0]["direction"] == "greater is better; all folds taken as one set"


def test_metrics_are_formatted_each_by_itself(tmp_path: Path) -> None:
    rows = [metric("all", "accuracy", "test", 0.9), metric("all", "neg_log_loss", "test", 0.2)]
    page = page_of(Case(tables={"metrics": rows}), tmp_path)
    assert "90.0 % 85.0 to 95.0 %" in page.text
    assert "Cross-entropy neg_log_loss smaller is better all together 0.200" in page.text
    assert page.data["metrics"]["accuracy"]["format"]["percent"] is True


# --- curves and rows -----------------------------------------------------------------------------------


def test_scores_of_different_folds_are_not_compared() -> None:
    """Each fold ranks its rows rightly, but the scores of the second are all higher."""
    target = np.array([0, 1, 0, 1])
    scores = np.array([0.1, 0.2, 0.8, 0.9])
    both = np.column_stack([1 - scores, scores])
    [one] = curves.one_versus_rest(target, both, sets=np.array([0, 0, 1, 1]))
    assert one["auc"] == one["ap"] == 1
    assert one["sets"] == len(one["each"]) == 2
    [pooled] = curves.one_versus_rest(target, both, sets=np.zeros(4))
    assert pooled["auc"] == 0.75
    assert pooled["each"] == []


def test_mean_curves_have_the_mean_area() -> None:
    rng = np.random.default_rng(0)
    sets = np.repeat(np.arange(5), 80)
    target = rng.integers(0, 2, 400)
    score = np.round(rng.normal(size=400) + target, 1)
    [one] = curves.one_versus_rest(target, np.column_stack([-score, score]), sets)
    mean = np.mean([roc_auc_score(target[sets == i], score[sets == i]) for i in range(5)])
    assert one["auc"] == pytest.approx(mean)
    assert np.trapezoid(one["true"], one["false"]) == pytest.approx(mean, abs=0.01)
    assert (one["false"][0], one["true"][0]) == (0, 0)
    assert (one["false"][-1], one["true"][-1]) == (1, 1)


def test_a_fold_without_the_class_has_no_curve_and_single_rows_have_none() -> None:
    target = np.array([0, 1, 0, 0])
    scores = np.column_stack([-target, target]).astype(float)
    [one] = curves.one_versus_rest(target, scores, sets=np.array([0, 0, 1, 1]))
    assert one["sets"] == 1
    assert curves.one_versus_rest(target, scores, sets=np.arange(4)) == []


def test_curves_and_probabilities_are_of_the_positive_class() -> None:
    target = np.repeat([0, 1], [40, 20])
    proba = np.linspace(0.1, 0.9, 60)
    given = Predictions(target, np.column_stack([1 - proba, proba]))
    held = HeldOut(np.arange(60), target, given, np.zeros(60))
    for positive in (0, 1):
        found = classification(held, YES, positive=positive)
        assert [one["class"] for one in found["curves"]] == [positive]
        assert [one["class"] for one in found["calibration"]] == [positive]


def test_single_rows_are_judged_by_a_loss_of_rows() -> None:
    target = np.array([0, 1])
    proba = np.array([[0.5, 0.5], [0.25, 0.75]])
    losses, label = row_losses(SCORES["roc_auc"], target, Predictions(target, proba))
    assert losses == pytest.approx([np.log(2), -np.log(0.75)])
    assert label == "cross-entropy"
    losses, label = row_losses(SCORES["f1"], target, Predictions(np.array([1, 1])))
    assert losses.tolist() == [1, 0]
    assert label == "zero-one loss"
    losses, label = row_losses(SCORES["r2"], target, Predictions(value=np.array([2.0, 1.0])))
    assert losses.tolist() == [4, 0]
    assert label == "squared error"
    absolute, label = row_losses(
        LOSSES["absolute"], target, Predictions(value=np.array([2.0, 1.0]))
    )
    assert absolute.tolist() == [2, 0]
    assert label == "absolute error"


# --- a real run ----------------------------------------------------------------------------------------


def config_of(path: Path, loss: str) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    rows = [f"{x:.3f},{int(x + rng.normal() > 0.7)}" for x in rng.normal(size=120)]
    path.write_text("x,y\n" + "\n".join(rows) + "\n")
    block = {
        "data": str(path),
        "target": "y",
        "loss": loss,
        "kfold": {"k": 5},
        "estimators": ["training", "kfold", "nested_cv", "test"],
        "learners": ["tree"],
        "positive": "1",
        "metrics": ["accuracy", "precision"],
    }
    return {
        "tasks": {"t": block},
        "learners": {"tree": {"estimator": "tree", "grid": {"max_depth": [1, 2]}}},
    }


@pytest.mark.parametrize("loss", ["roc_auc", "f1"])
def test_the_page_of_a_run_agrees_with_its_tables(loss: str, tmp_path: Path) -> None:
    config = config_of(tmp_path / "table.csv", loss)
    run = run_task(config, tmp_path / "t")
    study = Study({**config, "batches": 1})
    run_step(study, run.folder, "compute_metrics", "t")
    spec = build.render_report(study.task("t")).page
    page = Page(task.report_page(run.folder, spec, batches=1))
    name = "nested_cv_pooled" if loss == "f1" else "nested_cv"
    row = run.estimate("all", name)
    assert f"have an {SCORES[loss].label} of {row.score:.3f}" in page.text
    assert "about class '1', as the config says" in page.text
    assert page.data["metrics"]["precision"]["title"] == "Precision"
    found = diagnostics(run.folder, spec.cells, 1, "tree", run.selection["theta"], 0.95)
    if loss == "roc_auc":
        [curve] = found["curves"]
        risk = run.risk("tree", run.selection["theta"], "kfold")
        assert curve["auc"] == pytest.approx(1 - risk)
    assert found["judged_by"] == "cross-entropy"
