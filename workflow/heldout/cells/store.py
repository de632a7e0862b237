"""The cell store: predictions and perhaps a model per (learner, θ, held-out set).

As files they are in readable folders: ``cells/{learner}/{theta}/{set}.safetensors`` holds the
predictions (`score_file`), ``{set}.model`` the fitted Pipeline (`model_file`). How they get there, so that
a cell is whole or not found, is described in `publish`. Packed they are many to a file (`packs`). A store
writes the one or the other, and reads both.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.cells import score_file
from heldout.cells.key import Keys
from heldout.cells.model_file import (
    SHARED,
    DamagedError,
    PickledModel,
    open_model,
    read_model,
    unpickled,
)
from heldout.cells.pack import PackedCell
from heldout.cells.packs import PACKS, Packs
from heldout.cells.publish import Places, new_token, publish
from heldout.cells.score_file import ENDING, Circumstances, Identity, ScoreFile
from heldout.cells.version import FILE, FORMAT, LINE, store_version
from heldout.errors import HeldoutError
from heldout.files import write_text
from heldout.measures.needs import fields_of
from heldout.names import Theta, canonical, theta_name
from heldout.numerics.fit_warning import FitWarning
from heldout.predictions import Predictions

if TYPE_CHECKING:
    from heldout.numerics.problem import Outcome


@dataclass(frozen=True)
class Cell:
    """The name of a fit.

    Parameters
    ----------
    learner
        The name of the learner.
    theta
        The values of the hyper-parameters.
    held_out
        The name of the held-out set: what training did not see.

    Examples
    --------
    >>> print(Cell("knn", {"n_neighbors": 5}, "k10.r1.f03"))
    learner 'knn', θ = {"n_neighbors": 5}, held-out set 'k10.r1.f03'
    """

    learner: str
    theta: Theta
    held_out: str

    @cached_property
    def theta_name(self) -> str:
        """The name of θ's folder."""
        return theta_name(self.theta)

    @cached_property
    def text(self) -> str:
        """θ as canonical text."""
        return canonical(self.theta)

    def __str__(self) -> str:
        theta = json.dumps(self.theta, sort_keys=True, ensure_ascii=False)
        return f"learner '{self.learner}', θ = {theta}, held-out set '{self.held_out}'"


class Record(NamedTuple):
    """A cell's entry in a manifest."""

    key: str
    score: str
    """The seal of the score file."""
    model: str | None
    """The digest of the model file; None if no model is kept."""
    engine: str
    seconds: float
    warnings: tuple[FitWarning, ...] = ()


class Store:
    """The cells of one task.

    Parameters
    ----------
    folder
        ``results/TASK/cells``; need not exist before the first cell is written.
    packed
        Whether new cells go into packs, where they are from `flush` on at the latest.

    Examples
    --------
    >>> store = Store(folder / "cells")
    >>> store.path(Cell("knn", {"n_neighbors": 5}, "full"), "model").relative_to(folder).as_posix()
    'cells/knn/n_neighbors=5/full.model'
    """

    def __init__(self, folder: Path, packed: bool = False):
        self.folder, self.packed = folder, packed
        self.packs = Packs(folder / PACKS)

    def path(self, cell: Cell, ending: str) -> Path:
        """The file of a cell's scores (`safetensors`) or of its model (`model`)."""
        return Path(self._file(cell, ending))

    def _file(self, cell: Cell, ending: str) -> str:
        return f"{self.folder}/{cell.learner}/{cell.theta_name}/{cell.held_out}.{ending}"

    def _places(self, cell: Cell) -> Places:
        return Places(self._file(cell, ENDING), self._file(cell, "model"))

    def find(
        self, cell: Cell, key: str, with_model: bool, needs: str | None = None
    ) -> Record | None:
        """Look for a complete cell.

        Parameters
        ----------
        cell, key
            Which cell, and the key that it must have.
        with_model
            Whether it must have a model.
        needs
            What a loss needs of its predictions; None if any will do.

        Returns
        -------
        Record or None
            None if there is no such cell.
        """
        for copy in self._packed(cell):
            if copy.row.key != key or (with_model and copy.model() is None):
                continue
            scores = copy.read()
            if scores is not None and _gives(scores, needs):
                return record_in(scores)
        return self._find_file(cell, key, with_model, needs)

    def _find_file(
        self, cell: Cell, key: str, with_model: bool, needs: str | None
    ) -> Record | None:
        places = self._places(cell)
        scores = places.read()
        if scores is None or scores.key != key or not _gives(scores, needs):
            return None
        places.finish(scores.circumstances)
        if with_model and not places.has_model(scores.circumstances):
            return None
        return record_in(scores)

    def _packed(self, cell: Cell) -> Sequence[PackedCell]:
        return self.packs.copies(cell.learner, cell.text, cell.held_out)

    def write(
        self,
        cell: Cell,
        keys: Keys,
        sets: dict[str, int],
        outcome: "Outcome",
        model: PickledModel | None,
    ) -> Record:
        """Write the scores and the model, if any, unless another job has just done so.

        Parameters
        ----------
        cell, keys
            Which cell, and its keys.
        sets
            The number of rows of each held-out set.
        outcome
            The predictions of all held-out rows, and what else is known of the fit.
        model
            The pickled model; None if none is kept.

        Returns
        -------
        Record
            Of the cell in the store: this one, or that of the job that was faster.
        """
        assert outcome.predictions is not None
        if model is not None:
            model.save_parts(f"{self.folder}/{SHARED}")
        identity = Identity(keys, cell.learner, cell.theta, cell.held_out, sets)
        if self.packed:
            fit = _circumstances(outcome, model, "")
            pickled = model.pickled if model else None
            seal = self.packs.add(identity, outcome.predictions, fit, pickled)
            return _record(keys.cell, seal, fit)
        token, places = new_token(), self._places(cell)
        circumstances = _circumstances(outcome, model, token)
        data, seal = score_file.to_bytes(identity, outcome.predictions, circumstances)
        kinds = set(outcome.predictions.arrays())
        will_do = partial(_will_do, places, keys.cell, kinds, model is not None)
        found = publish(places, data, model.pickled if model else None, token, will_do)
        return record_in(found) if found else _record(keys.cell, seal, circumstances)

    def predictions(self, cell: Cell, expected: str) -> Predictions:
        """The predictions of all held-out rows; an error if the file has not the expected seal."""
        for copy in self._packed(cell):
            if copy.row.seal == expected and (found := copy.predictions()) is not None:
                return found
        scores = self._places(cell).read()
        if scores is None or scores.seal != expected:
            there = self._packed(cell) or self.path(cell, ENDING).exists()
            raise HeldoutError(
                f"the stored scores of {cell} are {'damaged' if there else 'missing'}; "
                "run `heldout check --repair`, then `heldout run`: only such cells are fitted again"
            )
        return scores.predictions

    def flush(self) -> None:
        """Write all packed cells that wait to be written together."""
        self.packs.flush()

    def has(self, learner: str) -> bool:
        """Whether there may be cells of a learner."""
        return (self.folder / learner).is_dir() or self.packs.has(learner)

    def read(self, cell: Cell) -> ScoreFile | None:
        """What is stored of a cell; None if it is missing or damaged."""
        packed = (copy.read() for copy in self._packed(cell))
        return next(filter(None, packed), None) or self._places(cell).read()

    def fitted_model(self, cell: Cell, keys: Keys) -> tuple[Any, Circumstances] | None:
        """The stored model and the circumstances of its fit; None if it is damaged or of another key."""
        for fit, pickled in self._models_of(cell, keys):
            try:
                return unpickled(pickled, self.folder / SHARED), fit
            except (FileNotFoundError, DamagedError):
                continue
        return None

    def _models_of(self, cell: Cell, keys: Keys) -> Iterator[tuple[Circumstances, bytes]]:
        """Intact models of a key, with the circumstances of their fits."""
        for copy in self._packed(cell):
            pickled = copy.model() if copy.row.fit == keys.fit else None
            if pickled is not None and copy.read():
                yield copy.row.circumstances, pickled
        places = self._places(cell)
        scores = places.read()
        if scores and scores.metadata["fit"] == keys.fit and scores.circumstances.model:
            places.finish(scores.circumstances)
            if pickled := read_model(places.model, scores.circumstances.model):
                yield scores.circumstances, pickled

    def open_model(self, cell: Cell, expected: str) -> Any:
        """The model of a cell that has this digest; FileNotFoundError if it is not there."""
        for copy in self._packed(cell):
            if copy.row.model == expected and (pickled := copy.model()):
                return unpickled(pickled, self.folder / SHARED)
        return open_model(self._places(cell).model, expected)

    def model_bytes(self) -> int:
        """The bytes of all models and their shared parts."""
        shared = (self.folder / SHARED).glob("*")
        models = self.folder.glob("*/*/*.model")
        packed = (self.folder / PACKS).glob("*.models")
        return sum(path.stat().st_size for path in (*models, *packed, *shared))

    def prune_models(self, kept: set[str]) -> int:
        """Delete models, but no scores.

        Parameters
        ----------
        kept
            Folders `learner/θ` whose models stay.

        Returns
        -------
        int
            The number of deleted models.
        """
        deleted = self.packs.prune_models(kept)
        for path in self.folder.glob("*/*/*.model"):
            if _folder(path) not in kept:
                path.unlink()
                deleted += 1
        needed = set(self._needed_parts(kept))
        for part in (self.folder / SHARED).glob("*"):
            if part.name not in needed:
                part.unlink()
        return deleted

    def _needed_parts(self, folders: set[str]) -> Iterable[str]:
        """The shared parts of the models in some folders `learner/θ`."""
        for folder in folders:
            for path in (self.folder / folder).glob("*.model"):
                scores = read_score(path.with_suffix(f".{ENDING}"))
                yield from scores.circumstances.shared_parts if scores else ()
        for copy in self.packs.cells():
            if copy.row.shared_parts and copy.folder in folders:
                yield from copy.row.shared_parts

    def adopt(self) -> None:
        """Make the store one of this version: remove scores of an older one, so that all are refitted.

        Models stay until the refit of their cell replaces them.
        """
        if store_version(self.folder) == FORMAT:
            return
        for old in self.folder.glob("*/*/*.score"):
            old.unlink(missing_ok=True)
        write_text(self.folder / FILE, LINE)


def read_score(path: Path | str) -> ScoreFile | None:
    """Read a score file.

    Parameters
    ----------
    path
        ``results/TASK/cells/LEARNER/THETA/SET.safetensors``.

    Returns
    -------
    ScoreFile or None
        None if the file is missing, damaged, or of another version.

    Examples
    --------
    >>> read_score(folder / "full.safetensors") is None
    True
    """
    return Places(str(path), "").read()


def _gives(scores: ScoreFile, needs: str | None) -> bool:
    """Whether a cell has the predictions that a loss needs."""
    return not needs or bool(scores.predictions.arrays().keys() & fields_of(needs))


def _will_do(places: Places, key: str, kinds: set[str], with_model: bool, found: ScoreFile) -> bool:
    """Whether a cell in the store is as good as one that was just fitted."""
    if found.key != key or not kinds <= found.predictions.arrays().keys():
        return False
    places.finish(found.circumstances)
    return not with_model or places.has_model(found.circumstances, up_to=inf)


def _circumstances(outcome: "Outcome", model: PickledModel | None, token: str) -> Circumstances:
    seconds = round(outcome.seconds, 6)
    if model is None:
        return Circumstances(None, (), outcome.engine, seconds, outcome.warnings)
    return Circumstances(
        model.digest,
        tuple(model.parts),
        outcome.engine,
        seconds,
        outcome.warnings,
        len(model.pickled),
        token,
    )


def record_in(scores: ScoreFile) -> Record:
    """What a manifest says of a cell with this score file."""
    return _record(scores.key, scores.seal, scores.circumstances)


def _record(key: str, seal: str, fit: Circumstances) -> Record:
    return Record(key, seal, fit.model, fit.engine, fit.seconds, fit.warnings)


def _folder(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.parent.name}"


def with_stored(outcome: "Outcome", stored: Circumstances) -> "Outcome":
    """New predictions of a stored model, with the seconds and warnings of its fit."""
    return replace(outcome, engine="stored", seconds=stored.seconds, warnings=stored.warnings)
