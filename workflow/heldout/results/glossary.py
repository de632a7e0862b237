"""The glossary of a page: its estimators and intervals, explained by the registries.

A name that is in no registry (results of another version may have one) is shown as it is.
"""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from heldout.estimates.estimator import Estimator
from heldout.estimates.interval_registry import INTERVALS, Interval
from heldout.estimates.registry import ESTIMATORS


@dataclass(frozen=True)
class Entry:
    """An estimator or an interval, explained.

    `role` is that of the estimator, `interval`, or `other`; `caveat` completes "This estimate …".
    `targets`: what an interval is for, with the titles of the estimators that it is for that of.
    """

    name: str
    title: str
    role: str
    meaning: str = ""
    formula: str = ""
    caveat: str = ""
    reference: str = ""
    url: str = ""
    targets: dict[str, list[str]] = field(default_factory=dict)


def estimator(name: str) -> Entry:
    """Get the glossary entry of an estimator.

    Parameters
    ----------
    name
        The estimator's name.

    Returns
    -------
    Entry
        Its texts; for a name that is not in the registry, only a title.

    Examples
    --------
    >>> estimator("nested_cv").title
    'Nested CV'
    >>> estimator("brand_new").title
    'Brand new'
    """
    found = ESTIMATORS.get(name)
    return _entry(found, found.role) if found else _unknown(name, "other")


def interval(name: str) -> Entry:
    """Get the glossary entry of an interval.

    Parameters
    ----------
    name
        The interval's name.

    Returns
    -------
    Entry
        Its texts; for a name that is not in the registry, only a title.

    Examples
    --------
    >>> interval("wilson").reference.split(",")[0]
    'Wilson 1927'
    """
    found = INTERVALS.get(name)
    if found is None:
        return _unknown(name, "interval")
    return replace(_entry(found, "interval"), targets=_targets(found))


def in_order(names: set[str]) -> list[str]:
    """Sort estimators from the most optimistic to the most honest.

    Parameters
    ----------
    names
        Names of estimators.

    Returns
    -------
    list of str
        In the order of the registry; names that it lacks come before the honest estimators.

    Examples
    --------
    >>> in_order({"test", "brand_new", "training", "nested_cv"})
    ['training', 'brand_new', 'nested_cv', 'test']
    """
    order = {name: i for i, name in enumerate(ESTIMATORS)}
    honest = next(i for i, entry in enumerate(ESTIMATORS.values()) if entry.role == "honest")
    return sorted(names, key=lambda name: (order.get(name, honest - 0.5), name))


def as_json(names: list[str], intervals: list[str]) -> dict[str, Any]:
    """The entries that a page uses."""
    return {
        "estimators": {name: asdict(estimator(name)) for name in names},
        "intervals": {name: asdict(interval(name)) for name in intervals},
    }


def _entry(of: Estimator | Interval, role: str) -> Entry:
    return Entry(
        of.name, of.title, role, of.meaning, of.formula, of.caveat, of.reference, of.url
    )  # fmt: skip


def _targets(of: Interval) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in of.derived_for:
        found.setdefault(of.target(name), []).append(estimator(name).title)
    return found


def _unknown(name: str, role: str) -> Entry:
    title = name.replace("_", " ").strip()
    return Entry(name, title[:1].upper() + title[1:] or "–", role)
