"""The score file of a cell: its predictions, in the public format safetensors.

Any reader of safetensors opens it (``safetensors.numpy.load_file``): one array for each of label,
proba, decision and value that the model gives, with the rows of all held-out sets one after another;
a large one with few different values is in two parts (`repeated_rows`).
Its metadata say which cell it is (learner, theta, held_out, and the sizes of its held-out sets), its
key, the digest, the size and the first name of the model file (`publish`), the names of the shared
parts of the model, the engine, the seconds and the warnings of the fit. The seal is the digest of the
arrays and of what identifies the cell; seconds, warnings and the model's bytes may differ between two
fits of the same cell, so they are not sealed. A digest of the whole header tells damage there.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from safetensors.numpy import save

from heldout.cells.key import Keys
from heldout.cells.repeated_rows import coded, decoded
from heldout.cells.version import FORMAT
from heldout.names import Theta, canonical, digest
from heldout.numerics.fit_warning import FitWarning
from heldout.predictions import Predictions

ENDING = "safetensors"
SEALED = ("format", "key", "fit", "learner", "theta", "held_out", "sets")
"""The metadata that identify a cell."""
HEADER = "header"
"""The digest of all other metadata; older files have none."""
LENGTH_BYTES = 8
"""A safetensors file begins with the length of its header, a number of so many bytes."""
DTYPES = {
    "BOOL": "?",
    "U8": "u1",
    "U16": "<u2",
    "U32": "<u4",
    "U64": "<u8",
    "I64": "<i8",
    "F64": "<f8",
}


@dataclass(frozen=True)
class Identity:
    """Which cell a score file belongs to; sealed.

    Parameters
    ----------
    keys
        The digests of all that the cell depends on.
    learner, theta, held_out
        The name of the cell.
    sets
        The number of rows of each held-out set.
    """

    keys: Keys
    learner: str
    theta: Theta
    held_out: str
    sets: dict[str, int]

    @cached_property
    def text(self) -> str:
        """θ as canonical text."""
        return canonical(self.theta)

    def metadata(self) -> dict[str, str]:
        """The entries of the file's header."""
        return {
            "format": FORMAT,
            "key": self.keys.cell,
            "fit": self.keys.fit,
            "learner": self.learner,
            "theta": self.text,
            "held_out": self.held_out,
            "sets": json.dumps(self.sets),
        }


@dataclass(frozen=True)
class Circumstances:
    """What may differ between two fits of the same cell; not sealed.

    Parameters
    ----------
    model
        The digest of the model file; None if no model is kept.
    shared_parts
        The names of the parts that the model shares with others.
    engine
        The name of the engine.
    seconds
        The time that the fit took.
    warnings
        The warnings of the fit.
    model_size
        The bytes of the model file; None if no model is kept, and in older files.
    model_token
        Part of the name that the model file had until the score file was in its place; empty where
        there is no size.
    """

    model: str | None = None
    shared_parts: tuple[str, ...] = ()
    engine: str = ""
    seconds: float = 0.0
    warnings: tuple[FitWarning, ...] = ()
    model_size: int | None = None
    model_token: str = ""

    def metadata(self) -> dict[str, str]:
        """The entries of the file's header."""
        return {
            "model": self.model or "",
            "shared_parts": json.dumps(self.shared_parts),
            "engine": self.engine,
            "seconds": f"{self.seconds:.6f}",
            "warnings": json.dumps(self.warnings),
        } | self._file()

    def _file(self) -> dict[str, str]:
        if self.model_size is None:
            return {}
        return {"model_size": str(self.model_size), "model_token": self.model_token}


@dataclass(frozen=True)
class ScoreFile:
    """The content of a score file; its metadata are parsed when they are needed.

    Parameters
    ----------
    metadata
        The entries of the file's header.
    predictions
        The predictions for the rows of all held-out sets, one set after another.
    """

    metadata: dict[str, str]
    predictions: Predictions

    @property
    def key(self) -> str:
        """The digest of all that the cell depends on."""
        return self.metadata["key"]

    @property
    def seal(self) -> str:
        """The digest of the arrays and of what identifies the cell."""
        return self.metadata["seal"]

    @property
    def header_intact(self) -> bool:
        """Whether all metadata are as they were written; the seal covers some of them only."""
        known = self.identity.metadata() | self.circumstances.metadata() | {"seal": self.seal}
        given = {name: text for name, text in self.metadata.items() if name != HEADER}
        return known == given and _header_holds(self.metadata)

    @cached_property
    def identity(self) -> Identity:
        """Which cell it belongs to."""
        given = self.metadata
        keys = Keys(given["fit"], given["key"])
        theta, sets = json.loads(given["theta"]), json.loads(given["sets"])
        return Identity(keys, given["learner"], theta, given["held_out"], sets)

    @cached_property
    def circumstances(self) -> Circumstances:
        """What else is known of the fit; nothing, if that part of the file is damaged."""
        try:
            return _circumstances(self.metadata)
        except (ValueError, KeyError, TypeError):
            return Circumstances()


def to_bytes(
    identity: Identity, predictions: Predictions, circumstances: Circumstances
) -> tuple[bytes, str]:
    """The bytes of a score file, and its seal.

    Examples
    --------
    >>> identity = Identity(Keys("fit", "cell"), "knn", {"n_neighbors": 5}, "full", {"full": 2})
    >>> data, seal = to_bytes(identity, Predictions(value=np.array([0.5, 1.5])), Circumstances())
    >>> from_bytes(data).predictions.value
    array([0.5, 1.5])
    >>> from_bytes(data[:-1]) is None
    True
    """
    arrays = {name: np.ascontiguousarray(one) for name, one in predictions.arrays().items()}
    seal = seal_of(identity, predictions)
    metadata = identity.metadata() | circumstances.metadata() | {"seal": seal}
    return save(coded(arrays), metadata | {HEADER: digest(canonical(metadata))}), seal


def from_bytes(data: bytes) -> ScoreFile | None:
    """The content of a score file; None if it is damaged or of another version."""
    try:
        metadata, arrays = _parsed(data)
        whole = metadata["seal"] == seal_in(metadata, arrays) and _header_holds(metadata)
        return ScoreFile(metadata, Predictions(**arrays)) if whole else None
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def seal_of(identity: Identity, predictions: Predictions) -> str:
    """The digest of a cell's arrays and of what identifies it, in whatever file they are."""
    return seal_in(identity.metadata(), predictions.arrays())


def seal_in(metadata: dict[str, str], arrays: dict[str, np.ndarray]) -> str:
    """The same from the entries of a header."""
    parts: list[str | bytes] = [metadata[name] for name in SEALED]
    for name in sorted(arrays):
        array = arrays[name]
        parts += [f"{name} {array.dtype.str} {array.shape}", array.tobytes()]
    return digest(*parts)


def _header_holds(metadata: dict[str, str]) -> bool:
    others = {name: text for name, text in metadata.items() if name != HEADER}
    return HEADER not in metadata or metadata[HEADER] == digest(canonical(others))


def _parsed(data: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """The metadata and the arrays, which are views of the data."""
    start = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")
    described = json.loads(data[LENGTH_BYTES:start])
    metadata = described.pop("__metadata__")
    ends = [start + one["data_offsets"][1] for one in described.values()]
    if metadata["format"] != FORMAT or len(data) != max(ends, default=start):
        raise ValueError("a score file of another version, or of another length")
    return metadata, decoded({k: _array(data, start, one) for k, one in described.items()})


def _array(data: bytes, start: int, described: dict[str, Any]) -> np.ndarray:
    first, end = described["data_offsets"]
    dtype = np.dtype(DTYPES[described["dtype"]])
    if (end - first) % dtype.itemsize:
        raise ValueError("an array with a part of a value")
    flat = np.frombuffer(data, dtype, (end - first) // dtype.itemsize, start + first)
    return flat.reshape(described["shape"])


def _circumstances(header: dict[str, str]) -> Circumstances:
    return Circumstances(
        header["model"] or None,
        tuple(json.loads(header["shared_parts"])),
        header["engine"],
        float(header["seconds"]),
        tuple(FitWarning(*one) for one in json.loads(header["warnings"])),
        int(header["model_size"]) if "model_size" in header else None,
        header.get("model_token", ""),
    )
