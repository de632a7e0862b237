"""What the comparisons of learners say, in a sentence."""

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


def group_sentence(comparisons: Table | None, estimates: Table, scale: Scale) -> str:
    """Which learners cannot be told from the best one; empty if nothing was compared."""
    pairs = {
        (row["learner_a"], row["learner_b"]): row["told_apart"]
        for row in (comparisons.rows if comparisons else [])
        if row.get("told_apart") is not None
    }
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    judge, risks = _risks(estimates, names)
    if not pairs or not risks:
        return ""
    best = min(names, key=lambda name: risks[name])
    alike = like_the_best(pairs, best)
    count = "one pair" if len(pairs) == 1 else f"Holm over all {len(pairs)} pairs"
    title = glossary.estimator(judge).title
    told = _told(alike, best, len(names))
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
