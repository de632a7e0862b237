"""`refit: all`: a second model of all rows, after the sealed ones have spoken, compared with scikit-learn."""

import json
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from inprocess import Run, run_step, run_task
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import write_csv

from heldout.cli import main
from heldout.cli.show import tables_text
from heldout.errors import HeldoutError
from heldout.execution.study import Study
from heldout.execution.upkeep.wanted import jobs_of
from heldout.results.task import open_task
from heldout.selection.final import Untrained

N = 60


def numbers() -> dict[str, Any]:
    generator = np.random.default_rng(4)
    a, b = generator.normal(size=N), generator.normal(size=N)
    weight = generator.integers(1, 4, size=N)
    return {"a": a, "b": b, "w": weight, "y": a - 2 * b + generator.normal(size=N)}


def config(**task: Any) -> dict[str, Any]:
    block = {
        "data": "t.csv",
        "target": "y",
        "refit": "all",
        "estimators": ["kfold", "test"],
        "learners": ["ridge"],
    }
    ridge = {"estimator": "ridge", "grid": {"alpha": [1.0]}}
    return {"tasks": {"t": block | task}, "learners": {"ridge": ridge}}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    columns = numbers()
    write_csv(Path("t.csv"), {name: values.tolist() for name, values in columns.items()})
    return columns


def both(run: Run) -> tuple[Any, Any]:
    names = ("model.joblib", "model_all.joblib")
    tested, whole = (joblib.load(run.folder / "final" / name) for name in names)
    return tested, whole


def card(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run.folder / "final" / "card_all.json").read_text())
    return found


@pytest.mark.parametrize("weights", [None, "w"])
def test_it_is_trained_on_all_rows(table: dict[str, Any], weights: str | None) -> None:
    """Equal to a scikit-learn Pipeline on the whole table; the tested model is not."""
    run = run_task(config(drop=[] if weights else ["w"], weights=weights), Path())
    x, w = np.column_stack([table["a"], table["b"]]), table["w"] if weights else None
    sure = {} if w is None else {"standardscaler__sample_weight": w, "ridge__sample_weight": w}
    expected = make_pipeline(StandardScaler(), Ridge()).fit(x, table["y"], **sure).predict(x)
    tested, whole = both(run)
    np.testing.assert_allclose(whole.predict("t.csv"), expected, rtol=1e-9)
    assert np.abs(tested.predict("t.csv") - expected).max() > 1e-3
    assert card(run)["trained_on"]["rows"] == N
    assert card(run)["trained_on"]["sealed"] == 12
    assert "No number in the report is about it" in card(run)["note"]


def test_everybody_says_so(table: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    run = run_task(config(drop=["w"]), Path())
    refit = run.selection["refit"]
    assert (refit["model"], refit["state"]) == ("model_all.joblib", "trained")
    assert refit["note"] in tables_text(open_task(Path("results"), "t"))
    run_step(Study(config(drop=["w"])), run.folder, "render_report", "t")
    assert refit["note"] in (run.folder / "report.html").read_text()
    capsys.readouterr()
    assert main(["predict", "results/t", "t.csv", "--all"]) == 0
    said = np.array([line.split(",")[1] for line in capsys.readouterr().out.split()[1:]], float)
    np.testing.assert_allclose(said, both(run)[1].predict("t.csv"))
    assert main(["predict", "results/t/final/model.joblib", "t.csv", "--all"]) == 1
    assert "--all goes with the folder" in capsys.readouterr().err


def test_rows_that_may_not_be_opened_are_not_trained_on(
    table: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_task(config(drop=["w"]), Path())
    other = config(drop=["w"])
    other["learners"]["ridge"]["grid"] = {"alpha": [50.0]}
    study, folder = Study(other), Path("results/t")
    steps = ("fit_cells", "estimate_risks", "select_model", "estimate_procedures", "train_final", "open_test")  # fmt: skip
    for step in steps:
        given = {"batch": "1", "batches": "1"} if step == "fit_cells" else {}
        run_step(study, folder, step, "t", **given)
    (folder / "vault" / "sealed.parquet").write_bytes(b"nobody reads this")
    for step in ("train_all", "write_card"):
        run_step(study, folder, step, "t")
    said = json.loads((folder / "selection.json").read_text())["refit"]
    assert (said["model"], said["state"]) == (None, "not trained")
    assert "no model was trained on all rows, for the sealed ones stay sealed" in said["note"]
    model = joblib.load(folder / "final" / "model_all.joblib")
    assert isinstance(model, Untrained)
    with pytest.raises(HeldoutError, match="stay sealed"):
        model.predict("t.csv")
    assert main(["predict", "results/t", "t.csv", "--all"]) == 1
    assert "stay sealed" in capsys.readouterr().err


def test_the_rows_of_a_test_table_are_added(table: dict[str, Any]) -> None:
    more = {name: values[:20].tolist() for name, values in numbers().items()}
    more["a"] = [value + 0.01 for value in more["a"]]
    write_csv(Path("test.csv"), more)
    run = run_task(config(drop=["w"], test="test.csv"), Path())
    x = np.column_stack([[*table["a"], *more["a"]], [*table["b"], *more["b"]]])
    model = make_pipeline(StandardScaler(), Ridge()).fit(x, [*table["y"], *more["y"]])
    _, whole = both(run)
    np.testing.assert_allclose(whole.predict("test.csv"), model.predict(x[N:]), rtol=1e-9)
    assert card(run)["trained_on"] | {"digest": 0, "source": 0} == {
        "rows": 80, "unsealed": 60, "sealed": 20, "left_out": 0, "digest": 0, "source": 0
    }  # fmt: skip


def test_classes_levels_and_thresholds_are_those_of_the_unsealed_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sealed class that nobody else has is left out, and said; an unknown level is none to fail at."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(2)
    size = generator.normal(size=N)
    rows = {
        "size": size.tolist(),
        "colour": generator.choice(["red", "blue"], N).tolist(),
        "y": np.where(size + generator.normal(size=N) > 0, "yes", "no").tolist(),
    }
    write_csv(Path("t.csv"), rows)
    sealed = {"size": [0.1, -2.0, 2.0], "colour": ["red", "green", "blue"], "y": ["no", "no", "yes"]}  # fmt: skip
    write_csv(Path("test.csv"), sealed)
    given = config(test="test.csv", learners=["logistic"], threshold=0.3, positive="yes")
    run = run_task(given, Path())
    tested, whole = both(run)
    assert whole.threshold == tested.threshold == 0.3
    assert whole.positive == tested.positive
    assert whole.classes == tested.classes
    assert whole.schema == tested.schema
    probability = whole.predict_proba("t.csv")[:, 1]
    assert (whole.predict("t.csv") == np.where(probability >= 0.3, "yes", "no")).all()


def test_a_job_of_its_own_only_where_it_is_asked_for(table: dict[str, Any]) -> None:
    assert "train_all" in jobs_of(Study(config()), "t", 1)
    assert "train_all" not in jobs_of(Study(config(refit="unsealed")), "t", 1)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"test": 0, "estimators": ["kfold"]}, "nothing is sealed"),
        ({"estimators": ["kfold"]}, "'test' is not among the estimators"),
    ],
)
def test_where_it_has_no_sense_it_is_refused(task: dict[str, Any], message: str) -> None:
    with pytest.raises(HeldoutError, match=message):
        Study(config(**task))


def test_rows_in_the_gap_of_time_are_said_to_be_left_out(table: dict[str, Any]) -> None:
    """All rows are those of before the gap and the sealed ones; the card's last time is that of the last sealed row."""
    columns = {name: values.tolist() for name, values in table.items()} | {"t": list(range(N))}
    write_csv(Path("t.csv"), columns)
    given = {
        "time": "t",
        "rolling": {"blocks": 4, "gap": "5 units"},
        "estimators": ["rolling", "test"],
    }
    found = card(run_task(config(drop=["w"], **given), Path()))
    assert found["trained_on"]["rows"] == N - 5
    assert "all 55 rows (without the 5 in the gap before the sealed ones), the 12" in found["note"]
    assert (found["time"]["first"], found["time"]["last"]) == ("0", "59")
