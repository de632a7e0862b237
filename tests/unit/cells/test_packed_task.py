"""A task whose cells are packed: the same tables as with files, and nothing is fitted twice."""

import shutil
from pathlib import Path
from typing import Any

import joblib
import pytest
import yaml
from inprocess import run_step, run_task

from heldout.cells.packs import PACKS, pack_files
from heldout.cells.store import Store
from heldout.execution.study import Study
from heldout.execution.tasks import limits
from heldout.execution.upkeep.clean import removals

REPO = Path(__file__).parents[3]
PENGUINS = str(REPO / "data" / "penguins.csv")
TABLES = ("risks.csv", "estimates.csv", "confidence_set.csv", "folds.csv", "selection.json")


def config(cells: str | None, neighbors: tuple[int, ...] = (1, 5), **more: Any) -> dict[str, Any]:
    task = {
        "data": PENGUINS,
        "target": "species",
        "kfold": {"k": 3},
        "estimators": ["training", "kfold", "nested_cv"],
        "learners": ["knn", "tree"],
    }
    learners = {
        "knn": {"estimator": "knn", "grid": {"n_neighbors": list(neighbors)}},
        "tree": {"estimator": "tree", "grid": {"max_depth": [1, 3]}},
    }
    chosen = {} if cells is None else {"cells": cells}
    return {**chosen, **more, "tasks": {"t": task}, "learners": learners}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same task in both forms."""
    folders = {form: tmp_path_factory.mktemp(form) for form in ("files", "packed")}
    for form, folder in folders.items():
        run_task(config(form), folder, batches=2)
    return {form: folder / "results" / "t" for form, folder in folders.items()}


def test_the_tables_are_the_same(finished: dict[str, Path]) -> None:
    for name in TABLES:
        assert (finished["packed"] / name).read_bytes() == (finished["files"] / name).read_bytes()


def test_packs_are_few_files(finished: dict[str, Path]) -> None:
    files, packed = (
        [path for path in (finished[form] / "cells").rglob("*") if path.is_file()]
        for form in ("files", "packed")
    )
    assert sum(path.suffix == ".safetensors" for path in files) == 4 * 7
    assert not [path for path in packed if path.suffix in (".safetensors", ".model")]
    assert len(pack_files(finished["packed"] / "cells" / PACKS)) == 4


@pytest.mark.parametrize("form", ["files", "packed"])
def test_another_form_fits_nothing_again(
    finished: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    shutil.copytree(finished[form].parent, tmp_path / "results")
    other = "files" if form == "packed" else "packed"
    study = Study({**config(other), "batches": 2})
    for batch in (1, 2):
        run_step(study, tmp_path / "results" / "t", "fit_cells", "t", batch=batch, batches=2)
    said = capsys.readouterr().out
    assert said.count("cells: 0 fitted") == 2
    before = finished[form] / "cells"
    assert names(tmp_path / "results" / "t" / "cells") == names(before)


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_selected_models_stay_in_a_pack(tmp_path: Path) -> None:
    found = run_task(config("packed", models="selected"), tmp_path)
    store = Store(found.folder / "cells")
    kept = {cell.folder for cell in store.packs.cells() if cell.model()}
    assert len(kept) == 2
    assert joblib.load(found.folder / "final" / "model.joblib").predict(PENGUINS) is not None


def test_cells_that_the_config_no_longer_names_leave_their_pack(
    finished: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(finished["packed"].parent, tmp_path / "results")
    smaller = Study({**config("packed", neighbors=(5,)), "batches": 2})
    found = removals(smaller, tmp_path / "results")
    assert all(one.bytes > 0 for one in found)
    for one in found:
        one.carry_out()
    packs = Store(tmp_path / "results" / "t" / "cells").packs
    assert {cell.folder for cell in packs.cells()} == {
        "knn/n_neighbors=5", "tree/max_depth=1", "tree/max_depth=3",
    }  # fmt: skip
    assert all(cell.read() and cell.model() for cell in packs.cells() if cell.row.model)


@pytest.mark.parametrize(("most", "packed"), [(27, True), (28, False)])
def test_many_cells_are_packed_by_themselves(
    monkeypatch: pytest.MonkeyPatch, most: int, packed: bool
) -> None:
    monkeypatch.setattr(limits, "PACKED_ABOVE", most)
    assert Study(config(None)).task("t").packed == packed
    assert not Study(config("files")).task("t").packed
    assert Study(config("packed")).task("t").packed


def test_the_demo_has_a_file_for_each_cell() -> None:
    """docs/files.md opens them."""
    study = Study(yaml.safe_load((REPO / "config" / "config.yaml").read_text()))
    assert not any(study.task(name).packed for name in study.tasks)
