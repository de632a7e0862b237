"""What is known of the final model when it has been trained: learner, θ, data, seed and versions."""

import platform
from typing import Any

from heldout import __version__
from heldout.cells.key import family
from heldout.cells.plan import Plan
from heldout.names import Theta, canonical, digest


def identity(plan: Plan, name: str, theta: Theta) -> str:
    """A digest of the selection: learner, θ, and the rows and columns of the training data.

    The ledger of the test set counts the selections with different digests.
    """
    about = family(plan.learner(name), plan.table.classification)
    return digest(plan.table.digest, name, about, canonical(theta))


def training_of(plan: Plan, choice: dict[str, Any]) -> dict[str, Any]:
    """Make the content of training.json, which card.json repeats.

    Parameters
    ----------
    plan
        The table and the learners of a task.
    choice
        The content of choice.json.

    Returns
    -------
    dict
        What a user of the model needs to know about it.
    """
    facts = plan.table.facts
    return {
        "task": plan.task,
        "learner": choice["learner"],
        "theta": choice["theta"],
        "identity": identity(plan, choice["learner"], choice["theta"]),
        "why": choice["why"],
        "trained_on": {
            "rows": plan.table.n,
            "source": facts["source"],
            "digest": plan.table.digest,
        },
        "sealed_rows": facts["sealed"],
        "features": plan.table.names,
        "target": facts["schema"]["target"]["name"],
        "classes": plan.table.classes,
        "weights": facts["weights"],
        "seed": plan.seed,
        "versions": {"heldout": __version__, "python": platform.python_version()},
        "libraries": plan.versions,
    }
