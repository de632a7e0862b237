"""`heldout.open`: what it gives, that it only reads, and what it says where something is wrong."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inprocess import run_task
from small_study import CONFIG

import heldout
from heldout import HeldoutError
from heldout.execution.study import Study
from heldout.predictions import Predictions
from heldout.receipts import Receipt, file_digest, write_receipt
from heldout.results.study import Task

FILES = ("estimates", "risks", "folds", "comparisons")
THETA = {"n_neighbors": 5}


@pytest.fixture
def task(project: Path) -> Task:
    """The finished task, with the receipt that says where its numbers come from."""
    request = Study(CONFIG).request("estimate_risks", "small")
    receipt = Receipt("estimate_risks", json.loads(json.dumps(request)), {}, {})
    write_receipt(project / "results" / "small" / "receipts" / "estimate_risks.json", receipt)
    return heldout.open("results")["small"]


def files_of(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def recorded(task: Task, *names: str) -> None:
    """Write a receipt of these files, as a step of the workflow does."""
    digests = {f"results/{task.name}/{name}": file_digest(task.folder / name) for name in names}
    write_receipt(task.folder / "receipts" / "own.json", Receipt("own", {}, {}, digests))


# --- cheap, typed, lazy ------------------------------------------------------------------------


def test_importing_heldout_imports_nothing_else() -> None:
    code = "import sys, heldout; print([m for m in ('pandas', 'numpy', 'sklearn', 'heldout.errors') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_public_name_is_there() -> None:
    for name in heldout.__all__:
        assert getattr(heldout, name) is not None
        assert name in dir(heldout)
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        heldout.opne  # noqa: B018


def test_reading_imports_no_snakemake(task: Task) -> None:
    code = (
        "import sys, heldout; task = heldout.open('results')['small']; repr(task); task.risks; "
        "task.out_of_fold('knn'); print('snakemake' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# --- a study and its tasks ---------------------------------------------------------------------


def test_a_study_is_a_mapping_of_tasks(project: Path) -> None:
    study = heldout.open(project / "results")
    assert list(study) == ["small"]
    assert len(study) == 1
    assert "small" in study
    assert study.get("other") is None
    assert repr(study) == repr(study["small"])
    assert study._repr_html_().startswith("<table>")


def test_tables_are_data_frames_with_every_digit(task: Task) -> None:
    for name in FILES:
        found = getattr(task, name)
        wanted = pd.read_csv(task.folder / f"{name}.csv", dtype=str, keep_default_na=False)
        assert list(found.columns) == list(wanted.columns)
        assert len(found) == len(wanted)
    texts = pd.read_csv(task.folder / "risks.csv", dtype=str)["risk"]
    assert [repr(value) for value in task.risks["risk"]] == texts.tolist()


def test_what_was_selected(task: Task) -> None:
    assert task.selection["learner"] == task.card["learner"]
    table = pd.read_csv("small.csv").drop(columns="y")
    assert set(task.model.predict(table)) <= {"no", "yes"}
    assert task.model.predict_proba(table).shape == (60, 2)


def test_splits_by_name(task: Task) -> None:
    assert set(task.splits) == {"holdout", "kfold"}
    assert task.splits["kfold"]["fold"].max() == 3
    with pytest.raises(HeldoutError, match="no split 'kfolds'; did you mean 'kfold'"):
        task.splits["kfolds"]
    assert task.splits.get("loo") is None


# --- cells and rows ----------------------------------------------------------------------------


def test_a_cell(task: Task) -> None:
    cell = task.cell("knn", THETA, "k3.r1.f02")
    split = task.splits["kfold"]
    assert cell.predictions["row"].tolist() == split["row"][split["fold"] == 2].tolist()
    assert set(cell.predictions["set"]) == {"k3.r1.f02"}
    source = pd.read_csv("small.csv").iloc[cell.predictions["source_row"]]
    assert cell.predictions["target"].tolist() == source["y"].tolist()
    assert cell.model.predict(source).tolist() == cell.predictions["prediction"].tolist()
    share = cell.model.predict_proba(source)
    np.testing.assert_array_equal(cell.predictions[["p_no", "p_yes"]], share)
    assert cell.seconds > 0
    assert cell.warnings == ()
    assert len(cell.key) == 32
    assert task.cell("knn", json.dumps(THETA), "k3.r1.f02").key == cell.key
    assert task.cell("knn", {"n_neighbors": np.int64(5)}, "k3.r1.f02").key == cell.key


def test_out_of_fold_predictions_are_those_behind_the_risk(task: Task) -> None:
    for theta in ({"n_neighbors": 1}, THETA):
        frame = task.out_of_fold("knn", theta)
        assert sorted(frame["row"]) == list(range(48))
        risks = task.risks
        text = json.dumps(theta, separators=(",", ":"))
        row = risks[(risks.learner == "knn") & (risks.theta == text) & (risks.estimator == "kfold")]
        assert frame.groupby("fold")["loss"].mean().mean() == pytest.approx(row["risk"].item())
        assert frame["loss"].tolist() == (frame["target"] != frame["prediction"]).tolist()
    chosen = task.selection["learners"]["knn"]["theta"]
    pd.testing.assert_frame_equal(task.out_of_fold("knn"), task.out_of_fold("knn", chosen))


def test_a_loss_of_sets_gives_no_column_loss(task: Task) -> None:
    from heldout.measures.registry import loss_for
    from heldout.measures.spec import LossSpec
    from heldout.results.rows_frame import rows_frame

    table = task._cells.table.table
    auc = loss_for(LossSpec("roc_auc"), table.classes, table.class_counts)
    said = Predictions(label=np.array([0]), proba=np.array([[0.5, 0.5]]))
    frame = rows_frame(table, auc, np.array([3]), ["dev"], said)
    assert "loss" not in frame
    assert frame["cross_entropy"].item() == pytest.approx(np.log(2))


# --- it only reads -----------------------------------------------------------------------------


def test_nothing_is_written_and_the_vault_stays_closed(task: Task) -> None:
    shutil.rmtree(task.folder / "vault")
    before = files_of(Path())
    repr(task), task._repr_html_()
    for name in FILES:
        getattr(task, name)
    task.cell("tree", None, "full").model  # noqa: B018
    task.out_of_fold("tree")
    task.model  # noqa: B018
    assert files_of(Path()) == before


# --- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "theta", "held_out", "message"),
    [
        ("knnn", None, "full", "has no learner 'knnn'; did you mean 'knn'"),
        ("knn", {"n_neighbors": 4}, "full", 'has no θ = {"n_neighbors": 4}; there are {"n_neighb'),
        ("knn", 5, "full", "θ is a dict such as"),
        ("knn", None, "ful", "no held-out set 'ful'; did you mean 'full'"),
        ("knn", None, "?", "no held-out set '\\?'; there are dev, "),
    ],
)
def test_unknown_names(learner: str, theta: object, held_out: str, message: str, task: Task) -> None:
    with pytest.raises(HeldoutError, match=message):
        task.cell(learner, theta, held_out)


def test_no_results(project: Path) -> None:
    with pytest.raises(HeldoutError, match="there is no folder 'nowhere'; results are made by"):
        heldout.open("nowhere")
    with pytest.raises(HeldoutError, match="no results in '.'; did you mean 'results'"):
        heldout.open(".")
    with pytest.raises(HeldoutError, match=r"it is a task; open 'results' and take \['small'\]"):
        heldout.open("results/small")
    with pytest.raises(HeldoutError, match="no task 'smal' in 'results'; did you mean 'small'"):
        heldout.open("results")["smal"]


def test_an_unfinished_task_says_what_is_missing(task: Task) -> None:
    (task.folder / "estimates.csv").unlink()
    assert repr(task).startswith("small   not finished: there is no estimates.csv yet; run:")
    assert "not finished" in task._repr_html_()
    with pytest.raises(HeldoutError, match=r"task 'small' has no estimates.csv: it is not finished"):
        task.estimates  # noqa: B018
    assert len(task.risks)


def test_an_edited_file_is_refused(task: Task) -> None:
    recorded(task, "estimates.csv", "risks.csv", "final/model.joblib", "selection.json")
    assert len(task.estimates)
    for name in ("estimates.csv", "selection.json", "final/model.joblib"):
        path = task.folder / name
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b"0", b"1", 1))
        fresh = Task(task.folder)
        with pytest.raises(HeldoutError, match="is not as it was written: it was edited or damag"):
            fresh.model if "model" in name else repr(fresh)  # noqa: B018
        path.write_bytes(whole)


def test_a_damaged_file_without_a_receipt(task: Task) -> None:
    (task.folder / "selection.json").write_text("{")
    with pytest.raises(HeldoutError, match=r"selection.json' is damaged"):
        task.selection  # noqa: B018
    (task.folder / "risks.csv").write_text("a,b\n1\n")
    with pytest.raises(HeldoutError, match=r"risks.csv' cannot be read as a table"):
        task.risks  # noqa: B018


def test_a_damaged_cell(task: Task) -> None:
    cell = task.cell("knn", THETA, "k3.r1.f02")
    (task.folder / "cells/knn/n_neighbors=5/k3.r1.f02.model").write_bytes(b"x")
    with pytest.raises(HeldoutError, match="is damaged"):
        cell.model  # noqa: B018
    (task.folder / "cells/knn/n_neighbors=5/k3.r1.f02.safetensors").unlink()
    with pytest.raises(HeldoutError, match="are missing; run `heldout check --repair`"):
        cell.predictions  # noqa: B018
    (task.folder / "cells/knn/n_neighbors=5/full.model").unlink()
    with pytest.raises(HeldoutError, match="is not there: `models` in the config"):
        task.cell("knn", THETA, "full").model  # noqa: B018


def test_without_its_receipt_cells_are_not_guessed(task: Task) -> None:
    (task.folder / "receipts" / "estimate_risks.json").unlink()
    with pytest.raises(HeldoutError, match=r"estimate_risks.json' is missing or damaged"):
        task.out_of_fold("knn")
    assert "expected error" in repr(task)


# --- figures -----------------------------------------------------------------------------------


def test_figures_are_axes(task: Task) -> None:
    import matplotlib
    from matplotlib import pyplot as plt

    matplotlib.use("agg")
    estimates = task.plot.estimates("knn")
    assert estimates.get_title(loc="left") == "knn"
    values = [line.get_xdata()[0] for line in estimates.lines if len(line.get_xdata()) == 1]
    rows = task.estimates[task.estimates.learner == "knn"].drop_duplicates("estimator")
    assert sorted(values) == sorted(rows["risk"])
    tuning = task.plot.tuning("knn")
    assert tuning.get_xlabel() == "n_neighbors"
    assert len(task.plot.predictions()) in (1, 2)
    axis = plt.figure().add_subplot()
    assert task.plot.estimates(ax=axis) is axis
    with pytest.raises(HeldoutError, match="'tree' has one θ"):
        task.plot.tuning("tree")
    with pytest.raises(HeldoutError, match="in no time order"):
        task.plot.over_time()
    with pytest.raises(HeldoutError, match="no estimates of 'kn'; did you mean 'knn'"):
        task.plot.estimates("kn")
    plt.close("all")


# --- other plans -------------------------------------------------------------------------------


def plan(folder: Path, **keys: object) -> Task:
    """A finished task of one learner on 60 rows; `keys` are those of its block of the config."""
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=60), rng.normal(size=60)
    rows = [f"{a:.3f},{i},{1 + i % 3},{'yes' if a + b > 0.5 else 'no'}" for i, (a, b) in enumerate(zip(x, noise, strict=True))]  # fmt: skip
    (folder / "t.csv").write_text("x,day,w,y\n" + "\n".join(rows) + "\n")
    task = {"data": str(folder / "t.csv"), "target": "y", "test": 0, "learners": ["logistic"]}
    learners = {"logistic": {"estimator": "logistic", "grid": {"C": [0.1, 1.0]}}}
    config = {"tasks": {"t": {**task, **keys}}, "learners": learners}
    run = run_task(config, folder)
    request = json.loads(json.dumps(Study(config).request("estimate_risks", "t")))
    receipt = Receipt("estimate_risks", request, {}, {})
    write_receipt(run.folder / "receipts" / "estimate_risks.json", receipt)
    return Task(run.folder)


def test_a_threshold_decides_the_labels_of_its_cells(tmp_path: Path) -> None:
    keys = {"estimators": ["kfold"], "kfold": {"k": 3}, "drop": ["day", "w"]}
    task = plan(tmp_path, threshold="tune", loss="f1", **keys)
    theta = {"C": 0.1, "threshold": 0.2}
    cell = task.cell("logistic", theta, "k3.r1.f02")
    said = cell.predictions
    assert ((said["p_yes"] >= 0.2) == (said["prediction"] == "yes")).all()
    rows = pd.read_csv(tmp_path / "t.csv").iloc[said["source_row"]]
    assert (cell.model.predict(rows) == said["prediction"]).all()
    with pytest.raises(HeldoutError, match='has no θ = {"C": 0.1}; there are .* and [0-9]+ more'):
        task.cell("logistic", {"C": 0.1}, "full")
    assert "loss" not in said


def test_rows_with_weights_have_them(tmp_path: Path) -> None:
    keys = {"estimators": ["kfold"], "kfold": {"k": 3}, "drop": ["day"]}
    task = plan(tmp_path, weights="w", **keys)
    frame = task.out_of_fold("logistic", {"C": 1.0})
    means = [np.average(part["loss"], weights=part["weight"]) for _, part in frame.groupby("fold")]
    risks = task.risks
    row = risks[(risks.theta == '{"C":1.0}') & (risks.estimator == "kfold")]
    assert np.mean(means) == pytest.approx(row["risk"].item())


def test_rows_in_time_order(tmp_path: Path) -> None:
    task = plan(tmp_path, time="day", drop=["w"], rolling={"blocks": 5})
    frame = task.out_of_fold("logistic")
    assert set(frame["set"]) == {"t5.b02", "t5.b03", "t5.b04", "t5.b05"}
    assert "5 blocks" in repr(task)
    axis = task.plot.over_time()
    assert axis.get_xlabel() == "day"


def test_rows_left_out_one_at_a_time(tmp_path: Path) -> None:
    keys = {"estimators": ["loo"], "select": {"by": "loo"}, "drop": ["day", "w"]}
    task = plan(tmp_path, **keys)
    frame = task.out_of_fold("logistic")
    assert frame["loss"].mean() == pytest.approx(task.selection["risk"])
    assert sorted(frame["row"]) == list(range(60))
    with pytest.raises(HeldoutError, match="no model was kept of"):
        task.cell("logistic", None, "loo.c001").model  # noqa: B018
