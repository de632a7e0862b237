"""The cell store: a model and a score file per (learner, θ, held-out set), in readable folders.

``cells/{learner}/{theta}/{set}.safetensors`` holds the predictions (`score_file`), ``{set}.model``
the fitted Pipeline (`model_file`). The score file is written last, so a cell exists when its score
file is whole.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.cells import score_file
from heldout.cells.key import Keys
from heldout.cells.model_file import SHARED, DamagedError, PickledModel, open_model
from heldout.cells.score_file import ENDING, Circumstances, Identity, ScoreFile
from heldout.cells.version import FILE, FORMAT, store_version
from heldout.errors import HeldoutError
from heldout.files import write_bytes, write_text
from heldout.names import Theta, theta_name
from heldout.numerics.fit_warning import FitWarning
from heldout.predictions import Predictions

if TYPE_CHECKING:
    from heldout.numerics.problem import Outcome


@dataclass(frozen=True)
class Cell:
    """The name of a fit: which learner, which θ, and what training did not see."""

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
    """A cell's line in a manifest: its key, the seal of its scores, the digest of its model, …"""

    key: str
    score: str
    model: str | None
    engine: str
    seconds: float
    warnings: tuple[FitWarning, ...] = ()


class Store:
    """The cells of one task."""

    def __init__(self, folder: Path):
        self.folder = folder

    def path(self, cell: Cell, ending: str) -> Path:
        """Where a cell's scores (`safetensors`) or its model (`model`) lie."""
        return Path(self._place(cell, ending))

    def _place(self, cell: Cell, ending: str) -> str:
        return f"{self.folder}/{cell.learner}/{cell.theta_name}/{cell.held_out}.{ending}"

    def find(
        self, cell: Cell, key: str, with_model: bool, needs: str | None = None
    ) -> Record | None:
        """The record of a whole cell with this key that predicts what is needed, or None."""
        found = self.read(cell)
        if found is None or found.key != key:
            return None
        if needs and needs not in found.predictions.arrays():
            return None
        model = found.circumstances.model
        if with_model and not (model and os.path.isfile(self._place(cell, "model"))):  # noqa: PTH113
            return None
        return _record(found.key, found.seal, found.circumstances)

    def write(
        self,
        cell: Cell,
        keys: Keys,
        sets: dict[str, int],
        outcome: "Outcome",
        model: PickledModel | None,
    ) -> Record:
        """Write the model, if any, and then the scores.

        Parameters
        ----------
        cell, keys
            Which cell it is.
        sets
            The number of rows of each held-out set.
        outcome
            The predictions of all held-out rows, and what else is known of the fit.
        model
            The pickled model; None if none is kept.
        """
        assert outcome.predictions is not None
        if model is not None:
            model.save(f"{self.folder}/{SHARED}", self._place(cell, "model"))
        identity = Identity(keys, cell.learner, cell.theta, cell.held_out, sets)
        about = Circumstances(
            model.digest if model else None,
            tuple(model.parts) if model else (),
            outcome.engine,
            round(outcome.seconds, 6),
            outcome.warnings,
        )
        data, seal = score_file.to_bytes(identity, outcome.predictions, about)
        write_bytes(self._place(cell, ENDING), data)
        return _record(keys.cell, seal, about)

    def predictions(self, cell: Cell, expected: str) -> Predictions:
        """The predictions of all held-out rows, if the file still has the seal that is expected."""
        found = self.read(cell)
        if found is None or found.seal != expected:
            state = "damaged" if self.path(cell, ENDING).exists() else "missing"
            raise HeldoutError(
                f"the stored scores of {cell} are {state}; "
                "run `heldout check`, then snakemake again: only such cells are fitted anew"
            )
        return found.predictions

    def read(self, cell: Cell) -> ScoreFile | None:
        """The score file of a cell; None if it is missing or damaged."""
        return read_score(self._place(cell, ENDING))

    def fitted_model(self, cell: Cell, keys: Keys) -> tuple[Any, Circumstances] | None:
        """The stored model, if it is whole and was fitted as `keys` ask, and what is known of its fit."""
        found = self.read(cell)
        if found is None or found.metadata["fit"] != keys.fit or not found.circumstances.model:
            return None
        try:
            model = open_model(self._place(cell, "model"), found.circumstances.model)
        except (FileNotFoundError, DamagedError):
            return None
        return model, found.circumstances

    def prune_models(self, kept: set[str]) -> int:
        """Delete the models of all θ whose folder `learner/θ` is not kept; scores stay."""
        gone = [path for path in self._models() if _folder(path) not in kept]
        for path in gone:
            path.unlink()
        needed = set(self._needed_parts(self._models()))
        for part in (self.folder / SHARED).glob("*"):
            if part.name not in needed:
                part.unlink()
        return len(gone)

    def _models(self) -> list[Path]:
        return list(self.folder.glob("*/*/*.model"))

    def _needed_parts(self, models: Iterable[Path]) -> Iterable[str]:
        for path in models:
            found = read_score(path.with_name(f"{path.name.removesuffix('model')}{ENDING}"))
            yield from found.circumstances.shared_parts if found else ()

    def adopt(self) -> None:
        """Make the store one of this version: scores of an older one are removed, to be fitted anew.

        Models stay until the refit of their cell replaces them.
        """
        if store_version(self.folder) == FORMAT:
            return
        for old in self.folder.glob("*/*/*.score"):
            old.unlink(missing_ok=True)
        write_text(self.folder / FILE, f"{FORMAT}\n")


def read_score(path: Path | str) -> ScoreFile | None:
    """The score file at a path; None if it is missing, damaged, or of another version."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return score_file.from_bytes(file.readall())
    except FileNotFoundError:
        return None


def _record(key: str, seal: str, about: Circumstances) -> Record:
    return Record(key, seal, about.model, about.engine, about.seconds, about.warnings)


def _folder(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.parent.name}"


def with_stored(outcome: "Outcome", about: Circumstances) -> "Outcome":
    """New predictions of a stored model, with what was known of its fit."""
    return replace(outcome, engine="stored", seconds=about.seconds, warnings=about.warnings)
