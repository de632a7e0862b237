"""`models: auto | all | selected | none`: which models stay, and that no estimate needs the others."""

from pathlib import Path
from typing import Any

import joblib
import pytest
from inprocess import Run, run_task

from heldout.cells import kept_models
from heldout.cells.store import Store
from heldout.files import read_json

PENGUINS = str(Path(__file__).parents[3] / "data" / "penguins.csv")


def run(folder: Path, models: str, k: int = 3, cells: str = "files", **task: Any) -> Run:
    given = {
        "data": PENGUINS,
        "target": "species",
        "kfold": {"k": k},
        "estimators": ["training", "kfold", "nested_cv", "test"],
        "learners": ["knn", "tree"],
        **task,
    }
    learners = {
        "knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 5]}},
        "tree": {"estimator": "tree", "grid": {"max_depth": [1, 3]}},
    }
    return run_task(
        {"models": models, "cells": cells, "tasks": {"t": given}, "learners": learners}, folder
    )


def models_of(folder: Path) -> set[str]:
    return {path.parent.name for path in (folder / "cells").glob("*/*/*.model")}


@pytest.mark.parametrize(
    ("models", "kept"),
    [("auto", 4), ("all", 4), ("selected", 2), ("none", 0)],
)
def test_what_stays(tmp_path: Path, models: str, kept: int) -> None:
    found = run(tmp_path, models)
    assert len(models_of(found.folder)) == kept
    predictor = joblib.load(found.folder / "final" / "model.joblib")
    assert len(predictor.predict(PENGUINS)) == 344
    shared = list((found.folder / "cells" / ".shared").glob("*"))
    assert bool(shared) == (kept > 0)
    whole = run(tmp_path / "again", "all")
    assert [row.risk for row in found.estimates] == [row.risk for row in whole.estimates]


def test_packed_models_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run(tmp_path, "auto", cells="packed").folder
    size = Store(folder / "cells").model_bytes()
    monkeypatch.setattr(kept_models, "MOST", size - 1)
    run(tmp_path, "auto", cells="packed")
    assert said_of(folder) == "selected"
    assert Store(folder / "cells").model_bytes() < size


def said_of(folder: Path) -> str:
    return str(read_json(folder / "final" / "training.json")["models"])


def test_where_all_take_too_much_those_of_the_selected_theta_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run(tmp_path, "auto").folder
    size = Store(folder / "cells").model_bytes()
    monkeypatch.setattr(kept_models, "MOST", size)
    run(tmp_path, "auto")
    assert (len(models_of(folder)), said_of(folder)) == (4, "all")
    monkeypatch.setattr(kept_models, "MOST", size - 1)
    run(tmp_path, "auto")
    assert (len(models_of(folder)), said_of(folder)) == (2, "selected")
    capsys.readouterr()
    run(tmp_path, "auto")
    assert "cells: 0 fitted" in capsys.readouterr().out
    run(tmp_path, "all")
    assert (len(models_of(folder)), said_of(folder)) == (4, "all")
    monkeypatch.setattr(kept_models, "MOST", size)
    run(tmp_path, "auto")
    assert len(models_of(folder)) == 4


def test_the_bytes_of_models_are_those_of_their_files(tmp_path: Path) -> None:
    cells = run(tmp_path, "all").folder / "cells"
    models = [*cells.glob("*/*/*.model"), *(cells / ".shared").iterdir()]
    assert Store(cells).model_bytes() == sum(len(path.read_bytes()) for path in models)


def test_a_pruned_store_is_not_fitted_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "selected")
    capsys.readouterr()
    run(tmp_path, "selected")
    assert "cells: 0 fitted" in capsys.readouterr().out
