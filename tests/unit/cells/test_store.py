"""The store: a cell is complete or not found, and shared parts are stored once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file

from heldout.cells.key import Keys
from heldout.cells.model_file import LARGE, SHARED, DamagedError, ModelPickler, open_model
from heldout.cells.store import Cell, Store, read_score
from heldout.cells.version import store_version
from heldout.errors import HeldoutError
from heldout.numerics.fit_warning import FitWarning
from heldout.numerics.problem import Outcome
from heldout.predictions import Predictions

CELL = Cell("knn", {"n_neighbors": 5}, "k10.r1.f03")
KEYS = Keys("fit", "cell")
PREDICTIONS = Predictions(
    label=np.array([0, 1, 1, 0, 2], np.uint8), proba=np.linspace(0, 1, 15).reshape(5, 3)
)
SETS = {"k10.r1.f03": 3, "train": 2}


class Model:
    """In place of a fitted model: a small setting and arrays."""

    def __init__(self, setting, data):
        self.setting, self.data = setting, data


WARNINGS = (FitWarning("ConvergenceWarning", "did not converge", 3),)


def outcome(predictions=PREDICTIONS, seconds=0.5, **more):
    return Outcome({}, predictions=predictions, engine="generic", seconds=seconds, **more)


def write(store, cell=CELL, keys=KEYS, predictions=PREDICTIONS, model=None, sets=SETS):
    pickled = None if model is None else ModelPickler().dump(model, [])
    return store.write(cell, keys, sets, outcome(predictions), pickled)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cells")


def test_a_cell_is_read_as_it_was_written(store):
    record = write(store, model=Model(5, np.arange(3)))
    assert store.find(CELL, "cell", with_model=True) == record
    assert (record.key, record.engine, record.seconds) == ("cell", "generic", 0.5)
    found = store.predictions(CELL, record.score)
    assert list(found.arrays()) == ["label", "proba"]
    assert found.label.tolist() == PREDICTIONS.label.tolist()
    assert found.proba.tolist() == PREDICTIONS.proba.tolist()
    assert found.label.dtype == np.uint8
    loaded, fit = store.fitted_model(CELL, KEYS)
    assert (loaded.setting, loaded.data.tolist()) == (5, [0, 1, 2])
    assert (fit.engine, fit.seconds, fit.model) == ("generic", 0.5, record.model)


def test_any_reader_of_safetensors_opens_the_scores(store):
    write(store)
    path = store.path(CELL, "safetensors")
    found = load_file(path)
    assert sorted(found) == ["label", "proba"]
    assert found["proba"].tolist() == PREDICTIONS.proba.tolist()
    with safe_open(path, "numpy") as file:
        metadata = file.metadata()
    assert metadata["theta"] == '{"n_neighbors":5}'
    assert metadata["sets"] == '{"k10.r1.f03": 3, "train": 2}'


def test_two_jobs_that_fit_the_same_cell_write_the_same_cell(store):
    """Seconds and warnings are no part of the seal, nor is the model's digest."""
    first = write(store)
    pickled = ModelPickler().dump(Model(1, None), [])
    second = store.write(CELL, KEYS, SETS, outcome(seconds=12.25, warnings=WARNINGS), pickled)
    assert first.score == second.score
    assert first.model is None
    assert store.predictions(CELL, first.score).label.tolist() == PREDICTIONS.label.tolist()
    found = store.find(CELL, "cell", with_model=False)
    assert (found.seconds, found.warnings, found.model) == (12.25, WARNINGS, pickled.digest)


@pytest.mark.parametrize(
    "other",
    [
        {"keys": Keys("fit", "another")},
        {"keys": Keys("another", "cell")},
        {"cell": replace(CELL, theta={"n_neighbors": 6})},
        {"cell": replace(CELL, held_out="k10.r1.f04")},
        {"cell": replace(CELL, learner="other")},
        {"sets": {"k10.r1.f03": 2, "train": 3}},
        {"predictions": replace(PREDICTIONS, proba=PREDICTIONS.proba + 1e-16)},
        {"predictions": replace(PREDICTIONS, decision=np.zeros(5))},
        {"predictions": replace(PREDICTIONS, label=PREDICTIONS.label.astype(np.uint16))},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_seal_covers_the_arrays_and_what_identifies_the_cell(store, tmp_path, other):
    assert write(store).score != write(Store(tmp_path / "other"), **other).score


@given(
    st.lists(st.floats(width=64), min_size=1, max_size=8),
    st.sampled_from(["value", "decision"]),
)
def test_numbers_are_stored_to_the_last_bit(tmp_path_factory, numbers, name):
    store = Store(tmp_path_factory.mktemp("cells"))
    predictions = Predictions(**{name: np.array(numbers)})
    record = write(store, predictions=predictions, sets={"full": len(numbers)})
    found = getattr(store.predictions(CELL, record.score), name)
    assert found.tobytes() == np.array(numbers).tobytes()


def test_arrays_that_are_not_contiguous_can_be_stored(store):
    predictions = Predictions(proba=np.arange(30.0).reshape(3, 10).T[::2])
    record = write(store, predictions=predictions, sets={"full": 5})
    found = store.predictions(CELL, record.score)
    assert found.proba.tolist() == predictions.proba.tolist()


def test_folders_can_be_read(store, tmp_path):
    write(store, model=Model(1, None))
    folder = tmp_path / "cells" / "knn" / "n_neighbors=5"
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["k10.r1.f03.model", "k10.r1.f03.safetensors"]


def test_another_key_or_cell_is_not_found(store):
    write(store, model=Model(1, None))
    assert store.find(CELL, "other", with_model=True) is None
    assert store.find(Cell("knn", {"n_neighbors": 6}, "k10.r1.f03"), "cell", False) is None
    assert store.find(Cell("knn", {"n_neighbors": 5}, "full"), "cell", False) is None
    assert store.fitted_model(CELL, Keys("other", "cell")) is None


def test_a_cell_without_what_is_needed_is_not_found(store):
    write(store)
    assert store.find(CELL, "cell", with_model=False, needs="proba")
    assert store.find(CELL, "cell", with_model=False, needs="value") is None
    assert store.find(CELL, "cell", with_model=True) is None
    assert store.fitted_model(CELL, KEYS) is None


def test_a_model_of_an_earlier_fit_does_not_count(store):
    write(store, model=Model(1, None))
    store.path(CELL, "safetensors").unlink()
    write(store)
    assert store.path(CELL, "model").is_file()
    assert store.find(CELL, "cell", with_model=True) is None
    assert store.fitted_model(CELL, KEYS) is None


def test_a_cell_whose_model_is_gone_is_found_only_without_it(store):
    write(store, model=Model(1, None))
    store.path(CELL, "model").unlink()
    assert store.find(CELL, "cell", with_model=False)
    assert store.find(CELL, "cell", with_model=True) is None
    assert store.fitted_model(CELL, KEYS) is None


def test_a_truncated_score_file_is_not_found(store):
    record = write(store)
    path = store.path(CELL, "safetensors")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert store.find(CELL, "cell", with_model=False) is None
    path.write_bytes(whole + b"x")
    assert store.find(CELL, "cell", with_model=False) is None
    path.write_bytes(whole)
    assert store.find(CELL, "cell", with_model=False) == record


def test_a_changed_bit_never_changes_a_prediction_or_a_name_unnoticed(store):
    record = write(store)
    path = store.path(CELL, "safetensors")
    whole = path.read_bytes()
    unsealed = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        found = store.read(CELL)
        if found is not None:
            assert found.seal == record.score
            assert found.identity.metadata() == read_whole(path, whole).identity.metadata()
            assert found.predictions.proba.tobytes() == PREDICTIONS.proba.tobytes()
            unsealed += 1
    assert unsealed == len("header"), "a file without a digest of its header is an older one"


def read_whole(path, whole):
    path.write_bytes(whole)
    return read_score(path)


def test_damaged_and_missing_scores_are_refused_with_what_to_do(store):
    record = write(store)
    path = store.path(CELL, "safetensors")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(
        HeldoutError, match=r"learner 'knn', θ = \{.*5\}.* are damaged; run `heldout"
    ):
        store.predictions(CELL, record.score)
    path.unlink()
    with pytest.raises(HeldoutError, match="are missing"):
        store.predictions(CELL, record.score)


def test_a_whole_file_with_other_scores_than_listed_is_refused(store):
    record = write(store)
    store.path(CELL, "safetensors").unlink()
    write(store, predictions=Predictions(label=np.zeros(5, np.uint8)))
    with pytest.raises(HeldoutError, match="are damaged"):
        store.predictions(CELL, record.score)


def test_a_file_of_another_version_is_none(store, monkeypatch):
    monkeypatch.setattr("heldout.cells.score_file.FORMAT", "1")
    write(store)
    monkeypatch.undo()
    assert store.find(CELL, "cell", with_model=False) is None


def test_a_store_of_an_older_version_is_emptied_of_its_scores_once(store):
    old = store.folder / "knn" / "n_neighbors=5" / "full.score"
    old.parent.mkdir(parents=True)
    old.write_text("{}")
    (store.folder / "manifests").mkdir()
    (store.folder / "manifests" / "1-of-1.json").write_text("{}")
    assert store_version(store.folder) == "1"
    store.adopt()
    assert not old.exists()
    assert store_version(store.folder) == "2"
    record = write(store)
    store.adopt()
    assert store.find(CELL, "cell", with_model=False) == record


def test_an_empty_folder_has_no_version(store):
    assert store_version(store.folder) is None


# --- models and their shared parts ---------------------------------------------------------


def large(fill=0.0):
    return np.full(LARGE, fill)


def shared_files(store):
    return sorted(path.name for path in (store.folder / SHARED).iterdir())


def test_large_arrays_and_shared_parts_are_stored_once(store):
    """k-NN's training data, for instance, once per training set and not once per θ."""
    data, step = large(), Model("scaler", np.arange(3))
    pickler = ModelPickler()
    cells = [Cell("knn", {"n_neighbors": k}, "full") for k in (1, 3, 5)]
    for cell in cells:
        model = pickler.dump(Model(cell.theta["n_neighbors"], [step, data]), [step])
        store.write(cell, KEYS, SETS, outcome(), model)
    assert len(shared_files(store)) == 2
    assert all(store.path(cell, "model").stat().st_size < 1000 for cell in cells)
    for cell in cells:
        found, fit = store.fitted_model(cell, KEYS)
        assert sorted(fit.shared_parts) == shared_files(store)
        assert found.setting == cell.theta["n_neighbors"]
        assert found.data[0].data.tolist() == [0, 1, 2]
        assert found.data[1].tobytes() == data.tobytes()


def test_parts_of_equal_content_are_stored_once(store):
    write(store, model=Model(1, large()))
    write(store, cell=Cell("knn", {}, "full"), model=Model(2, large()))
    assert len(shared_files(store)) == 1
    write(store, cell=Cell("knn", {}, "dev"), model=Model(2, large(1.0)))
    assert len(shared_files(store)) == 2


def test_small_arrays_stay_inside(store):
    write(store, model=Model(1, np.zeros(LARGE // 8)))
    assert not (store.folder / SHARED).exists()


def test_unneeded_parts_go_with_the_models_that_are_pruned(store):
    kept, gone = Cell("knn", {}, "full"), Cell("knn", {"n_neighbors": 1}, "full")
    write(store, cell=kept, model=Model(1, [large(), large(1.0)]))
    write(store, cell=gone, model=Model(1, [large(1.0), large(2.0)]))
    assert len(shared_files(store)) == 3
    assert store.prune_models({"knn/default"}) == 1
    assert len(shared_files(store)) == 2
    model, _ = store.fitted_model(kept, KEYS)
    assert model.data[1][0] == 1.0
    assert store.find(gone, "cell", with_model=False)
    assert store.find(gone, "cell", with_model=True) is None


@pytest.mark.parametrize("what", ["model", "part"])
def test_a_damaged_model_is_never_loaded(store, what):
    record = write(store, model=Model(1, large()))
    [part] = (store.folder / SHARED).iterdir()
    path = store.path(CELL, "model") if what == "model" else part
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert store.fitted_model(CELL, KEYS) is None
    with pytest.raises(DamagedError, match=f"'{path}' is damaged"):
        open_model(store.path(CELL, "model"), record.model)
    path.unlink()
    assert store.fitted_model(CELL, KEYS) is None
