"""When the training sets of a job share one search for neighbours, and what is kept of it."""

import math
from typing import NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from heldout.numerics.engines.neighbor_candidates import Trained, Vicinity, bytes_of
from heldout.numerics.neighbors import nearest
from heldout.numerics.preprocessing import Preparation
from heldout.numerics.problem import Job, Origin, Problem

SPARE, MORE = 2.0, 15
"""The size of a vicinity: times the rows that hold k training rows on average, and some rows."""
KEPT, COMPARED = 50, 10
"""What it costs to keep a row of a vicinity, and to compare with it once: in rows of a search."""
LIMIT = 2**28
"""Bytes that the vicinities of a job may take."""


class Query(NamedTuple):
    """Prepared training rows, prepared rows to ask about, and how many neighbours of each."""

    train: np.ndarray
    held: np.ndarray
    k: int


def neighbours(problem: Problem, preprocessing: Pipeline, query: Query) -> np.ndarray:
    """`nearest(*query)`, from vicinities where the job has enough use for them."""
    origin, features = problem.origin, problem.builder.table.features
    plain = len(preprocessing.steps) == 1
    if origin is None or not plain or worth(len(features), _width(query.k, 1.0)) == math.inf:
        return nearest(*query)
    memory = origin.job.memory
    if __name__ not in memory:
        memory[__name__] = Sharing(np.asarray(features), origin.job)
    sharing: Sharing = memory[__name__]
    return sharing.neighbours(origin, preprocessing[0], query)


class Sharing:
    """The vicinities of a job: one for each way to prepare the features."""

    def __init__(self, features: np.ndarray, job: Job):
        self._features = features
        self._searched = np.zeros(len(features))
        """How often the sets' own searches for a row would go through the table."""
        for train, held in job.sets:
            self._searched[held] += len(train) / len(features)
        sizes = [np.count_nonzero(np.bincount(train)) for train, _ in job.sets]
        self._smallest = min(sizes, default=len(features)) / len(features)
        self._vicinities: dict[str, Vicinity] = {}
        self._incomplete: set[str] = set()

    def neighbours(self, origin: Origin, own: Preparation, query: Query) -> np.ndarray:
        """As `nearest` finds them; rows that the vicinity is not certain of are left to it."""
        train, held, k = query
        least = worth(len(self._features), _width(k, self._smallest))
        often = np.flatnonzero(self._searched[origin.held] >= least)
        vicinity = self._vicinity(own, k) if len(often) > len(held) / 2 else None
        if vicinity is None or not vicinity.serves(own):
            return nearest(*query)
        trained = Trained(len(self._features), origin.train, train)
        if not trained.together:
            return nearest(*query)
        certain, found = vicinity.find(origin.held[often], held[often], trained, own, k)
        chosen = np.empty((len(held), k), np.intp)
        chosen[often[certain]] = found
        rest = np.delete(np.arange(len(held)), often[certain])
        if len(rest):
            chosen[rest] = nearest(train, held[rest], k)
        return chosen

    def _vicinity(self, own: Preparation, k: int) -> Vicinity | None:
        """The one for this preparation, if there is or may be one that is large enough."""
        name = str(own.get_params())
        known = self._vicinities.get(name)
        if known is not None:
            if known.k >= k:
                return known
            k = max(k, 2 * known.k)  # a scan asks for one neighbour more each time
        width = _width(k, self._smallest)
        if name in self._incomplete or not self._has_room(name, width):
            return None
        return self._made(name, own, k, width)

    def _has_room(self, name: str, width: int) -> bool:
        others = sum(one.nbytes for other, one in self._vicinities.items() if other != name)
        n = len(self._features)
        return worth(n, width) < math.inf and others + bytes_of(n, width) <= LIMIT

    def _made(self, name: str, own: Preparation, k: int, width: int) -> Vicinity | None:
        reference = Preparation(**own.get_params())
        rows = reference.fit_transform(self._features)
        if len(reference.incomplete_):  # medians stand for what is missing: others in every set
            self._incomplete.add(name)
            return None
        self._vicinities[name] = Vicinity(reference, rows, k, width)
        return self._vicinities[name]


def _width(k: int, share: float) -> int:
    """So many rows that k of them, and some more, are in a training set with this share of all."""
    return math.ceil(SPARE * k / share) + MORE


def worth(n: int, width: int) -> float:
    """How often a row must be searched for in n rows for its vicinity to be quicker.

    m searches are worse than one with a vicinity kept and used m times where
    m·n ≥ n + KEPT·width + m·COMPARED·width.
    """
    spared = n - COMPARED * width
    return (n + KEPT * width) / spared if spared > 0 else math.inf
