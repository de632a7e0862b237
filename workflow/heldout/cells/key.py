"""The key of a cell: a digest of everything that can change its numbers, and of nothing else.

That is the data, the training rows, the held-out rows, the learner's definition, θ, the seed, the
numeric code of the engine that fits it, and the versions of the numeric libraries.
"""

from typing import NamedTuple

import numpy as np

from heldout.learners.definition import Definition
from heldout.names import Theta, canonical, digest
from heldout.numerics.engines.registry import LEAVE_ONE_OUT, engine_of
from heldout.resampling.split import Resample


class Keys(NamedTuple):
    """Digests of all that can change the model (`fit`), and its model or scores (`cell`)."""

    fit: str
    cell: str


def family(definition: Definition, classification: bool) -> str:
    """Canonical text of all that a fit depends on besides θ, rows and seed."""
    return canonical(
        {
            "estimator": definition.path(classification),
            "params": definition.params,
            "scale": definition.scale,
            "polynomial": definition.polynomial,
            "source": definition.source,
        }
    )


class Keyring:
    """Makes the keys of a task's cells."""

    def __init__(self, data: str, classification: bool, code: dict[str, str], versions: str):
        """`data` is the digest of the prepared table, `code` that of each engine."""
        self._data, self._classification = data, classification
        self._code, self._versions = code, versions

    def keys(
        self, learner: Definition, resample: Resample, thetas: list[Theta], seed: int
    ) -> list[Keys]:
        """The keys of each θ's cell."""
        common = digest(
            self._data,
            _trained(resample),
            family(learner, self._classification),
            str(seed),
            self._versions,
        )
        held = canonical([[name, _rows_digest(rows)] for name, rows in resample.held.items()])
        fits = [
            digest(common, self._engine_code(learner, resample, theta), canonical(theta))
            for theta in thetas
        ]
        return [Keys(fit, digest(fit, held)) for fit in fits]

    def _engine_code(self, learner: Definition, resample: Resample, theta: Theta) -> str:
        code = self._code[engine_of(learner, self._classification, theta)]
        return f"{self._code[LEAVE_ONE_OUT]}:{code}" if resample.members else code


def _trained(resample: Resample) -> str:
    """The training rows; the members of leave-one-out train on all rows that they do not hold out."""
    return "all others" if resample.members else _rows_digest(resample.train)


def _rows_digest(rows: np.ndarray) -> str:
    return digest(np.ascontiguousarray(rows, np.int64).tobytes())
