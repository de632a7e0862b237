"""How many fits each estimate rests on, counted in the manifests."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from heldout.names import canonical
from heldout.resampling.kinds import (
    ADJACENT,
    BAGS,
    DEV,
    FOLDS,
    FOLDS_WHOLE,
    FULL,
    LOO,
    NEEDS,
    PAIRS,
    ROUNDS,
)
from heldout.results.task import ALL

_KINDS = (
    (FULL, re.compile(r"full")),
    (DEV, re.compile(r"dev")),
    (PAIRS, re.compile(r"k\d+\.r\d+\.f\d+\+f\d+")),
    (FOLDS, re.compile(r"k\d+\.r\d+\.f\d+")),
    (LOO, re.compile(r"loo\..*")),
    (ROUNDS, re.compile(r"mc\.r\d+")),
    (BAGS, re.compile(r"bag\.\d+")),
)
"""The kind of a held-out set, by its name."""


def fits_by_estimate(
    manifests: Iterable[dict[str, Any]], estimators: Sequence[str], rows: int
) -> dict[str, dict[str, int]]:
    """For each learner and for `all`: the fits of its whole grid that an estimator looks at."""
    counts: dict[str, Counter[str]] = {ALL: Counter()}
    left_out: set[tuple[str, str]] = set()
    for entry in (entry for manifest in manifests for entry in manifest["cells"]):
        found = Counter(kind for name in entry["sets"] if (kind := kind_of(name)))
        if found.pop(LOO, 0):
            left_out.add((entry["learner"], canonical(entry["theta"])))
        for name in (entry["learner"], ALL):
            counts.setdefault(name, Counter()).update(found)
    for name, own in counts.items():
        # A cell of leave-one-out is a chunk of rows; together they leave out each row once.
        own[LOO] = rows * sum(name in (ALL, learner) for learner, _ in left_out)
        own[ADJACENT] = own[FOLDS_WHOLE] = own[FOLDS]
    return {
        learner: {name: fits for name in estimators if (fits := fits_for(name, own))}
        for learner, own in counts.items()
    }


def fits_for(estimator: str, counts: Counter[str]) -> int:
    """The fits of an estimator; the sealed test looks at the final model alone."""
    return 1 if estimator == "test" else sum(counts[kind] for kind in needs_of(estimator))


def kind_of(name: str) -> str | None:
    """The kind of a held-out set; None for one that no estimate of its own looks at."""
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(name)), None)


def needs_of(estimator: str) -> tuple[str, ...]:
    """The kinds that an estimator looks at; variants (`bootstrap_632`) look at what theirs does."""
    names = [name for name in NEEDS if estimator == name or estimator.startswith(f"{name}_")]
    return NEEDS[max(names, key=len)] if names else ()
