"""Packed cells: as those in files of their own, whatever is cut off, changed, or written twice."""

import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from interleave import End, Explorer, Files

from heldout import files as file_operations
from heldout.cells import packs
from heldout.cells.key import Keys
from heldout.cells.manifest import index_of
from heldout.cells.model_file import SHARED, ModelPickler
from heldout.cells.pack import MODELS, Block, Kinds, read_pack
from heldout.cells.packs import PACKS, pack_files, rewrite
from heldout.cells.score_file import Identity
from heldout.cells.store import Cell, Record, Store
from heldout.cells.verify import CellCheck, Listing
from heldout.errors import HeldoutError
from heldout.execution.upkeep.repair import repair
from heldout.faults import DAMAGED, MISSING
from heldout.numerics.fit_warning import FitWarning
from heldout.numerics.problem import Outcome
from heldout.predictions import Predictions

CELLS = [Cell("knn", {"n_neighbors": k}, name) for name in ("full", "k3.r1.f01") for k in (1, 5)]
WARNING = FitWarning("UserWarning", "slow", 2)


def outcome(cell, value=0.5, proba=True, engine="knn"):
    arrays = {"label": np.array([0, 1, 1])}
    if proba:
        arrays["proba"] = np.array([[value, 1 - value]] * 3)
    return Outcome(cell.theta, predictions=Predictions(**arrays), engine=engine, seconds=0.25)


def write(store, cell=CELLS[0], key="key", model=True, with_part=True, **more):
    shared = np.arange(3.0)
    content = {"theta": cell.theta, "set": cell.held_out, "shared": shared}
    parts = [shared] if with_part else []
    pickled = ModelPickler().dump(content, parts) if model else None
    sets = {cell.held_out: 2, "train": 1}
    return store.write(cell, Keys("fit", key), sets, outcome(cell, **more), pickled)


def filled(folder, **more):
    """A store with all cells in one pack, and what was told of each."""
    store = Store(folder, packed=True)
    told = [write(store, cell, value=0.1 * i, **more) for i, cell in enumerate(CELLS)]
    store.flush()
    return store, told


def faults(folder, *listings, models=True):
    return list(CellCheck(folder, list(listings), models).faults())


def listing(folder, told):
    index = index_of(zip(CELLS, told, strict=True))
    return Listing("1-of-1.json", folder / "receipts" / "fit_cells.1-of-1.json", True, index)


def only_pack(folder):
    [path] = pack_files(folder / PACKS)
    return path


@pytest.mark.parametrize(("learner", "held_out", "taken"), [
    ("knn", "full", True), ("knn", "k3.r1.f01", False), ("tree", "full", False),
])  # fmt: skip
def test_a_block_is_of_one_learner_and_held_out_set(learner, held_out, taken):
    predictions = Predictions(label=np.array([0, 1, 1]))
    sets = {"train": 3}
    block = Block("knn", "full", sets, Kinds.of(predictions))
    identity = Identity(Keys("fit", "key"), learner, {}, held_out, sets)
    assert block.takes(identity, predictions) == taken


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cells"


# --- as in files ---------------------------------------------------------------------------


def test_packed_cells_are_told_and_read_as_those_in_files(folder, tmp_path):
    _, told = filled(folder)
    files = Store(tmp_path / "files")
    for i, (cell, record) in enumerate(zip(CELLS, told, strict=True)):
        assert write(files, cell, value=0.1 * i) == record
        store = Store(folder)
        assert store.find(cell, "key", with_model=True) == record
        assert store.find(cell, "other key", with_model=False) is None
        assert store.open_model(cell, record.model)["theta"] == cell.theta
        assert store.fitted_model(cell, Keys("fit", "other"))[0]["theta"] == cell.theta
        assert store.fitted_model(cell, Keys("other", "key")) is None
        packed, single = store.read(cell), files.read(cell)
        assert packed.identity == single.identity
        for name, array in files.predictions(cell, record.score).arrays().items():
            found = store.predictions(cell, record.score).arrays()[name]
            assert (found.dtype, found.tolist()) == (array.dtype, array.tolist())
    assert [path.suffix for path in sorted((folder / PACKS).iterdir())] == [MODELS, ".pack"]


def test_warnings_seconds_and_shared_parts_are_kept(folder):
    store = Store(folder, packed=True)
    shared = np.arange(3.0)
    pickled = ModelPickler().dump({"shared": shared}, [shared])
    one = Outcome({}, predictions=Predictions(value=np.zeros(2)), warnings=(WARNING,), seconds=1.5)
    record = store.write(CELLS[0], Keys("fit", "key"), {"full": 2}, one, pickled)
    store.flush()
    found = Store(folder).read(CELLS[0]).circumstances
    assert (found.warnings, found.seconds) == ((WARNING,), 1.5)
    assert found.shared_parts == tuple(pickled.parts)
    assert Store(folder).find(CELLS[0], "key", with_model=True) == record


@pytest.mark.parametrize("compressible", [True, False])
def test_predictions_are_the_same_compressed_or_not(folder, compressible):
    value = np.zeros(500) if compressible else np.random.default_rng(1).standard_normal(500)
    store = Store(folder, packed=True)
    one = Outcome({}, predictions=Predictions(value=value), engine="ridge", seconds=0)
    record = store.write(CELLS[0], Keys("fit", "key"), {"full": 500}, one, None)
    store.flush()
    assert Store(folder).predictions(CELLS[0], record.score).value.tolist() == value.tolist()
    assert (only_pack(folder).stat().st_size < value.nbytes) == compressible


def test_a_store_finds_what_it_has_just_written(folder):
    """As a scan of an endless grid does."""
    store = Store(folder, packed=True)
    assert store.find(CELLS[0], "key", with_model=False) is None
    record = write(store)
    store.flush()
    assert store.find(CELLS[0], "key", with_model=True) == record


def test_what_takes_long_is_written_at_once(folder, monkeypatch):
    monkeypatch.setattr(packs, "SECONDS", 0.0)
    write(Store(folder, packed=True))
    assert Store(folder).find(CELLS[0], "key", with_model=True)


def test_many_cells_are_written_in_blocks(folder, monkeypatch):
    monkeypatch.setattr(packs, "MOST_CELLS", 2)
    filled(folder)
    abouts = {id(cell.about) for cell in read_pack(only_pack(folder)).cells}
    assert len(abouts) == 2


@pytest.mark.parametrize("first", [True, False])
def test_both_forms_are_found_whichever_is_written_now(folder, first):
    record = write(store := Store(folder, packed=first))
    store.flush()
    other = Store(folder, packed=not first)
    assert other.find(CELLS[0], "key", with_model=True) == record
    assert other.predictions(CELLS[0], record.score).label.tolist() == [0, 1, 1]
    assert other.has("knn")
    assert not other.has("tree")


def test_a_cell_without_what_a_loss_needs_is_passed_over(folder):
    store = Store(folder, packed=True)
    bare = write(store, proba=False)
    store.flush()
    assert Store(folder).find(CELLS[0], "key", False, "proba") is None
    again = Store(folder, packed=True)
    full = write(again)
    again.flush()
    assert Store(folder).find(CELLS[0], "key", False, "proba") == full
    assert Store(folder).find(CELLS[0], "key", False) == bare


# --- damage --------------------------------------------------------------------------------


def test_wherever_a_pack_is_cut_off_the_cells_before_stay(folder):
    _, told = filled(folder, model=False)
    path = only_pack(folder)
    whole, cells = path.read_bytes(), read_pack(path).cells
    found_last = 0
    for size in range(0, len(whole), 5):
        path.write_bytes(whole[:size])
        found = [one is not None for one in finds(folder, told)]
        assert found == [size >= heads_end(cells, size, i) for i in range(4)], size
        assert sum(found) >= found_last
        found_last = sum(found)
        lost = [fault for fault in faults(folder, listing(folder, told)) if fault.kind == MISSING]
        damaged = [one for one in faults(folder, listing(folder, told)) if one.kind == DAMAGED]
        assert len(lost) + len(damaged) == 4 - sum(found)


def heads_end(cells, size, i):
    """From which size on a cell is there: the block's head and its own predictions."""
    return cells[i].at + cells[i].row.size


def finds(folder, told):
    found = [Store(folder).find(cell, "key", with_model=False) for cell in CELLS]
    for one, record in zip(found, told, strict=True):
        assert one in (None, record)
    return found


@pytest.mark.parametrize("ending", [".pack", MODELS])
def test_every_bit_counts(folder, ending):
    _, told = filled(folder)
    path, listed = only_pack(folder).with_suffix(ending), listing(folder, told)
    whole = path.read_bytes()
    assert faults(folder, listed) == []
    unnoticed = 0
    for place in range(3, 8 * len(whole), 29):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        found = finds(folder, told)
        # A bit that fills up compressed predictions changes nothing in them, which the seals say.
        harmless = ending == ".pack" and found == told
        assert harmless or faults(folder, listed), f"bit {place % 8} of byte {place // 8}"
        unnoticed += harmless
    assert unnoticed < 10


def test_a_changed_byte_takes_one_cell_and_a_repair_leaves_the_others(folder):
    _, told = filled(folder)
    path = only_pack(folder)
    data = bytearray(path.read_bytes())
    data[read_pack(path).cells[1].at + 2] ^= 4
    path.write_bytes(data)
    listed = listing(folder, told)
    [fault] = found = faults(folder, listed)
    assert (fault.kind, fault.remove) == (DAMAGED, (listed.receipt,))
    assert fault.what == f"knn/n_neighbors=5/full in {path}"
    with pytest.raises(HeldoutError, match="are damaged"):
        Store(folder).predictions(CELLS[1], told[1].score)
    repair(found)
    expected = [told[0], None, told[2], told[3]]
    assert finds(folder, told) == expected
    assert [fault.kind for fault in faults(folder, listed)] == [MISSING]
    again = Store(folder, packed=True)
    assert write(again, CELLS[1], value=0.1) == told[1]
    again.flush()
    assert faults(folder, listed) == []


def test_a_changed_head_takes_its_block_and_no_other(folder, monkeypatch):
    _, told = filled(folder)
    path = only_pack(folder)
    data = bytearray(path.read_bytes())
    data[60] ^= 4
    path.write_bytes(data)
    assert [one is None for one in finds(folder, told)] == [True, True, False, False]
    found = faults(folder, listing(folder, told))
    assert [fault.kind for fault in found] == [DAMAGED, MISSING, MISSING]
    assert found[0].why.startswith("bytes 0 to ")
    repair(found)
    assert [one.kind for one in faults(folder, listing(folder, told))] == [MISSING, MISSING]


def test_a_damaged_model_or_part_lets_its_cells_be_fitted_again(folder):
    _, told = filled(folder)
    models = only_pack(folder).with_suffix(MODELS)
    data = bytearray(models.read_bytes())
    data[40] ^= 4
    models.write_bytes(data)
    [fault] = found = faults(folder, listing(folder, told))
    assert fault.why == "its model is not as it was written"
    assert Store(folder).find(CELLS[0], "key", with_model=True) is None
    assert Store(folder).find(CELLS[0], "key", with_model=False)
    repair(found)
    assert finds(folder, told) == [None, *told[1:]]
    [part] = (folder / SHARED).iterdir()
    part.unlink()
    found = faults(folder, listing(folder, told))
    repair(found)
    assert finds(folder, told) == [None] * 4


def test_a_lost_file_of_models_is_a_fault_only_where_models_are_expected(folder):
    _, told = filled(folder)
    only_pack(folder).with_suffix(MODELS).unlink()
    assert faults(folder, listing(folder, told), models=False) == []
    found = faults(folder, listing(folder, told))
    assert [fault.kind for fault in found] == [MISSING] * 4
    assert Store(folder).find(CELLS[0], "key", with_model=True) is None


def test_files_that_are_no_packs_are_strangers(folder):
    filled(folder)
    (folder / PACKS / "notes.txt").touch()
    [fault] = faults(folder)
    assert fault.what.endswith("notes.txt")


# --- what is deleted -----------------------------------------------------------------------


def test_the_models_of_some_folders_stay(folder):
    store, told = filled(folder)
    assert store.prune_models({"knn/n_neighbors=5"}) == 2
    after = Store(folder)
    assert after.find(CELLS[0], "key", with_model=True) is None
    assert after.find(CELLS[1], "key", with_model=True) == told[1]
    assert after.open_model(CELLS[3], told[3].model)["theta"] == {"n_neighbors": 5}
    with pytest.raises(FileNotFoundError):
        after.open_model(CELLS[0], told[0].model)
    assert faults(folder, listing(folder, told), models=False) == []
    assert after.prune_models(set()) == 2
    assert [path.suffix for path in (folder / PACKS).iterdir()] == [".pack"]
    assert not list((folder / SHARED).iterdir())


def test_a_pack_is_written_anew_without_some_cells(folder):
    _, told = filled(folder)
    path = only_pack(folder)
    kept = {"knn/n_neighbors=1/full", "knn/n_neighbors=5/k3.r1.f01"}
    rewrite(path, lambda cell: cell.name in kept)
    assert finds(folder, told) == [told[0], None, None, told[3]]
    assert Store(folder).open_model(CELLS[3], told[3].model)["theta"] == {"n_neighbors": 5}
    assert len(list((folder / PACKS).iterdir())) == 2
    assert only_pack(folder) != path


def test_a_rewriting_that_was_killed_is_done_again(folder, tmp_path):
    _, told = filled(folder)
    path = only_pack(folder)
    shutil.copytree(folder, tmp_path / "before")
    rewrite(path, lambda cell: True)
    shutil.copytree(tmp_path / "before", folder, dirs_exist_ok=True)
    assert faults(folder, listing(folder, told)) == []
    rewrite(path, lambda cell: True)
    assert len(read_pack(only_pack(folder)).cells) == len(CELLS)
    assert finds(folder, told) == told


# --- two writers ---------------------------------------------------------------------------


def test_the_first_of_two_equal_cells_counts_and_both_are_found_by_their_seals(folder):
    jobs = [Store(folder, packed=True) for _ in range(2)]
    told = [write(job, value=value) for job, value in zip(jobs, (0.2, 0.7), strict=True)]
    for job in jobs:
        job.flush()
    last = Store(folder, packed=True)
    told.append(write(last, value=0.4))
    last.flush()
    cells = Store(folder)
    first = cells.find(CELLS[0], "key", with_model=True)
    tokens = [path.name for path in pack_files(folder / PACKS)]
    assert tokens == sorted(tokens)
    assert first in told[:2]
    for record, value in zip(told, (0.2, 0.7, 0.4), strict=True):
        assert cells.predictions(CELLS[0], record.score).proba[0, 0] == value
    for one in told:
        assert faults(folder, Listing("m", folder, True, index_of([(CELLS[0], one)]))) == []


@pytest.fixture
def steps(monkeypatch):
    """Each half of a write is a step, and so is each look at a pack."""
    steps = Files()
    half = steps.step("write", file_operations._write_all)

    def in_halves(file, data):
        half(file, data[: len(data) // 2])
        half(file, data[len(data) // 2 :])

    monkeypatch.setattr(file_operations, "_write_all", in_halves)
    monkeypatch.setattr(packs, "read_pack", steps.step("open", read_pack))

    def token() -> str:
        process = steps.processes.get(threading.get_ident())
        return str(list(steps.processes.values()).index(process)) if process else "earlier"

    monkeypatch.setattr(packs, "new_token", token)
    return steps


@pytest.mark.parametrize("before", [False, True])
def test_every_interleaving_of_two_writers_leaves_whole_cells(tmp_path, steps, before):
    """Also where one is killed in the middle of a write."""

    def job(cells: Store, value: float) -> Record:
        found = cells.find(CELLS[0], "key", with_model=True)
        record = found or write(cells, value=value, with_part=False)
        cells.flush()
        return record

    def prepare(folder: Path):
        if before:
            write(older := Store(folder, packed=True), key="old key", with_part=False)
            older.flush()
        stores = [Store(folder, packed=True) for _ in range(2)]
        return [lambda one=one, v=v: job(one, v) for one, v in zip(stores, (0.2, 0.7), strict=True)]

    def verify(end: End) -> None:
        cells = Store(end.folder, packed=True)
        for told in filter(None, end.results):
            assert cells.predictions(CELLS[0], told.score), end.choices
            assert cells.open_model(CELLS[0], told.model), end.choices
        found = cells.find(CELLS[0], "key", with_model=True)
        assert found or not any(end.results), end.choices
        again = job(cells, 0.4)
        assert again == (found or again)
        assert Store(end.folder).find(CELLS[0], "key", with_model=True) == again
        assert not [one for one in faults(end.folder) if one.kind == DAMAGED], end.choices

    ends = 0
    for end in Explorer(steps, tmp_path, prepare, kills=True).ends():
        steps.processes.clear()
        verify(end)
        ends += 1
    assert ends > 10
