"""Forests that several threads grow: each tree from its own seed, so that no number depends on how many there are."""

from contextlib import AbstractContextManager, nullcontext

from joblib import parallel_config

from heldout.learners.definition import FORESTS
from heldout.numerics.pipeline import Builder


def growing(builder: Builder) -> AbstractContextManager[object]:
    """While the model is fitted, its trees are grown by as many threads as the learner has been granted.

    Only its fit may stand inside. Predictions of several threads are added up in the order in which they end.
    The model's own `n_jobs` is not set, so that a stored model is the same, and predicts by one thread.

    Parameters
    ----------
    builder
        The learner's.

    Returns
    -------
    context manager
        One that does nothing for other learners, and for one thread.

    Examples
    --------
    >>> from joblib import effective_n_jobs
    >>> from heldout.learners.learner import define
    >>> from heldout.numerics.pipeline import Columns
    >>> learner = define("forest", {"estimator": "forest", "threads": 3})
    >>> with growing(Builder(learner, Columns(["a"], frozenset({0}), None))):
    ...     effective_n_jobs(None)
    3
    """
    threads = builder.definition.threads
    if threads < 2 or builder.path not in FORESTS:
        return nullcontext()
    return parallel_config(backend="threading", n_jobs=threads)
