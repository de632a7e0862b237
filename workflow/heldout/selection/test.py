"""The sealed test: the losses of the final model, from its stored predictions for the sealed rows."""

from typing import Any

from heldout.estimates.evidence import Evidence, known_of
from heldout.estimates.intervals import opening_divisor
from heldout.estimates.procedures import ALL
from heldout.estimates.rows import EstimateRow
from heldout.estimates.tables import estimate_rows
from heldout.measures.losses import loss_for
from heldout.names import seed_for
from heldout.selection.sealed_predictions import SealedPredictions
from heldout.selection.spec import SealedTestSpec


def test_rows(
    found: SealedPredictions, choice: dict[str, Any], spec: SealedTestSpec, count: int
) -> list[EstimateRow]:
    """Compute the estimates of the sealed test.

    Parameters
    ----------
    found
        The predictions for the sealed rows.
    choice
        The content of choice.json.
    spec
        The loss and the level.
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
    evidence = _evidence(found, spec, count)
    return [
        row
        for name in (learner, ALL)
        for row in estimate_rows(name, "test", theta, evidence, spec.level, learner)
    ]


def _evidence(found: SealedPredictions, spec: SealedTestSpec, count: int) -> Evidence:
    loss = loss_for(spec.loss, found.classes)
    return Evidence(
        "test",
        [loss(found.target, found.predictions)],
        [found.unit],
        **known_of(loss),
        divisor=opening_divisor(count),
        seed=seed_for(spec.seed, spec.task, "test", "bootstrap"),
    )
