"""The words of a page: what its estimators and intervals mean, from the registries.

A name that no registry knows, in results of another version, is shown as it is.
"""

from dataclasses import asdict, dataclass
from typing import Any

from heldout.estimates.estimator import Estimator
from heldout.estimates.interval_registry import INTERVALS, Interval
from heldout.estimates.registry import ESTIMATORS


@dataclass(frozen=True)
class Entry:
    """A name, what it means and how far it can be trusted.

    `role` is that of the estimator, `interval`, or `other`; `caveat` completes "This estimate …".
    """

    name: str
    title: str
    role: str
    meaning: str = ""
    formula: str = ""
    caveat: str = ""
    reference: str = ""
    url: str = ""


def estimator(name: str) -> Entry:
    """The entry of an estimator, known or not."""
    found = ESTIMATORS.get(name)
    return _entry(found, found.role) if found else _unknown(name, "other")


def interval(name: str) -> Entry:
    """The entry of an interval, known or not."""
    found = INTERVALS.get(name)
    return _entry(found, "interval") if found else _unknown(name, "interval")


def in_order(names: set[str]) -> list[str]:
    """Estimators in the order of the registry; unknown ones before the honest."""
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


def _unknown(name: str, role: str) -> Entry:
    title = name.replace("_", " ").strip()
    return Entry(name, title[:1].upper() + title[1:] or "–", role)
