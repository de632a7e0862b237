"""The number of fits behind each estimate, counted in the manifests."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from heldout.estimates.registry import ESTIMATORS
from heldout.names import canonical
from heldout.resampling import kinds
from heldout.results.tables import ALL

_KINDS = (
    (kinds.FULL, re.compile(r"full")),
    (kinds.DEV, re.compile(r"dev")),
    (kinds.PAIRS, re.compile(r"k\d+\.r\d+\.f\d+\+f\d+")),
    (kinds.FOLDS, re.compile(r"k\d+\.r\d+\.f\d+")),
    (kinds.LOO, re.compile(r"loo\..*")),
    (kinds.ROUNDS, re.compile(r"mc\.r\d+")),
    (kinds.BAGS, re.compile(r"bag\.\d+")),
    (kinds.PREFIXES, re.compile(r"t\d+\.b\d+")),
)
"""The kind of a held-out set, by its name."""


def fits_by_estimate(
    manifests: Iterable[dict[str, Any]], estimators: Sequence[str], rows: int
) -> dict[str, dict[str, int]]:
    """For each learner and for `all`: the number of fits, over the whole grid, that an estimator uses."""
    counts: dict[str, Counter[str]] = {ALL: Counter()}
    left_out: set[tuple[str, str]] = set()
    for entry in (entry for manifest in manifests for entry in manifest["cells"]):
        found = Counter(kind for name in entry["sets"] if (kind := kind_of(name)))
        if found.pop(kinds.LOO, 0):
            left_out.add((entry["learner"], canonical(entry["theta"])))
        for name in (entry["learner"], ALL):
            counts.setdefault(name, Counter()).update(found)
    for name, own in counts.items():
        # A cell of leave-one-out is a chunk of rows; together they leave out each row once.
        own[kinds.LOO] = rows * sum(name in (ALL, learner) for learner, _ in left_out)
        own[kinds.ADJACENT] = own[kinds.FOLDS_WHOLE] = own[kinds.FOLDS]
    return {
        learner: {name: fits for name in estimators if (fits := fits_for(name, own))}
        for learner, own in counts.items()
    }


def fits_for(estimator: str, counts: Counter[str]) -> int:
    """The number of fits of an estimator; 1 for the sealed test, which uses the final model."""
    entry = ESTIMATORS.get(estimator)
    if estimator == "test" or entry is None:
        return int(entry is not None)
    return sum(counts[kind] for kind in entry.kinds)


def kind_of(name: str) -> str | None:
    """The kind of a held-out set; None for sets that only intervals use."""
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(name)), None)
