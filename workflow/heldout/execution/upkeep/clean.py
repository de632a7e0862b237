"""What may be removed: cells that the config no longer names, and files of earlier runs."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from heldout.cells.manifest import manifest_paths, read_manifests
from heldout.cells.model_file import SHARED
from heldout.cells.pack import MODELS, PackedCell, read_pack
from heldout.cells.packs import PACKS, Packs, rewrite
from heldout.cells.store import read_score
from heldout.cells.verify import APART, MANIFESTS
from heldout.execution.batches import batch_numbers
from heldout.execution.jobs import SPECS
from heldout.execution.study import Study
from heldout.execution.upkeep.files import CELLS
from heldout.execution.upkeep.folder import Folder, Results
from heldout.execution.upkeep.freshness import Freshness
from heldout.names import theta_folder, theta_name

ENDINGS = (".safetensors", ".model", ".score")
"""Of the files of cells."""
Named = dict[str, set[str] | None]
"""The folders of θ of each learner; None: all."""


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


@dataclass(frozen=True)
class Rewriting(Removal):
    """Cells of packs that are not needed: the packs are written anew without them.

    Parameters
    ----------
    keep
        Whether a cell stays.
    """

    keep: Callable[[PackedCell], bool]

    @cached_property
    def bytes(self) -> int:
        """How much the predictions of these cells hold."""
        cells = (cell for path in self.files for cell in read_pack(path).cells)
        return sum(cell.row.size for cell in cells if not self.keep(cell))

    def carry_out(self) -> None:
        """Write the packs anew."""
        _ = self.bytes
        for path in self.files:
            rewrite(path, self.keep)


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
    gone = {one.relative_to(store).as_posix() for one in unnamed}
    needed, listed = set[str](), _listed(folder, batches)
    for pack, content in Packs(store / PACKS).contents():
        stay = [cell for cell in content.cells if _stays(cell, named, listed)]
        needed.update(part for cell in stay for part in cell.row.shared_parts)
        gone.update(
            cell.folder for cell in content.cells if not _is_named(Path(cell.folder), named)
        )
        if not stay:
            files = [path for path in (pack, pack.with_suffix(MODELS)) if path.is_file()]
            yield Removal(f"cells that the config does not name, or older ones, in {pack}", files)
        elif len(stay) < len(content.cells):
            what = f"some cells that the config does not name, or older ones, in {pack}"
            yield Rewriting(what, [pack], partial(_stays, named=named, listed=listed))
    parts = _needless_parts(store, set(unnamed), needed)
    yield Removal(f"shared parts of models that are gone in {store / SHARED}", parts)
    yield from _needless_jobs(folder, batches, gone)


def _listed(folder: Folder, batches: int) -> dict[str, set[str]]:
    """The seals of all cells that present manifests list, by the name of the cell."""
    found: dict[str, set[str]] = {}
    for path in manifest_paths(folder.path, batches):
        with suppress(OSError, ValueError, KeyError, TypeError):
            for (learner, theta, held_out), record in read_manifests([path]).items():
                name = f"{learner}/{theta_folder(theta)}/{held_out}"
                found.setdefault(name, set()).add(record.score)
    return found


def _stays(cell: PackedCell, named: Named, listed: dict[str, set[str]]) -> bool:
    """Whether a packed cell is named by the config, and no manifest lists another one in its place."""
    seals = listed.get(cell.name)
    return _is_named(Path(cell.folder), named) and (seals is None or cell.row.seal in seals)


def _named(study: Study, task: str) -> Named:
    """The folders of θ of each learner; None where the grid has no end, and any θ may be of it."""
    seed = study.config.seed
    return {
        one.name: None if one.endless else {theta_name(theta) for theta in one.thetas(seed)}
        for one in study.task(task).learners
    }


def _is_named(folder: Path, named: Named) -> bool:
    thetas = named.get(folder.parent.name, set())
    return thetas is None or folder.name in thetas


def _theta_folders(store: Path) -> list[Path]:
    folders = (path for path in sorted(store.glob("*/*")) if path.is_dir())
    return [path for path in folders if path.parent.name not in APART]


def _needless_parts(store: Path, unnamed: set[Path], packed: set[str]) -> list[Path]:
    """Shared parts that no model of a named cell holds; those of packed ones are given."""
    needed = set(packed)
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
