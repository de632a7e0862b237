"""The sealed test: the losses of the final model, from its stored predictions for the sealed rows."""

from typing import Any

import numpy as np

from heldout.errors import HeldoutError
from heldout.estimates.evidence import Evidence, Sample, facts_of
from heldout.estimates.intervals import opening_divisor
from heldout.estimates.procedures import ALL
from heldout.estimates.rows import EstimateRow
from heldout.estimates.tables import estimate_rows
from heldout.measures.loss import Loss
from heldout.names import seed_for
from heldout.selection.sealed_predictions import SealedPredictions
from heldout.selection.spec import SealedTestSpec


def test_rows(
    found: SealedPredictions,
    choice: dict[str, Any],
    loss: Loss,
    spec: SealedTestSpec,
    count: int,
) -> list[EstimateRow]:
    """Compute the estimates of the sealed test.

    Parameters
    ----------
    found
        The predictions for the sealed rows.
    choice
        The content of choice.json.
    loss
        The loss.
    spec
        The level.
    count
        The place of this selection among those that these rows have judged.

    Returns
    -------
    list of EstimateRow
        Rows for the selected learner, and the same rows for the choice between learners; none if the
        sealed rows were not opened.
    """
    if not len(found):
        return []
    learner, theta = choice["learner"], choice["theta"]
    try:
        evidence = sealed_evidence(found, loss, spec, count)
    except ValueError as error:
        raise HeldoutError(
            f"'{loss.name}' is not defined on the {len(found)} sealed rows: {error}. They are opened, and another "
            "loss is no new look at them"
        ) from error
    return [
        row
        for name in (learner, ALL)
        for row in estimate_rows(name, "test", theta, evidence, spec.level, learner, loss)
    ]


def sealed_evidence(
    found: SealedPredictions, loss: Loss, spec: SealedTestSpec, count: int
) -> Evidence:
    """The losses on the sealed rows, and what their intervals need."""
    counts = None
    if found.classes is not None:
        counts = np.bincount(found.target, minlength=len(found.classes)).tolist()
    return Evidence(
        "test",
        [loss(found.target, found.predictions, found.weight)],
        [found.unit],
        **facts_of(loss, found.weight, counts),
        divisor=opening_divisor(count),
        seed=seed_for(spec.seed, spec.task, "test", "bootstrap"),
        sample=lambda: Sample(loss, found.target, found.predictions, found.weight),
        times=found.time,
        in_order=found.time is not None,
    )
