"""What the comparisons of learners say, in a sentence."""

from typing import NamedTuple

from heldout.estimates.alike import like_the_best
from heldout.results import glossary
from heldout.results.display import listed
from heldout.results.scale import Scale
from heldout.results.tables import Table

JUDGES = (
    *("nested_cv_pooled", "nested_cv", "kfold_pooled", "kfold"),
    *("nested_rolling", "rolling"),
)
"""The estimators that say which learner is best: the first that all learners have."""


class Group(NamedTuple):
    """The best learner and those that cannot be told from it."""

    best: str
    alike: list[str]
    judge: str
    """The estimator that says which learner is best."""
    learners: int
    pairs: int


def best_group(comparisons: Table | None, estimates: Table) -> Group | None:
    """Find the learners that cannot be told from the best one; None if nothing was compared."""
    pairs = {
        (row["learner_a"], row["learner_b"]): row["told_apart"]
        for row in (comparisons.rows if comparisons else [])
        if row.get("told_apart") is not None
    }
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    judge, risks = _risks(estimates, names)
    if not pairs or not risks:
        return None
    best = min(names, key=lambda name: risks[name])
    return Group(best, like_the_best(pairs, best), judge, len(names), len(pairs))


def group_sentence(comparisons: Table | None, estimates: Table, scale: Scale) -> str:
    """Which learners cannot be told from the best one; empty if nothing was compared."""
    group = best_group(comparisons, estimates)
    if group is None:
        return ""
    count = "one pair" if group.pairs == 1 else f"Holm over all {group.pairs} pairs"
    title = glossary.estimator(group.judge).title
    told = _told(group.alike, group.best, group.learners)
    return f"{told}, which has the {scale.best} {scale.label} by {title} ({count})."


def _risks(estimates: Table, names: list[str]) -> tuple[str, dict[str, float]]:
    """The risks of learners by the first judge that has all of them."""
    rows = estimates.recommended()
    for judge in JUDGES:
        found = {name: rows[name, judge]["risk"] for name in names if (name, judge) in rows}
        if len(found) == len(names) and None not in found.values():
            return judge, found
    return "", {}


def _told(alike: list[str], best: str, count: int) -> str:
    if alike:
        return f"{listed(alike)} cannot be told from {best}"
    others = {2: "The other learner", 3: "Both other learners"}
    return f"{others.get(count, f'All {count - 1} other learners')} can be told from {best}"
