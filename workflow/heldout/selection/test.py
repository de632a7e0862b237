"""The sealed test: the losses of the final model on rows that no other step reads."""

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.data.schema import schema_from_json
from heldout.estimates.evidence import Evidence
from heldout.estimates.procedures import ALL
from heldout.estimates.rows import EstimateRow
from heldout.estimates.tables import estimate_rows
from heldout.measures.losses import loss_for
from heldout.names import seed_for
from heldout.selection.final import Predictor
from heldout.selection.spec import SealedTestSpec

if TYPE_CHECKING:
    import pyarrow as pa


def test_rows(
    predictor: Predictor,
    sealed: "pa.Table",
    selection: dict[str, Any],
    spec: SealedTestSpec,
    openings: int,
) -> list[EstimateRow]:
    """Compute the estimates of the sealed test.

    Parameters
    ----------
    predictor
        The final model.
    sealed
        The sealed rows.
    selection
        The content of selection.json.
    spec
        The loss, the level and the groups.
    openings
        The number of selections that these rows have been used for, this one included.

    Returns
    -------
    list of EstimateRow
        Rows for the selected learner, and the same rows for the choice between learners.
    """
    learner, theta = selection["learner"], selection["theta"]
    evidence = _evidence(predictor, sealed, spec, openings)
    return [
        row
        for name in (learner, ALL)
        for row in estimate_rows(name, "test", theta, evidence, spec.level, learner)
    ]


def _evidence(
    predictor: Predictor, sealed: "pa.Table", spec: SealedTestSpec, openings: int
) -> Evidence:
    schema = schema_from_json(predictor.schema)
    target = schema.target.encode(sealed.column(schema.target.name).combine_chunks())
    loss = loss_for(spec.loss, schema.target.classification)
    losses = loss(target, predictor.predictions(sealed))
    return Evidence(
        "test",
        [losses],
        [_units(sealed, spec.groups)],
        bound=loss.bound,
        binary=loss.name == "zero_one",
        comparisons=openings,
        seed=seed_for(spec.seed, spec.task, "test", "bootstrap"),
    )


def _units(sealed: "pa.Table", groups: str | None) -> np.ndarray:
    """The group of each row; the row itself where there are no groups."""
    if groups is None or groups not in sealed.column_names:
        return np.arange(sealed.num_rows)
    names = np.array(sealed.column(groups).to_pylist(), str)
    return np.unique(names, return_inverse=True)[1]
