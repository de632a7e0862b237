"""Two jobs that write the same cell leave a whole one, whatever comes first, and whoever is killed."""

import errno
import fcntl
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from interleave import End, Explorer, Files, stepped_module

from heldout.cells import publish, store
from heldout.cells.key import Keys
from heldout.cells.model_file import ModelPickler
from heldout.cells.score_file import Circumstances
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
SAME, TWO_KEYS = (ADA, BOB), (ADA, replace(BOB, key=OLD))
ONE_WITHOUT_MODEL = (ADA, replace(BOB, with_model=False))
CASES = [
    *((before, jobs) for before in BEFORE for jobs in (SAME, TWO_KEYS)),
    *((before, ONE_WITHOUT_MODEL) for before in (nothing, a_cell_of_another_key)),
]


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

    def token() -> str:
        process = files.processes.get(threading.get_ident())
        return str(list(files.processes.values()).index(process)) if process else "earlier"

    monkeypatch.setattr(store, "new_token", token)
    return files


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: some hundred thousand file operations are tried."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as one:
        yield Path(one)


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
    if jobs[0].key == jobs[1].key:
        again = EVE(cells)
        assert model_digest(cells) == again.model
        for job, told in zip(jobs, end.results, strict=True):
            # A job that keeps no models may be told of a cell without one, which is replaced then.
            assert told in (None, again) or not job.with_model, end.choices


def model_digest(cells: Store) -> str:
    return digest(cells.path(CELL, "model").read_bytes())


@pytest.mark.parametrize(("before", "jobs"), CASES)
def test_every_interleaving_of_two_writers_leaves_a_whole_cell(
    files: Files,
    disk: Path,
    before: Callable[[Store], None],
    jobs: tuple[Job, Job],
) -> None:
    assert ends(files, disk, before, jobs, kills=True)


def test_either_writer_can_be_the_first(files: Files, disk: Path) -> None:
    """The schedules are really tried: both outcomes come about, and the loser adopts."""
    found = ends(files, disk, nothing, SAME, kills=False)
    engines = {tuple(record.engine for record in end.results) for end in found}
    assert engines == {("Ada", "Ada"), ("Bob", "Bob")}


# --- what a machine may lack ---------------------------------------------------------------


def test_a_file_system_without_hard_links_or_locks_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not supported")

    monkeypatch.setattr(publish.os, "link", refuse)
    monkeypatch.setattr(publish.fcntl, "flock", refuse)
    cells = Store(tmp_path)
    first = ADA.write(cells)
    assert BOB.write(cells) == first
    other = replace(BOB, key=OLD).write(cells)
    assert cells.find(CELL, OLD, with_model=True) == other
    assert model_digest(cells) == other.model
    assert not list(tmp_path.rglob("*.tmp"))


def test_another_error_of_a_link_is_raised_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(publish.os, "link", full)
    with pytest.raises(OSError, match="no space left"):
        ADA.write(Store(tmp_path))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_lock_that_is_never_released_is_an_error_and_no_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = Store(tmp_path)
    ADA.write(cells)
    monkeypatch.setattr(publish, "PATIENCE", 0.05)
    with cells.path(CELL, "safetensors").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(HeldoutError, match="is locked by another process"):
            replace(BOB, key=OLD).write(cells)
    assert cells.find(CELL, NEW, with_model=True)
    assert replace(BOB, key=OLD).write(cells).engine == "Bob"


# --- a model that is not the one of the scores ---------------------------------------------


@pytest.mark.parametrize("change", ["size", "bytes"])
def test_a_cell_with_another_model_is_not_found(tmp_path: Path, change: str) -> None:
    cells = Store(tmp_path)
    record = ADA.write(cells)
    path = cells.path(CELL, "model")
    whole = path.read_bytes()
    path.write_bytes(whole + b"." if change == "size" else whole.replace(b"Ada", b"Bob"))
    assert cells.find(CELL, NEW, with_model=True) is None
    assert cells.find(CELL, NEW, with_model=False) == record
    again = EVE(cells)
    assert again.engine == "Eve"
    assert cells.find(CELL, NEW, with_model=True) == again


def test_large_models_are_compared_by_size_when_cells_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = Store(tmp_path)
    record = ADA.write(cells)
    path = cells.path(CELL, "model")
    path.write_bytes(path.read_bytes().replace(b"Ada", b"Bob"))
    monkeypatch.setattr(publish.Places.has_model, "__defaults__", (1,))
    assert cells.find(CELL, NEW, with_model=True) == record
    path.write_bytes(b"short")
    assert cells.find(CELL, NEW, with_model=True) is None


def test_cells_of_earlier_versions_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their score files do not say the model's size and first name."""
    cells = Store(tmp_path)
    monkeypatch.setattr(Circumstances, "_file", lambda _: {})
    record = ADA.write(cells)
    monkeypatch.undo()
    assert cells.find(CELL, NEW, with_model=True) == record
    assert BOB.write(cells) == record
    path = cells.path(CELL, "model")
    path.write_bytes(path.read_bytes().replace(b"Ada", b"Bob"))
    assert cells.find(CELL, NEW, with_model=True) is None
