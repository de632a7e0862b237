"""Damage in the store of cells is found: every bit, every kind of file, whatever the manifests."""

import os
from dataclasses import replace

import numpy as np
import pytest

from heldout.cells.key import Keys
from heldout.cells.manifest import index_of
from heldout.cells.model_file import SHARED, ModelPickler
from heldout.cells.store import Cell, Store
from heldout.cells.verify import CellCheck, Listing
from heldout.faults import DAMAGED, FOREIGN, MISSING, REPAIR, RUN
from heldout.numerics.fit_warning import FitWarning
from heldout.numerics.problem import Outcome
from heldout.predictions import Predictions

CELLS = [Cell("knn", {"n_neighbors": k}, name) for k in (1, 5) for name in ("full", "k3.r1.f01")]


def write(store, cell, value=0.5, key="key"):
    outcome = Outcome(
        theta=cell.theta,
        engine="knn",
        seconds=0.25,
        warnings=(FitWarning("UserWarning", "slow", 2),),
        predictions=Predictions(label=np.array([0, 1]), proba=np.array([[value, 0.5]] * 2)),
    )
    shared = np.arange(3.0)
    model = ModelPickler().dump({"k": cell.theta, "shared": shared}, shared=[shared])
    return store.write(cell, Keys("fit", key), {cell.held_out: 2}, outcome, model)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cells")


@pytest.fixture
def listing(store, tmp_path):
    index = index_of((cell, write(store, cell)) for cell in CELLS)
    return Listing("1-of-1.json", tmp_path / "receipts" / "fit_cells.1-of-1.json", True, index)


def faults(store, *listings, models=True):
    return list(CellCheck(store.folder, list(listings), models).faults())


def kinds(store, *listings, **options):
    return [fault.kind for fault in faults(store, *listings, **options)]


@pytest.mark.parametrize("ending", ["safetensors", "model"])
def test_every_bit_counts(store, listing, ending):
    one = replace(listing, cells=dict(list(listing.cells.items())[:1]))
    for cell in CELLS[1:]:
        for other in ("safetensors", "model"):
            store.path(cell, other).unlink()
    path = store.path(CELLS[0], ending)
    whole = path.read_bytes()
    assert faults(store, one) == []
    for place in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert kinds(store, one), f"bit {place % 8} of byte {place // 8}"
    path.write_bytes(whole)
    assert faults(store, one) == []


def test_a_repair_removes_the_file_and_the_receipts_of_all_who_list_it(store, listing):
    other = replace(
        listing, receipt=listing.receipt.with_name("fit_cells.2-of-3.json"), counts=False
    )
    path = store.path(CELLS[1], "safetensors")
    path.write_bytes(b"")
    [fault] = faults(store, listing, other)
    assert (fault.kind, fault.what, fault.mend) == (DAMAGED, str(path), REPAIR)
    assert fault.remove == (path, path.with_suffix(".model"), listing.receipt, other.receipt)


def test_what_a_job_that_is_due_lists_is_looked_for_by_itself(store, listing):
    store.path(CELLS[1], "safetensors").unlink()
    assert [(one.kind, one.mend) for one in faults(store, listing)] == [(MISSING, REPAIR)]
    due = replace(listing, counts=False)
    assert [(one.kind, one.mend) for one in faults(store, due)] == [(MISSING, RUN)]


def test_a_cell_that_was_fitted_anew_is_a_fault_only_of_manifests_that_count(store, listing):
    write(store, CELLS[1], value=0.75, key="another")
    [fault] = faults(store, listing)
    assert fault.why == "it is not the one that 1-of-1.json lists"
    assert fault.remove == (listing.receipt,)
    assert faults(store, replace(listing, counts=False)) == []


def test_cells_that_no_manifest_lists_are_counted(store, listing):
    check = CellCheck(store.folder, [replace(listing, cells={})], True)
    assert (list(check.faults()), check.cells, check.kept) == ([], 4, 4)


def test_progress_ends_with_all_cells(store, listing):
    said = []
    check = CellCheck(store.folder, [listing], True, lambda *numbers: said.append(numbers))
    assert list(check.faults()) == []
    assert said == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_shared_part_is_named_once_and_its_models_are_made_again(store, listing):
    [part] = (store.folder / SHARED).iterdir()
    part.write_bytes(b"0" + part.read_bytes()[1:])
    models = {store.path(cell, "model") for cell in CELLS}
    [fault] = faults(store, listing)
    assert (fault.kind, fault.what) == (DAMAGED, str(part))
    assert fault.why == "its digest is not its name; 4 models hold it"
    assert set(fault.remove) == {part, *models, listing.receipt}
    part.unlink()
    [fault] = faults(store, listing)
    assert (fault.kind, fault.why) == (MISSING, "4 models hold it")


def test_models_that_are_not_kept_on_purpose(store, listing):
    for cell in CELLS:
        store.path(cell, "model").unlink()
    assert kinds(store, listing) == [MISSING] * 4
    assert kinds(store, listing, models=False) == []


def test_files_that_belong_to_no_cell(store, listing):
    folder = store.folder / "knn" / "n_neighbors=1"
    lone, young = folder / "dev.model", folder / "mc.r001.model"
    for path in (lone, young, store.folder / "knn" / "x", store.folder / "y", folder / "z"):
        path.write_text("")
    os.utime(lone, (0, 0))
    found = {(fault.kind, fault.what, fault.mend) for fault in faults(store, listing)}
    assert found == {
        (FOREIGN, str(lone), REPAIR),
        (FOREIGN, str(folder / "z"), "by hand"),
        (FOREIGN, str(store.folder / "knn" / "x"), "by hand"),
        (FOREIGN, str(store.folder / "y"), "by hand"),
    }


def test_a_model_that_the_scores_do_not_know_is_foreign(store, listing):
    cell = Cell("knn", {"n_neighbors": 7}, "full")
    outcome = Outcome(theta=cell.theta, predictions=Predictions(value=np.array([1.0, 2.0])))
    store.write(cell, Keys("fit", "key"), {"full": 2}, outcome, None)
    store.path(cell, "model").write_bytes(b"of an earlier fit")
    [fault] = faults(store, listing)
    assert (fault.kind, fault.why) == (FOREIGN, "its score file says that no model is kept")


def test_a_model_that_waits_for_its_place_is_no_fault(store, listing):
    """Its writer was killed; who finds the cell puts it there."""
    place = store.path(CELLS[0], "model")
    token = store.read(CELLS[0]).circumstances.model_token
    waiting = place.rename(place.with_name(f".{place.name}.{token}.tmp"))
    os.utime(waiting, (0, 0))
    assert faults(store, listing) == []
    other = waiting.rename(place.with_name(f".{place.name}.{'0' * 16}.tmp"))
    assert [fault.what for fault in faults(store, listing)] == [str(place), str(other)]


def test_the_header_of_an_older_file_has_no_digest(store, listing):
    scores = store.read(CELLS[0])
    older = {name: text for name, text in scores.metadata.items() if name != "header"}
    assert replace(scores, metadata=older).header_intact
    assert not replace(scores, metadata=older | {"hdader": "x"}).header_intact
    assert not replace(scores, metadata=scores.metadata | {"engine": "kmn"}).header_intact


def test_what_a_job_lists_that_will_not_run_again_needs_a_repair(store, listing):
    store.path(CELLS[0], "safetensors").unlink()
    due = replace(listing, counts=False)
    [fault] = faults(store, due, models=False)
    assert (fault.kind, fault.mend) == (MISSING, RUN)
    [fault] = faults(store, replace(due, wanted=False), models=False)
    assert (fault.kind, fault.mend, fault.remove) == (MISSING, REPAIR, (listing.receipt,))
