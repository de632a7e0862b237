"""How the two files of a cell get to their places, whoever else writes the same cell at that moment.

Two jobs may write one cell: the run that fitted it was killed while its jobs live on, or the user
started a second one. Their models may differ in their bytes. So a cell changes in one place only:

1. The model is written under a name that nobody else uses, ``.{set}.model.{token}.tmp``.
2. The score file, which says the token, is linked to its place. The link fails if a file is there:
   the first writer wins, and the other one adopts what it finds.
3. The model is renamed to ``{set}.model``. If the writer is killed before, whoever finds the cell
   does it instead.

What is in the way (a cell of another key, a damaged one) is removed under a lock on that very file,
after its own third step. So nobody can rename a model over that of a later cell: its source is gone.
No lock is needed where nothing is in the way.

A file system without hard links or locks leaves a moment in which two writers can mix their files;
`Store.find` then does not find the cell, for the model's size and (if it is small) bytes are compared.
"""

import errno
import fcntl
import io
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from heldout.cells import score_file
from heldout.cells.model_file import LARGE
from heldout.cells.score_file import Circumstances, ScoreFile
from heldout.errors import HeldoutError
from heldout.files import write_in_place
from heldout.names import digest

NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS}
"""What a file system says that has no hard links."""
DONE = {errno.ENOENT, errno.EROFS}
"""What it says if a model no longer waits; for a folder that is only read it does not look."""
PATIENCE = 30.0
"""Seconds to wait for a lock, which is held for some file operations only."""

WillDo = Callable[[ScoreFile], bool]
"""Whether the cell of a score file is as good as the one to be written."""


class Places(NamedTuple):
    """The places of a cell's files."""

    scores: str
    model: str

    def read(self) -> ScoreFile | None:
        """The score file; None if it is missing or damaged."""
        try:
            with open(self.scores, "rb", buffering=0) as file:  # noqa: PTH123
                return score_file.from_bytes(file.readall())
        except FileNotFoundError:
            return None

    def finish(self, fit: Circumstances) -> None:
        """Rename the model of a score file that is in its place, if that has not been done."""
        if fit.model_token:
            try:
                os.rename(_hidden(self.model, fit.model_token), self.model)  # noqa: PTH104
            except OSError as error:
                if error.errno not in DONE:
                    raise

    def has_model(self, fit: Circumstances, up_to: float = LARGE) -> bool:
        """Whether the model in its place is the one that the score file names.

        Larger ones than `up_to` are only compared by size, for it takes time to read them.
        """
        if fit.model is None:
            return False
        try:
            with open(self.model, "rb", buffering=0) as file:  # noqa: PTH123
                size = os.fstat(file.fileno()).st_size
                if fit.model_size not in (None, size):
                    return False
                return size > up_to or digest(file.readall()) == fit.model
        except FileNotFoundError:
            return False


def waiting_model(model: str, fit: Circumstances) -> str | None:
    """The file of a model whose writer was killed before it put it into its place, if there is one.

    Parameters
    ----------
    model
        Its place.
    fit
        What the score file of its cell says.

    Returns
    -------
    str or None
        None if no model waits.

    Examples
    --------
    >>> (folder / ".full.model.ab12.tmp").touch()
    >>> waiting_model(f"{folder}/full.model", Circumstances(model_token="ab12")).endswith("ab12.tmp")
    True
    """
    waiting = _hidden(model, fit.model_token)
    return waiting if fit.model_token and os.path.lexists(waiting) else None


def new_token() -> str:
    """A part of a name that no other writer has."""
    return os.urandom(8).hex()


def publish(
    places: Places, scores: bytes, model: bytes | None, token: str, will_do: WillDo
) -> ScoreFile | None:
    """Put the files of a cell into their places.

    Parameters
    ----------
    places
        The places of the two files.
    scores, model
        Their content; None if no model is kept.
    token
        What the score file says as its `model_token`.
    will_do
        Whether a cell that is already there is as good as this one; its model is in its place then.

    Returns
    -------
    ScoreFile or None
        The score file that another writer has put there before, which stays; None if it is this one.
    """
    waiting, mine = _hidden(places.model, token), _hidden(places.scores, token)
    try:
        if model is not None:
            write_in_place(waiting, model)
        write_in_place(mine, scores)
        found = _link_or_adopt(mine, places, will_do)
    except BaseException:
        _give_up(places, token)
        raise
    finally:
        _unlink(mine)
    if found is not None:
        _unlink(waiting)
    elif model is not None:
        with suppress(FileNotFoundError):  # somebody who found the cell was faster
            os.rename(waiting, places.model)  # noqa: PTH104
    return found


def _hidden(path: str, token: str) -> str:
    folder, name = os.path.split(path)
    return f"{folder}/.{name}.{token}.tmp"


def _link_or_adopt(mine: str, places: Places, will_do: WillDo) -> ScoreFile | None:
    while not _link(mine, places.scores):
        with suppress(FileNotFoundError), _opened(places.scores) as file:
            found = score_file.from_bytes(file.readall())
            if found is not None and will_do(found):
                return found
            _remove(file, found, places)
    return None


def _link(mine: str, place: str) -> bool:
    """Put a file into its place if there is none."""
    try:
        os.link(mine, place)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if os.path.lexists(place):
            return False
        os.rename(mine, place)  # noqa: PTH104
    return True


def _opened(path: str) -> io.FileIO:
    """A file to be locked, which over a network must be open for writing."""
    try:
        return io.FileIO(path, "r+")
    except PermissionError:
        return io.FileIO(path, "r")


def _remove(file: io.FileIO, found: ScoreFile | None, places: Places) -> None:
    """Remove a score file that is in the way, if it still is.

    Only who holds the lock on the file in its place removes it. So between the comparison and the
    removal nobody puts another one there. Its content never changes: it was judged before.
    """
    _lock(file, places.scores)
    if os.path.samestat(os.fstat(file.fileno()), os.stat(places.scores)):  # noqa: PTH116
        if found is not None:
            places.finish(found.circumstances)
        os.unlink(places.scores)  # noqa: PTH108


def _lock(file: io.FileIO, path: str) -> None:
    """Lock a file until it is closed; where there are no locks, go on without."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise HeldoutError(
                    f"'{path}' is locked by another process, which seems to be stopped; "
                    "end that process, then run heldout again"
                ) from None
            time.sleep(0.001)
        except OSError:
            return
        else:
            return


def _give_up(places: Places, token: str) -> None:
    """After an error: remove the waiting model, unless the score file is already in its place."""
    found = places.read()
    if found is None or found.circumstances.model_token != token:
        _unlink(_hidden(places.model, token))


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108
