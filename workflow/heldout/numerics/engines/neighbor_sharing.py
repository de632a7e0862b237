"""One neighbour search for all training sets of a job, where that is quicker than one for each."""

import math
from typing import NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from heldout.numerics.engines.neighbor_candidates import Candidates, TrainingRows, bytes_of
from heldout.numerics.neighbors import nearest
from heldout.numerics.preprocessing import Preprocessor
from heldout.numerics.problem import Job, Origin, Problem

SPARE, MORE = 2.0, 15
"""Candidates per row: SPARE times as many as hold k training rows on average, and MORE."""
KEPT, COMPARED = 50, 10
"""The cost of keeping one candidate, and of comparing with it once, in rows of a search."""
LIMIT = 2**28
"""Bytes that all candidates of a job may take."""


class Query(NamedTuple):
    """Preprocessed training rows, preprocessed held-out rows, and how many neighbours of each."""

    train: np.ndarray
    held: np.ndarray
    k: int


def neighbors(problem: Problem, preprocessing: Pipeline, query: Query) -> np.ndarray:
    """The same as `nearest(*query)`; from shared candidates where they save time."""
    origin, plain = problem.origin, len(preprocessing.steps) == 1
    if origin is None or not plain:
        return nearest(*query)
    features, memory = origin.job.features, origin.job.memory
    if worth(len(features), _width(query.k, 1.0)) == math.inf:
        return nearest(*query)
    if __name__ not in memory:
        memory[__name__] = Sharing(np.asarray(features), origin.job)
    sharing: Sharing = memory[__name__]
    return sharing.neighbors(origin, preprocessing[0], query)


class Sharing:
    """The candidates of a job, for each way of preprocessing the features."""

    def __init__(self, features: np.ndarray, job: Job):
        self._features = features
        self._searched = np.zeros(len(features))
        """How many searches through the table the training sets would need for each row."""
        for train, held in job.sets:
            self._searched[held] += len(train) / len(features)
        sizes = [np.count_nonzero(np.bincount(train)) for train, _ in job.sets]
        self._smallest = min(sizes, default=len(features)) / len(features)
        self._known: dict[str, Candidates] = {}
        self._incomplete: set[str] = set()

    def neighbors(self, origin: Origin, own: Preprocessor, query: Query) -> np.ndarray:
        """As `nearest` finds them; it searches for the rows whose candidates leave a doubt."""
        train, held, k = query
        least = worth(len(self._features), _width(k, self._smallest))
        often = np.flatnonzero(self._searched[origin.held] >= least)
        candidates = self._candidates_for(own, k) if len(often) > len(held) / 2 else None
        if candidates is None or not candidates.serves(own):
            return nearest(*query)
        trained = TrainingRows(len(self._features), origin.train, train)
        if not trained.copies_adjacent:
            return nearest(*query)
        certain, found = candidates.find(origin.held[often], held[often], trained, own, k)
        chosen = np.empty((len(held), k), np.intp)
        chosen[often[certain]] = found
        rest = np.delete(np.arange(len(held)), often[certain])
        if len(rest):
            chosen[rest] = nearest(train, held[rest], k)
        return chosen

    def _candidates_for(self, own: Preprocessor, k: int) -> Candidates | None:
        """The one for this preprocessing, if there is or may be one that is large enough."""
        name = str(own.get_params())
        known = self._known.get(name)
        if known is not None:
            if known.k >= k:
                return known
            k = max(k, 2 * known.k)  # a scan asks for one neighbour more each time
        width = _width(k, self._smallest)
        if name in self._incomplete or not self._has_room(name, width):
            return None
        return self._made(name, own, k, width)

    def _has_room(self, name: str, width: int) -> bool:
        others = sum(one.nbytes for other, one in self._known.items() if other != name)
        n = len(self._features)
        return worth(n, width) < math.inf and others + bytes_of(n, width) <= LIMIT

    def _made(self, name: str, own: Preprocessor, k: int, width: int) -> Candidates | None:
        reference = Preprocessor(**own.get_params())
        rows = reference.fit_transform(self._features)
        if len(
            reference.incomplete_
        ):  # medians replace missing values, and each training set has its own
            self._incomplete.add(name)
            return None
        self._known[name] = Candidates(reference, rows, k, width)
        return self._known[name]


def _width(k: int, share: float) -> int:
    """How many candidates of a row: enough that k of them are in a training set with this share of rows."""
    return math.ceil(SPARE * k / share) + MORE


def worth(n: int, width: int) -> float:
    """How often a row must be searched for in n rows for its candidates to be quicker.

    m searches cost more than one search whose candidates are kept and used m times where
    m·n ≥ n + KEPT·width + m·COMPARED·width.
    """
    spared = n - COMPARED * width
    return (n + KEPT * width) / spared if spared > 0 else math.inf
