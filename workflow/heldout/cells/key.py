"""The key of a cell: a digest of everything that can change its numbers, and of nothing else.

That is the data, the training rows, the held-out rows, the learner's definition, θ, the seed, the
numeric code of the engine that fits it, and the versions of the numeric libraries.
"""

from typing import NamedTuple

import numpy as np

from heldout.learners.definition import Definition
from heldout.names import Theta, canonical, digest
from heldout.numerics.engines.registry import COMPOSED, LEAVE_ONE_OUT, engine_of
from heldout.resampling.split import Resample


class Keys(NamedTuple):
    """The two digests of a cell."""

    fit: str
    """Of all that can change the model."""
    cell: str
    """Of all that can change the model or its predictions: the rows to predict too."""


def family(definition: Definition, classification: bool) -> str:
    """The part of a key that all θ of a learner share.

    Parameters
    ----------
    definition
        The learner.
    classification
        Whether the target is one of several classes.

    Returns
    -------
    str
        Canonical JSON of all that a fit depends on, besides θ, rows, seed, code and versions.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> family(define("tree", None), classification=True)
    '{"estimator":"sklearn.tree.DecisionTreeClassifier","native":false,"params":{},"polynomial":false,"scale":false,"source":""}'
    """
    more = {
        "steps": definition.steps,
        "calibrate": definition.calibrate,
        "target": definition.target,
    }
    return canonical(
        {
            **{key: value for key, value in more.items() if value},
            "estimator": definition.path(classification),
            "params": definition.params,
            "scale": definition.scale,
            "polynomial": definition.polynomial,
            "source": definition.source,
            "native": definition.native,
        }
    )


class Keyring:
    """Makes the keys of a task's cells.

    Parameters
    ----------
    data
        The digest of the prepared table.
    classification
        Whether the target is one of several classes.
    code
        The digest of the code of each engine.
    versions
        The versions of the numeric libraries, as JSON.
    weighted
        Whether rows have weights.
    texts
        Whether the table has columns of free text.
    units
        The group of each row, on which calibration inside a training set depends; None if there are none.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> keyring = Keyring("digest of the table", True, {"knn": "digest of its code"}, "{}")
    >>> fold = Resample("fold", np.array([0, 1]), {"fold": np.array([2])})
    >>> thetas = [{"n_neighbors": 1}, {"n_neighbors": 2}]
    >>> one, other = keyring.keys(define("knn", None), fold, thetas, seed=7)
    >>> one == other
    False
    """

    def __init__(
        self,
        data: str,
        classification: bool,
        code: dict[str, str],
        versions: str,
        weighted: bool = False,
        texts: bool = False,
        units: np.ndarray | None = None,
    ):
        self._data, self._classification, self._weighted = data, classification, weighted
        self._texts, self._units = texts, units
        self._code, self._versions = code, versions
        self._engine_codes: dict[tuple[str, str, bool], str] = {}

    def keys(
        self, learner: Definition, resample: Resample, thetas: list[Theta], seed: int
    ) -> list[Keys]:
        """The keys of each θ's cell."""
        common = digest(
            self._data,
            _training_digest(resample),
            family(learner, self._classification),
            str(seed),
            self._versions,
        )
        if learner.calibrate and self._units is not None:
            common = digest(common, self._units_digest(resample))
        held = canonical([[name, _rows_digest(rows)] for name, rows in resample.held.items()])
        texts = [canonical(theta) for theta in thetas]
        fits = [
            digest(common, self._engine_code(learner, bool(resample.members), theta, text), text)
            for theta, text in zip(thetas, texts, strict=True)
        ]
        return [Keys(fit, digest(fit, held)) for fit in fits]

    def _engine_code(self, learner: Definition, members: bool, theta: Theta, text: str) -> str:
        """The code of a θ's engine, looked up once for all training sets."""
        name = learner.name, text, members
        if name not in self._engine_codes:
            about = learner, self._classification, theta, self._weighted, self._texts
            engine = engine_of(*about)
            code = self._code[engine]
            closed_form = members and not self._weighted and engine not in COMPOSED
            both = f"{self._code[LEAVE_ONE_OUT]}:{code}" if closed_form else code
            self._engine_codes[name] = both
        return self._engine_codes[name]

    def _units_digest(self, resample: Resample) -> str:
        """Of the groups of the training rows, whatever they are called."""
        assert self._units is not None
        rows = slice(None) if resample.members else resample.train
        return _rows_digest(np.unique(self._units[rows], return_inverse=True)[1])


def _training_digest(resample: Resample) -> str:
    """Of the training rows; members of leave-one-out train on all rows that they do not hold out."""
    return "all others" if resample.members else _rows_digest(resample.train)


def _rows_digest(rows: np.ndarray) -> str:
    return digest(np.ascontiguousarray(rows, np.int64).tobytes())
