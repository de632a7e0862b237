"""What is known of the final model when it has been trained: learner, θ, data, seed and versions."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heldout import __version__
from heldout.cells.key import family
from heldout.cells.plan import Plan
from heldout.measures.positive import positive_class
from heldout.measures.thresholds import THRESHOLD
from heldout.names import Theta, canonical, digest


@dataclass(frozen=True)
class Decision:
    """How labels are decided: from which probability on a row gets the class at position `positive`."""

    threshold: float
    positive: int


def decision_of(
    theta: Theta, named: str | None, classes: Sequence[Any], counts: Sequence[int]
) -> Decision:
    """Find out how the final model decides.

    Parameters
    ----------
    theta
        The selected θ, with its threshold.
    named
        The class that the config calls the positive one, if any.
    classes, counts
        The two labels, and the number of unsealed rows of each.

    Returns
    -------
    Decision
        The threshold and the positive class.

    Examples
    --------
    >>> decision_of({"C": 1, "threshold": 0.2}, None, ["ill", "well"], [20, 80])
    Decision(threshold=0.2, positive=0)
    """
    positive = positive_class(named, classes, counts)
    assert positive is not None
    return Decision(theta[THRESHOLD], positive)


def identity(plan: Plan, name: str, theta: Theta, positive: Any = None) -> str:
    """A digest of the selection: learner, θ, and the rows and columns of the training data.

    Where θ holds a threshold, the class that it is about counts too. The ledger of the test set counts the
    selections with different digests.
    """
    about = family(plan.learner(name), plan.table.classification)
    parts = [plan.table.digest, name, about, canonical(theta)]
    train = plan.resamples[0].train
    if len(train) < plan.table.n:  # a window of rows in time order
        parts.append(canonical(train.tolist()))
    return digest(*parts, *([] if positive is None else [canonical(positive)]))


def training_of(
    plan: Plan, choice: dict[str, Any], decision: Decision | None = None
) -> dict[str, Any]:
    """Make the content of training.json, which card.json repeats.

    Parameters
    ----------
    plan
        The table and the learners of a task.
    choice
        The content of choice.json.
    decision
        How labels are decided, where θ holds a threshold.

    Returns
    -------
    dict
        What a user of the model needs to know about it.
    """
    facts, classes = plan.table.facts, plan.table.classes
    positive = None if decision is None or classes is None else classes[decision.positive]
    return {
        "task": plan.task,
        "learner": choice["learner"],
        "theta": choice["theta"],
        "threshold": None if decision is None else decision.threshold,
        "positive": positive,
        "identity": identity(plan, choice["learner"], choice["theta"], positive),
        "why": choice["why"],
        "trained_on": {
            "rows": len(plan.resamples[0].train),
            "source": facts["source"],
            "digest": plan.table.digest,
        },
        "sealed_rows": facts["sealed"],
        "features": plan.table.names,
        "target": facts["schema"]["target"]["name"],
        "classes": classes,
        "weights": facts["weights"],
        "time": facts.get("time"),
        "seed": plan.seed,
        "versions": {"heldout": __version__, "python": platform.python_version()},
        "libraries": plan.versions,
    }
