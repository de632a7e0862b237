"""One neighbour search for all training sets of a job, where that is quicker than one for each."""

import math
from typing import NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from heldout.numerics.engines.neighbor_candidates import Candidates, TrainingRows, bytes_of
from heldout.numerics.neighbors import nearest
from heldout.numerics.preprocessing import Preprocessor
from heldout.numerics.problem import Job, Origin, Problem

CANDIDATE_FACTOR, EXTRA_CANDIDATES = 2.0, 15
"""Candidates per row: this factor times as many as contain k training rows on average, and some more."""
STORE_COST, COMPARE_COST = 50, 10
"""The cost of storing one candidate, and of comparing with it once, counted in rows of a search."""
MEMORY_LIMIT = 2**28
"""Bytes that all candidates of a job may take."""


class Query(NamedTuple):
    """Preprocessed training rows, preprocessed held-out rows, and how many neighbours of each."""

    train: np.ndarray
    held: np.ndarray
    k: int


def neighbors(problem: Problem, preprocessing: Pipeline, query: Query) -> np.ndarray:
    """The result of `nearest(*query)`, from shared candidates where they save time.

    Parameters
    ----------
    problem
        The training set.
    preprocessing
        Its fitted steps before the model.
    query
        Which neighbours are needed.

    Returns
    -------
    numpy.ndarray
        Positions of training rows, nearest first: a row of k for each held-out row.
    """
    origin, only_prepared = problem.origin, len(preprocessing.steps) == 1
    if origin is None or not only_prepared:
        return nearest(*query)
    features, memory = origin.job.features, origin.job.memory
    if searches_to_pay_off(len(features), candidate_count(query.k, 1.0)) == math.inf:
        return nearest(*query)
    if __name__ not in memory:
        memory[__name__] = Sharing(np.asarray(features), origin.job)
    sharing: Sharing = memory[__name__]
    return sharing.neighbors(origin, preprocessing[0], query)


class Sharing:
    """The candidates of a job, for each way of preprocessing the features."""

    def __init__(self, features: np.ndarray, job: Job):
        self._features = features
        self._searches = np.zeros(len(features))
        """How many searches of the whole table the training sets would need for each row."""
        sizes = []
        for one in job.sets:
            self._searches[one.held_rows] += len(one.train) / len(features)
            sizes.append(np.count_nonzero(np.bincount(one.train)))
        self._smallest_share = min(sizes, default=len(features)) / len(features)
        self._candidates: dict[str, Candidates] = {}
        self._incomplete: set[str] = set()
        """Ways of preprocessing that replace missing values."""

    def neighbors(self, origin: Origin, preprocessor: Preprocessor, query: Query) -> np.ndarray:
        """The neighbours of the held-out rows; rows whose candidates do not suffice are searched for."""
        train, held, k = query
        least = searches_to_pay_off(len(self._features), candidate_count(k, self._smallest_share))
        often = np.flatnonzero(self._searches[origin.held] >= least)
        candidates = self._candidates_for(preprocessor, k) if len(often) > len(held) / 2 else None
        if candidates is None or not candidates.serves(preprocessor):
            return nearest(*query)
        training_rows = TrainingRows(len(self._features), origin.train, train)
        if not training_rows.copies_adjacent:
            return nearest(*query)
        certain, certain_neighbors = candidates.find(
            origin.held[often], held[often], training_rows, preprocessor, k
        )
        chosen = np.empty((len(held), k), np.intp)
        chosen[often[certain]] = certain_neighbors
        rest = np.delete(np.arange(len(held)), often[certain])
        if len(rest):
            chosen[rest] = nearest(train, held[rest], k)
        return chosen

    def _candidates_for(self, preprocessor: Preprocessor, k: int) -> Candidates | None:
        """Candidates for this preprocessing, enough for k neighbours; None if there may be none."""
        if preprocessor.dates or preprocessor.many:
            return None  # they differ between training sets in more than their scales
        name = str(preprocessor.get_params())
        known = self._candidates.get(name)
        if known is not None:
            if known.k >= k:
                return known
            k = max(k, 2 * known.k)  # the scan of an endless grid raises k by one each time
        width = candidate_count(k, self._smallest_share)
        if name in self._incomplete or not self._has_room(name, width):
            return None
        return self._new_candidates(name, preprocessor, k, width)

    def _has_room(self, name: str, width: int) -> bool:
        others = sum(one.nbytes for other, one in self._candidates.items() if other != name)
        n = len(self._features)
        pays_off = searches_to_pay_off(n, width) < math.inf
        return pays_off and others + bytes_of(n, width) <= MEMORY_LIMIT

    def _new_candidates(
        self, name: str, preprocessor: Preprocessor, k: int, width: int
    ) -> Candidates | None:
        reference = Preprocessor(**preprocessor.get_params())
        rows = reference.fit_transform(self._features)
        if len(reference.incomplete_):
            # Each training set replaces missing values by its own medians: distances differ.
            self._incomplete.add(name)
            return None
        self._candidates[name] = Candidates(reference, rows, k, width)
        return self._candidates[name]


def candidate_count(k: int, share: float) -> int:
    """Candidates of a row, so that k of them are in a training set with this share of the rows."""
    return math.ceil(CANDIDATE_FACTOR * k / share) + EXTRA_CANDIDATES


def searches_to_pay_off(n: int, width: int) -> float:
    """How many searches in n rows a row must need for its candidates to be quicker.

    m searches cost more than one search whose candidates are stored and used m times where
    m·n ≥ n + STORE_COST·width + m·COMPARE_COST·width.
    """
    saved = n - COMPARE_COST * width
    return (n + STORE_COST * width) / saved if saved > 0 else math.inf
