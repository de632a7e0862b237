"""metrics.csv: procedures that the loss chose, judged by other measures, in plain loops; and what is undefined."""

import json
from pathlib import Path
from typing import Any

import inprocess
import naive_scores as naive
import numpy as np
import pytest
from brute_force import jackknife_parts, test_noise
from inprocess import Run, run_task
from score_loops import LABELS, Loops, config_of, data_of, folds_of, write_table
from sklearn import metrics

from heldout.errors import HeldoutError
from heldout.estimates.metrics import MetricRow
from heldout.estimates.rows import read_rows
from heldout.execution.study import Study


def judged(config: dict[str, Any], folder: Path) -> tuple[Run, list[MetricRow]]:
    """A finished task, and its metrics."""
    found = run_task(config, folder / "run")
    study = Study({**config, "batches": 1})
    inprocess.run_step(study, found.folder, "compute_metrics", "t")
    return found, read_rows(found.folder / "metrics.csv", MetricRow)


def row_of(rows: list[MetricRow], metric: str, estimator: str, learner: str = "knn") -> MetricRow:
    """The first row, which has the recommended interval."""
    return next(
        r for r in rows if (r.metric, r.estimator, r.learner) == (metric, estimator, learner)
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[MetricRow]]:
    folder = tmp_path_factory.mktemp("study")
    write_table(folder / "table.csv", "two")
    asked = ["roc_auc", "f1", "accuracy", {"fbeta": 2}]
    return judged(config_of(folder, "two", "plain", "zero_one", metrics=asked), folder)


def outer_thetas(found: Run) -> list[dict[str, Any]]:
    rows = [r for r in found.folds if (r.learner, r.estimator) == ("knn", "nested_cv")]
    return [json.loads(row.theta) for row in rows]


def test_values(study: tuple[Run, list[MetricRow]]) -> None:
    found, rows = study
    loops, [fold] = Loops.of(found, "knn", "two"), folds_of(found)
    said, areas = np.empty(len(fold), int), []
    for f, theta in enumerate(outer_thetas(found)):
        model, held = loops.fit(np.flatnonzero(fold != f), theta), fold == f
        said[held] = model.predict(loops.features[held])
        ranks = model.predict_proba(loops.features[held])[:, 1]
        areas.append(metrics.roc_auc_score(loops.target[held], ranks))
    expected = {
        ("roc_auc", "nested_cv"): np.mean(areas),
        ("f1", "nested_cv_pooled"): metrics.f1_score(loops.target, said),
        ("fbeta 2", "nested_cv_pooled"): metrics.fbeta_score(loops.target, said, beta=2),
        ("accuracy", "nested_cv"): 1 - found.estimate("knn", "nested_cv").risk,
    }
    values = {place: row_of(rows, *place).value for place in expected}
    assert values == pytest.approx(expected, abs=1e-10)
    assert {row.learner for row in rows} == {"knn", "logistic", "all"}


def test_the_interval_of_a_metric(study: tuple[Run, list[MetricRow]]) -> None:
    """Noise and training by the AUC; the θ that are near, by the loss that chose."""
    found, rows = study
    data, [fold] = data_of(found), folds_of(found)
    brute = naive.brute_force("knn", "two", data, naive.auc)
    by_loss = naive.brute_force("knn", "two", data, lambda m, x, y: (m.predict(x) != y) + 0.0)
    chosen = [[(0, brute.thetas.index(theta)) for theta in outer_thetas(found)]]
    unit, k = np.asarray(data.rows["unit"]), int(fold.max()) + 1
    units = [unit[fold == i] for i in range(k)]
    noise, training, _ = jackknife_parts([brute], chosen, [fold], unit, selects=False)
    tables = [
        [[x for _, x in one.held_sets(fold, 1, theta)] for theta in one.thetas]
        for one in (by_loss, brute)
    ]
    best = int(np.argmin([np.mean([x.mean() for x in row]) for row in tables[0]]))
    near = []
    for errors, shares in zip(*tables, strict=True):
        gap = [x - y for x, y in zip(errors, tables[0][best], strict=True)]
        if np.mean([x.mean() for x in gap]) <= 2 * np.sqrt(test_noise(gap, units, False)):
            gap = [x - y for x, y in zip(shares, tables[1][best], strict=True)]
            near.append(test_noise(gap, units, False))
    assert 1 < len(near) <= len(tables[0])
    variance = noise + training + (k - 1) / 8 * np.mean(near)
    row = row_of(rows, "roc_auc", "nested_cv")
    assert row.interval == "tuned_jackknife"
    assert row.value is not None
    share = 1 - row.value
    z = naive.student(min(np.bincount(data.target)) - 1)
    low, high = naive.wilson(share, share * (1 - share) / variance, z)
    assert (row.ci_low, row.ci_high) == pytest.approx((1 - high, 1 - low), rel=1e-9)


# --- what is undefined ---------------------------------------------------------------------------------


def one_sided(path: Path) -> None:
    """Rows of the fold 0 are of the class `no`."""
    lines = path.read_text().splitlines()
    changed = [line.replace(",yes,", ",no,") if line.endswith(",0") else line for line in lines]
    path.write_text("\n".join(changed) + "\n")


def test_a_metric_that_is_undefined_on_a_fold_has_a_note(tmp_path: Path) -> None:
    write_table(tmp_path / "table.csv", "two")
    one_sided(tmp_path / "table.csv")
    asked = ["roc_auc", "balanced_accuracy", "f1", "accuracy"]
    config = config_of(tmp_path, "two", "unequal folds", "zero_one", metrics=asked)
    _, rows = judged(config, tmp_path)
    for estimator in ("kfold", "nested_cv"):
        row = row_of(rows, "roc_auc", estimator)
        assert (row.value, row.ci_low, row.recommended) == (None, None, False)
        assert row.note
        assert "none of the " in row.note
        assert "\n" not in row.note
        assert row_of(rows, "accuracy", estimator).value is not None
        assert row_of(rows, "f1", f"{estimator}_pooled").value is not None


def test_a_metric_that_is_undefined_on_the_sealed_rows_has_a_note(tmp_path: Path) -> None:
    write_table(tmp_path / "table.csv", "two")
    head, *lines = (tmp_path / "table.csv").read_text().splitlines()
    sealed = [line for line in lines if ",no," in line][:12]
    (tmp_path / "sealed.csv").write_text("\n".join([head, *sealed]) + "\n")
    rest = [line for line in lines if line not in sealed]
    (tmp_path / "table.csv").write_text("\n".join([head, *rest]) + "\n")
    config = config_of(
        tmp_path, "two", "plain", "zero_one", metrics=["roc_auc", "accuracy"],
        test=str(tmp_path / "sealed.csv"), estimators=["kfold", "test"],
    )  # fmt: skip
    found, rows = judged(config, tmp_path)
    chosen = found.selection["learner"]
    for learner in (chosen, "all"):
        row = row_of(rows, "roc_auc", "test", learner)
        assert (row.value, row.n, row.chosen) == (None, 12, chosen)
        assert "none of the 12 rows is positive" in (row.note or "")
        assert row_of(rows, "accuracy", "test", learner).value is not None


def test_a_metric_for_two_classes_of_three(tmp_path: Path) -> None:
    write_table(tmp_path / "table.csv", "three")
    config = config_of(tmp_path, "three", "plain", "zero_one", metrics=["f1"])
    with pytest.raises(HeldoutError, match=r"^metrics: 'f1' is for two classes.*use f1_macro"):
        judged(config, tmp_path)
    assert len(LABELS["three"]) == 3


def test_a_learner_without_probabilities_has_no_log_loss_and_an_auc(tmp_path: Path) -> None:
    write_table(tmp_path / "table.csv", "two")
    asked = ["neg_log_loss", "roc_auc"]
    config = config_of(tmp_path, "two", "plain", "zero_one", metrics=asked, estimators=["kfold"])
    config["tasks"]["t"]["learners"] = ["knn", "svc"]
    config["learners"] = {
        "knn": config["learners"]["knn"],
        "svc": {"estimator": "sklearn.svm.LinearSVC"},
    }
    _, rows = judged(config, tmp_path)
    row = row_of(rows, "neg_log_loss", "kfold", "svc")
    assert row.value is None
    assert "needs proba, which the learner does not give" in (row.note or "")
    assert row_of(rows, "neg_log_loss", "kfold", "knn").value is not None
    assert row_of(rows, "roc_auc", "kfold", "svc").value is not None
