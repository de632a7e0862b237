"""Two jobs that write the same cell leave a whole one, whatever comes first, and whoever is killed."""

import fcntl
import itertools
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interleave import End, Explorer, Files, stepped_module

from heldout.cells import publish, store
from heldout.cells.key import Keys
from heldout.cells.model_file import ModelPickler
from heldout.cells.store import Cell, Record, Store
from heldout.errors import HeldoutError
from heldout.names import digest
from heldout.numerics.problem import Outcome
from heldout.predictions import Predictions

CELL = Cell("forest", {}, "full")
OLD, NEW = "old key", "new key"


@dataclass(frozen=True)
class Job:
    """A job that wants a cell; what it fits differs from what another one fits."""

    name: str
    key: str = NEW
    with_model: bool = True

    def __call__(self, store: Store) -> Record:
        """Find the cell, or fit and write it."""
        found = store.find(CELL, self.key, self.with_model)
        return found or self.write(store)

    def write(self, store: Store) -> Record:
        """Write what it has fitted."""
        value = np.array([float(len(self.name)), float(ord(self.name[0]))])
        outcome = Outcome({}, predictions=Predictions(value=value), engine=self.name, seconds=0)
        model = ModelPickler().dump(f"fitted by {self.name}", []) if self.with_model else None
        return store.write(CELL, Keys("fit", self.key), {"full": 2}, outcome, model)


ADA, BOB, EVE = Job("Ada"), Job("Bob"), Job("Eve")


# --- what is in the store before -----------------------------------------------------------


def nothing(store: Store) -> None:
    pass


def a_cell_of_another_key(store: Store) -> None:
    replace(EVE, key=OLD).write(store)


def a_cell_without_model(store: Store) -> None:
    replace(EVE, with_model=False).write(store)


def a_cell_whose_model_is_gone(store: Store) -> None:
    EVE.write(store)
    store.path(CELL, "model").unlink()


def a_damaged_cell(store: Store) -> None:
    EVE.write(store)
    path = store.path(CELL, "safetensors")
    path.write_bytes(path.read_bytes()[:-1])


def an_unfinished_cell(store: Store, key: str = NEW) -> None:
    """Its writer was killed before the last step; the model of another cell is in the place."""
    replace(EVE, key=key).write(store)
    model, scores = store.path(CELL, "model"), store.read(CELL)
    assert scores is not None
    model.rename(model.with_name(f".{model.name}.{scores.circumstances.model_token}.tmp"))
    model.write_bytes(b"of another cell")


def an_unfinished_cell_of_another_key(store: Store) -> None:
    an_unfinished_cell(store, OLD)


BEFORE = [
    nothing,
    a_cell_of_another_key,
    a_cell_without_model,
    a_cell_whose_model_is_gone,
    a_damaged_cell,
    an_unfinished_cell,
    an_unfinished_cell_of_another_key,
]
PAIRS = {
    "same key": (ADA, BOB),
    "one without model": (ADA, replace(BOB, with_model=False)),
    "two keys": (ADA, replace(BOB, key=OLD)),
}


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """The file operations of the store are steps, and names are the same in each run."""
    files = Files()
    names = ("link", "rename", "unlink", "stat")
    monkeypatch.setattr(publish, "os", stepped_module(files, os, *names))
    monkeypatch.setattr(publish, "fcntl", stepped_module(files, fcntl, "flock"))
    monkeypatch.setattr(publish, "time", stepped_module(files, time, "sleep"))
    monkeypatch.setattr(publish, "open", files.step("open", open), raising=False)
    for name in ("_opened", "write_in_place"):
        known = "open" if name == "_opened" else "write"
        monkeypatch.setattr(publish, name, files.step(known, getattr(publish, name)))
    numbers: dict[Any, Any] = {}

    def token() -> str:
        process = files.processes.get(threading.get_ident())
        if process is None:
            return "earlier"
        which = list(files.processes.values()).index(process)
        return f"{which}-{next(numbers.setdefault(id(process), itertools.count()))}"

    monkeypatch.setattr(store, "new_token", token)
    return files


def ends(
    files: Files, folder: Path, before: Callable[[Store], None], jobs: tuple[Job, Job], kills: bool
) -> list[End]:
    """Run two jobs with all schedules, and compare the store with what they were told each time."""

    def prepare(folder: Path) -> list[Callable[[], Record]]:
        cells = Store(folder)
        before(cells)
        return [lambda job=job: job(cells) for job in jobs]  # type: ignore[misc]

    found = []
    for end in Explorer(files, folder, prepare, kills).ends():
        files.processes.clear()
        verify(end, jobs)
        found.append(end)
    return found


def verify(end: End, jobs: tuple[Job, Job]) -> None:
    """A cell that is found is whole and the one that jobs were told of; a rerun finds or fits it."""
    cells = Store(end.folder)
    whole = [cells.find(CELL, key, with_model=True) for key in (OLD, NEW)]
    for record in filter(None, whole):
        assert model_digest(cells) == record.model, end.choices
    if not end.killed:
        assert any(cells.find(CELL, job.key, job.with_model) for job in jobs), end.choices
        assert not list(end.folder.rglob("*.tmp")), end.choices
    for job in jobs[:1] if jobs[0].key == jobs[1].key else []:
        again = replace(EVE, key=job.key, with_model=job.with_model)(cells)
        assert model_digest(cells) == again.model
        for told in filter(None, end.results):
            assert told.score == again.score or told.model is None, end.choices
            assert told.model in (again.model, None), end.choices


def model_digest(cells: Store) -> str:
    return digest(cells.path(CELL, "model").read_bytes())


@pytest.mark.parametrize("kills", [False, True], ids=["none killed", "one killed"])
@pytest.mark.parametrize("jobs", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("before", BEFORE)
def test_every_interleaving_of_two_writers_leaves_a_whole_cell(
    files: Files,
    tmp_path: Path,
    before: Callable[[Store], None],
    jobs: tuple[Job, Job],
    kills: bool,
) -> None:
    assert ends(files, tmp_path, before, jobs, kills)


def test_either_writer_can_be_the_first(files: Files, tmp_path: Path) -> None:
    """The schedules are really tried: both outcomes come about, and the loser adopts."""
    found = ends(files, tmp_path, nothing, (ADA, BOB), kills=False)
    engines = {tuple(record.engine for record in end.results) for end in found}
    assert engines == {("Ada", "Ada"), ("Bob", "Bob")}
