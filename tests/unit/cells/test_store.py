"""The store: a cell is there as a whole or not at all, and shared parts are there once."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.cells.store import (
    CLOCK,
    LARGE,
    SHARED,
    Cell,
    DamagedError,
    Keys,
    ModelPickler,
    Store,
    load_model,
    part_names,
    read_score,
)
from heldout.errors import HeldoutError
from heldout.predictions import Predictions

CELL = Cell("knn", {"n_neighbors": 5}, "k10.r1.f03")
KEYS = Keys("fit", "cell")
SAID = Predictions(
    label=np.array([0, 1, 1, 0, 2], np.uint8), proba=np.linspace(0, 1, 15).reshape(5, 3)
)
SETS = {"k10.r1.f03": 3, "train": 2}


class Model:
    """Stands for a fitted model: a small setting and arrays."""

    def __init__(self, setting, data):
        self.setting, self.data = setting, data


def write(store, cell=CELL, keys=KEYS, said=SAID, model=None, sets=SETS):
    pickled = None if model is None else ModelPickler().dump(model, [])
    return store.write(cell, keys, sets, said, pickled, "generic", 0.5)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cells")


def test_a_cell_comes_back_as_it_was(store):
    record = write(store, model=Model(5, np.arange(3)))
    assert store.find(CELL, "cell", with_model=True) == record
    assert (record.key, record.engine, record.seconds) == ("cell", "generic", 0.5)
    said = store.scores(CELL, record.score)
    assert list(said) == list(SETS)
    assert said["k10.r1.f03"].label.tolist() == [0, 1, 1]
    assert said["train"].proba.tolist() == SAID.proba[3:].tolist()
    assert said["train"].label.dtype == np.uint8
    assert said["train"].decision is None
    loaded = store.fitted_model(CELL, KEYS)
    assert (loaded.setting, loaded.data.tolist()) == (5, [0, 1, 2])


def test_two_jobs_that_fit_the_same_cell_write_the_same_cell(store):
    first = store.write(CELL, KEYS, SETS, SAID, None, "generic", 0.5)
    second = store.write(CELL, KEYS, SETS, SAID, None, "generic", 12.25)
    assert first.score == second.score
    assert store.scores(CELL, first.score)["train"].label.tolist() == [0, 2]
    assert store.find(CELL, "cell", with_model=False).seconds == 12.25


@given(
    st.lists(st.floats(width=64), min_size=1, max_size=8),
    st.sampled_from(["value", "decision"]),
)
def test_every_bit_of_a_number_survives(tmp_path_factory, numbers, name):
    store = Store(tmp_path_factory.mktemp("cells"))
    said = Predictions(**{name: np.array(numbers)})
    record = write(store, said=said, sets={"full": len(numbers)})
    found = getattr(store.scores(CELL, record.score)["full"], name)
    assert found.tobytes() == np.array(numbers).tobytes()


def test_arrays_that_are_not_contiguous_survive(store):
    said = Predictions(proba=np.arange(30.0).reshape(3, 10).T[::2])
    record = write(store, said=said, sets={"full": 5})
    assert store.scores(CELL, record.score)["full"].proba.tolist() == said.proba.tolist()


def test_folders_can_be_read(store, tmp_path):
    write(store, model=Model(1, None))
    folder = tmp_path / "cells" / "knn" / "n_neighbors=5"
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["k10.r1.f03.model", "k10.r1.f03.score"]


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


def test_a_torn_score_file_is_not_found_wherever_it_is_torn(store):
    record = write(store)
    path = store.path(CELL, "score")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert store.find(CELL, "cell", with_model=False) is None
    path.write_bytes(whole + b"x")
    assert store.find(CELL, "cell", with_model=False) is None
    path.write_bytes(whole)
    assert store.find(CELL, "cell", with_model=False) == record


def test_a_changed_bit_is_noticed_wherever_it_is(store):
    record = write(store)
    path = store.path(CELL, "score")
    whole = path.read_bytes()
    for place in range(len(whole) - CLOCK):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert store.find(CELL, "cell", with_model=False) is None
    path.write_bytes(whole[:-1] + b"x")
    assert store.find(CELL, "cell", with_model=False) is None
    with pytest.raises(
        HeldoutError, match=r"learner 'knn', θ = \{.*5\}.* are damaged; run `heldout"
    ):
        store.scores(CELL, record.score)
    path.unlink()
    with pytest.raises(HeldoutError, match="are missing"):
        store.scores(CELL, record.score)


def test_a_whole_file_with_other_scores_than_listed_is_refused(store):
    record = write(store)
    write(store, said=Predictions(label=np.zeros(5, np.uint8)))
    with pytest.raises(HeldoutError, match="are damaged"):
        store.scores(CELL, record.score)


def test_the_header_says_which_cell_it_is(store):
    record = write(store, model=Model(1, None))
    header, _, found = read_score(store.path(CELL, "score"))
    assert header["learner"] == "knn"
    assert header["theta"] == {"n_neighbors": 5}
    assert (header["key"], header["fit"], header["model"]) == ("cell", "fit", record.model)
    assert found == record.score
    assert read_score(store.path(Cell("x", {}, "y"), "score")) == (None, b"", "")


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
        store.write(cell, KEYS, SETS, SAID, model, "knn", 0.0)
    assert len(shared_files(store)) == 2
    assert all(store.path(cell, "model").stat().st_size < 1000 for cell in cells)
    for cell in cells:
        found = store.fitted_model(cell, KEYS)
        assert found.setting == cell.theta["n_neighbors"]
        assert found.data[0].data.tolist() == [0, 1, 2]
        assert found.data[1].tobytes() == data.tobytes()


def test_parts_of_equal_content_are_one_part_whoever_writes_them(store):
    write(store, model=Model(1, large()))
    write(store, cell=Cell("knn", {}, "full"), model=Model(2, large()))
    assert len(shared_files(store)) == 1
    write(store, cell=Cell("knn", {}, "dev"), model=Model(2, large(1.0)))
    assert len(shared_files(store)) == 2


def test_small_arrays_stay_inside(store):
    write(store, model=Model(1, np.zeros(LARGE // 8)))
    assert not (store.folder / SHARED).exists()


def test_the_parts_of_a_model_are_known_without_loading_it():
    step = Model("scaler", 1)
    model = Model([step, step], [large(i) for i in range(3)])
    dumped = ModelPickler().dump(model, [step])
    assert part_names(dumped.pickled) == sorted(dumped.parts)
    assert len(dumped.parts) == 4


def test_the_parts_are_known_wherever_a_frame_of_the_pickle_ends():
    """A frame ends after 64 KiB, which may fall next to a reference."""
    for padding in range(65_440, 65_550):
        dumped = ModelPickler().dump(["x" * padding, large(), large(1.0)], [])
        assert part_names(dumped.pickled) == sorted(dumped.parts)


def test_a_text_that_looks_like_a_part_is_none():
    assert part_names(pickle.dumps(["0" * 32, "a" * 32], protocol=5)) == []


@pytest.mark.parametrize("what", ["model", "part"])
def test_a_damaged_model_is_never_loaded(store, what):
    record = write(store, model=Model(1, large()))
    [part] = (store.folder / SHARED).iterdir()
    path = store.path(CELL, "model") if what == "model" else part
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert store.fitted_model(CELL, KEYS) is None
    with pytest.raises(DamagedError, match=f"'{path}' is damaged"):
        load_model(store.path(CELL, "model"), store.folder / SHARED, record.model)
    path.unlink()
    assert store.fitted_model(CELL, KEYS) is None
