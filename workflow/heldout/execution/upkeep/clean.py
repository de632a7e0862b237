"""What may be removed: cells that the config no longer names, and files of earlier runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from heldout.cells.manifest import read_manifests
from heldout.cells.model_file import SHARED
from heldout.cells.store import read_score
from heldout.cells.verify import MANIFESTS, theta_folder
from heldout.execution.batches import batch_numbers
from heldout.execution.jobs import SPECS
from heldout.execution.study import Study
from heldout.execution.upkeep.files import CELLS
from heldout.execution.upkeep.folder import Folder, Results
from heldout.execution.upkeep.freshness import Freshness
from heldout.names import theta_name

ENDINGS = (".safetensors", ".model", ".score")
"""Of the files of cells."""


@dataclass(frozen=True)
class Removal:
    """Some files that are not needed.

    Parameters
    ----------
    what
        What they are.
    files
        The files.

    Examples
    --------
    >>> (folder / "knn" / "n_neighbors=5").mkdir(parents=True)
    >>> model = folder / "knn" / "n_neighbors=5" / "full.model"
    >>> _ = model.write_bytes(b"123")
    >>> removal = Removal("models", [model])
    >>> removal.bytes
    3
    >>> removal.carry_out()
    >>> list(folder.iterdir())
    []
    """

    what: str
    files: list[Path]

    @cached_property
    def bytes(self) -> int:
        """How much they hold."""
        return sum(path.stat().st_size for path in self.files)

    def carry_out(self) -> None:
        """Remove them, and the folders that are empty then."""
        _ = self.bytes
        for path in self.files:
            path.unlink(missing_ok=True)
        for folder in {path.parent for path in self.files}:
            for one in (folder, folder.parent):  # those of θ and learner, or of job and task
                if one.is_dir() and not any(one.iterdir()):
                    one.rmdir()


def removals(study: Study, root: Path) -> list[Removal]:
    """Everything that may go.

    Parameters
    ----------
    study
        The present config.
    root
        The folder of all results.

    Returns
    -------
    list of Removal
        Those that hold files. A spec file serves only while its job runs.
    """
    freshness = Freshness(study, Results(root))
    found: list[Removal] = []
    for task in study.tasks:
        found += _of_task(study, task, freshness.folders[task], freshness.batches(task))
    found.append(Removal(f"spec files of earlier jobs in {SPECS}", sorted(SPECS.rglob("*.json"))))
    return [removal for removal in found if removal.files]


def _of_task(study: Study, task: str, folder: Folder, batches: int) -> Iterator[Removal]:
    store, named = folder.path / CELLS, _named(study, task)
    unnamed = [one for one in _theta_folders(store) if not _is_named(one, named)]
    for one in unnamed:
        files = sorted(path for path in one.iterdir() if path.suffix in ENDINGS)
        yield Removal(f"cells that the config does not name in {one}", files)
    parts = _needless_parts(store, set(unnamed))
    yield Removal(f"shared parts of models that are gone in {store / SHARED}", parts)
    yield from _needless_jobs(
        folder, batches, {one.relative_to(store).as_posix() for one in unnamed}
    )


def _named(study: Study, task: str) -> dict[str, set[str] | None]:
    """The folders of θ of each learner; None where the grid has no end, and any θ may be of it."""
    seed = study.config.seed
    return {
        one.name: None if one.endless else {theta_name(theta) for theta in one.thetas(seed)}
        for one in study.task(task).learners
    }


def _is_named(folder: Path, named: dict[str, set[str] | None]) -> bool:
    thetas = named.get(folder.parent.name, set())
    return thetas is None or folder.name in thetas


def _theta_folders(store: Path) -> list[Path]:
    folders = (path for path in sorted(store.glob("*/*")) if path.is_dir())
    return [path for path in folders if path.parent.name not in (SHARED, MANIFESTS)]


def _needless_parts(store: Path, unnamed: set[Path]) -> list[Path]:
    """Shared parts that no model of a named cell holds."""
    needed: set[str] = set()
    for folder in _theta_folders(store):
        if folder not in unnamed:
            for model in folder.glob("*.model"):
                scores = read_score(model.with_suffix(".safetensors"))
                needed.update(scores.circumstances.shared_parts if scores else ())
    return sorted(path for path in (store / SHARED).glob("[!.]*") if path.name not in needed)


def _needless_jobs(folder: Folder, batches: int, gone: Iterable[str]) -> Iterator[Removal]:
    """Fitting jobs of another number of batches, and those whose manifests list cells that go."""
    unnamed = set(gone)
    files: list[Path] = []
    for path in _fitting_files(folder):
        numbers = batch_numbers(path.name)
        if numbers is None:
            continue
        job = f"fit_cells.{numbers[0]}-of-{numbers[1]}"
        manifest = folder.path / CELLS / MANIFESTS / f"{numbers[0]}-of-{numbers[1]}.json"
        if numbers[1] != batches or _lists(manifest, unnamed):
            files += [folder.receipt_file(job), folder.log_file(job), manifest]
    present = [path for path in dict.fromkeys(files) if path.is_file()]
    yield Removal(f"receipts, logs and manifests of earlier fitting jobs in {folder.path}", present)


def _fitting_files(folder: Folder) -> Iterator[Path]:
    """The receipts and logs of all fitting jobs."""
    yield from (path for path in folder.receipt_files if path.name.startswith("fit_cells."))
    yield from sorted(folder.log_file("x").parent.glob("fit_cells.*.log"))


def _lists(manifest: Path, folders: set[str]) -> bool:
    """Whether a manifest lists a cell of one of these folders."""
    if not folders or not manifest.is_file():
        return False
    try:
        index = read_manifests([manifest])
    except (ValueError, KeyError, TypeError):
        return True
    return any(f"{learner}/{theta_folder(theta)}" in folders for learner, theta, _ in index)
