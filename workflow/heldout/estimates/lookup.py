"""Which estimators there are, and which cells they need: lookups in the registry of estimators.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Container, Iterable

from heldout.estimates.estimator import Estimator
from heldout.estimates.registry import ESTIMATORS
from heldout.resampling.kinds import HALVES, IMPLIED, KINDS, ROUNDS


def estimator_names() -> list[str]:
    """List the estimators that the config may name.

    Returns
    -------
    list of str
        Names, in the order of the registry.

    Examples
    --------
    >>> estimator_names()[:4]
    ['training', 'holdout', 'kfold', 'kfold_adjusted']
    """
    return [entry.name for entry in ESTIMATORS.values() if entry.comes_with is None]


def default_estimators(in_time: bool = False) -> list[str]:
    """List the estimators that are computed where the config names none.

    Parameters
    ----------
    in_time
        Whether rows are in time order.

    Returns
    -------
    list of str
        Names, in the order of the registry.

    Examples
    --------
    >>> default_estimators()
    ['training', 'holdout', 'kfold', 'min_cv', 'nested_cv', 'test']
    >>> default_estimators(in_time=True)
    ['training', 'holdout', 'rolling', 'nested_rolling', 'test']
    """
    if in_time:
        return [entry.name for entry in ESTIMATORS.values() if entry.in_time]
    return [entry.name for entry in ESTIMATORS.values() if entry.by_default]


def selector_names() -> list[str]:
    """List the estimators that `select.by` may name.

    Returns
    -------
    list of str
        Names, in the order of the registry.

    Examples
    --------
    >>> selector_names()
    ['holdout', 'kfold', 'loo', 'montecarlo', 'bootstrap', 'rolling']
    """
    return [entry.name for entry in ESTIMATORS.values() if entry.selects]


def nested_among(names: Container[str]) -> list[str]:
    """List the nested estimators among some.

    Parameters
    ----------
    names
        Names of estimators.

    Returns
    -------
    list of str
        Those that select θ in every outer fold, in the order of the registry.

    Examples
    --------
    >>> nested_among(["kfold", "nested_cv", "test"])
    ['nested_cv']
    """
    return [entry.name for entry in ESTIMATORS.values() if entry.nested and entry.name in names]


def outer_among(names: Container[str]) -> list[str]:
    """List the estimators among some that choose θ in every outer fold, or before every block.

    Parameters
    ----------
    names
        Names of estimators.

    Returns
    -------
    list of str
        Names, in the order of the registry.

    Examples
    --------
    >>> outer_among(["nested_cv", "rolling", "nested_rolling"])
    ['nested_cv', 'nested_rolling']
    """
    return [entry.name for entry in ESTIMATORS.values() if entry.inside and entry.name in names]


def kinds_needed(estimators: Iterable[str], halvings: int = 0) -> list[str]:
    """List the kinds of held-out sets that some estimators need, each set once.

    Parameters
    ----------
    estimators
        Names of estimators.
    halvings
        How often Monte Carlo CV halves the rows.

    Returns
    -------
    list of str
        Kinds, in a fixed order.

    Examples
    --------
    >>> kinds_needed(["training", "kfold", "nested_cv"])
    ['full', 'folds', 'pairs']
    """
    needed = {kind for name in estimators for kind in ESTIMATORS[name].kinds}
    if ROUNDS in needed and halvings:
        needed.add(HALVES)
    needed -= {kind for kind, wider in IMPLIED.items() if wider in needed}
    return [kind for kind in KINDS if kind in needed]


def available_kind(kind: str, available: Container[str]) -> str | None:
    """Find the kind whose cells serve for a kind.

    Parameters
    ----------
    kind
        A kind of held-out sets.
    available
        The kinds whose cells exist.

    Returns
    -------
    str or None
        The kind itself, or a wider kind that includes its cells; None if neither is available.

    Examples
    --------
    >>> available_kind("folds", {"folds_whole", "full"})
    'folds_whole'
    """
    return next((one for one in (kind, IMPLIED.get(kind, kind)) if one in available), None)


def has_cells(estimator: Estimator, available: Container[str]) -> bool:
    """Whether the cells that an estimator needs are of available kinds."""
    return all(available_kind(kind, available) is not None for kind in estimator.kinds)
