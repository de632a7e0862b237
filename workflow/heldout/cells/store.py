"""The cell store: a model and a score file per (learner, θ, held-out set), in readable folders.

``cells/{learner}/{theta}/{set}.safetensors`` holds the predictions (`score_file`), ``{set}.model``
the fitted Pipeline (`model_file`). How they get there, so that a cell is whole or not found, is
described in `publish`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.cells import score_file
from heldout.cells.key import Keys
from heldout.cells.model_file import SHARED, DamagedError, PickledModel, open_model
from heldout.cells.publish import Places, new_token, publish
from heldout.cells.score_file import ENDING, Circumstances, Identity, ScoreFile
from heldout.cells.version import FILE, FORMAT, LINE, store_version
from heldout.errors import HeldoutError
from heldout.files import write_text
from heldout.measures.needs import fields_of
from heldout.names import Theta, theta_name
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

    Examples
    --------
    >>> store = Store(folder / "cells")
    >>> store.path(Cell("knn", {"n_neighbors": 5}, "full"), "model").relative_to(folder).as_posix()
    'cells/knn/n_neighbors=5/full.model'
    """

    def __init__(self, folder: Path):
        self.folder = folder

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
        scores = self.read(cell)
        if scores is None or scores.key != key:
            return None
        if needs and not scores.predictions.arrays().keys() & fields_of(needs):
            return None
        places = self._places(cell)
        places.finish(scores.circumstances)
        if with_model and not places.has_model(scores.circumstances):
            return None
        return record_in(scores)

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
        token, places = new_token(), self._places(cell)
        identity = Identity(keys, cell.learner, cell.theta, cell.held_out, sets)
        circumstances = _circumstances(outcome, model, token)
        data, seal = score_file.to_bytes(identity, outcome.predictions, circumstances)
        kinds = set(outcome.predictions.arrays())
        will_do = partial(_will_do, places, keys.cell, kinds, model is not None)
        found = publish(places, data, model.pickled if model else None, token, will_do)
        return record_in(found) if found else _record(keys.cell, seal, circumstances)

    def predictions(self, cell: Cell, expected: str) -> Predictions:
        """The predictions of all held-out rows; an error if the file has not the expected seal."""
        scores = self.read(cell)
        if scores is None or scores.seal != expected:
            state = "damaged" if self.path(cell, ENDING).exists() else "missing"
            raise HeldoutError(
                f"the stored scores of {cell} are {state}; "
                "run `heldout check --repair`, then `heldout run`: only such cells are fitted again"
            )
        return scores.predictions

    def read(self, cell: Cell) -> ScoreFile | None:
        """The score file of a cell; None if it is missing or damaged."""
        return read_score(self._file(cell, ENDING))

    def fitted_model(self, cell: Cell, keys: Keys) -> tuple[Any, Circumstances] | None:
        """The stored model and the circumstances of its fit; None if it is damaged or of another key."""
        scores = self.read(cell)
        if scores is None or scores.metadata["fit"] != keys.fit or not scores.circumstances.model:
            return None
        places = self._places(cell)
        places.finish(scores.circumstances)
        try:
            model = open_model(places.model, scores.circumstances.model)
        except (FileNotFoundError, DamagedError):
            return None
        return model, scores.circumstances

    def model_bytes(self) -> int:
        """The bytes of all models and their shared parts."""
        shared = (self.folder / SHARED).glob("*")
        models = self.folder.glob("*/*/*.model")
        return sum(path.stat().st_size for path in (*models, *shared))

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
        deleted = [path for path in self._models() if _folder(path) not in kept]
        for path in deleted:
            path.unlink()
        needed = set(self._needed_parts(self._models()))
        for part in (self.folder / SHARED).glob("*"):
            if part.name not in needed:
                part.unlink()
        return len(deleted)

    def _models(self) -> list[Path]:
        return list(self.folder.glob("*/*/*.model"))

    def _needed_parts(self, models: Iterable[Path]) -> Iterable[str]:
        for path in models:
            scores = read_score(path.with_name(f"{path.name.removesuffix('model')}{ENDING}"))
            yield from scores.circumstances.shared_parts if scores else ()

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
