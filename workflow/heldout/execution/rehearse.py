"""Everything of a task that happens before the first fit, done in a temporary folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from heldout.errors import counted
from heldout.execution.study import Study


@dataclass(frozen=True)
class Rehearsal:
    """What the table of a task is like."""

    summary: str
    notes: list[str]


def rehearse(study: Study, task: str) -> Rehearsal:
    """Read, seal, split and build the learners, as the workflow will; nothing of it is kept."""
    from heldout.cells.plan import open_plan
    from heldout.cells.preflight import checked_builders
    from heldout.data.prepare import prepare
    from heldout.data.request import Request
    from heldout.execution.steps import draw_splits
    from heldout.measures.losses import loss_for

    with TemporaryDirectory(prefix="heldout-check-") as name:
        folder = Path(name)
        request = Request(**_spec(study, "prepare_data", task)["request"])
        facts = prepare(request, folder / "data", folder / "vault")
        for split in study.splits(task):
            draw_splits.main(folder, _spec(study, "draw_splits", task, split=split))
        spec = _spec(study, "fit_cells", task, part="1", parts=str(study.parts(task)))
        plan = open_plan(folder, spec)
        loss = loss_for(spec["loss"], plan.table.classification)
        checked_builders(plan, loss.needs)
        return Rehearsal(_summary(facts, loss.name, len(plan.learners)), facts["notes"])


def _spec(study: Study, step: str, task: str, **wildcards: str) -> dict[str, Any]:
    return json.loads(study.spec(step, task, **wildcards))


def _summary(facts: dict[str, Any], loss: str, learners: int) -> str:
    classes = facts["schema"]["target"]["classes"]
    kind = f"{len(classes)} classes" if classes else "numbers"
    features = len(facts["schema"]["columns"])
    return (
        f"{facts['n']} rows to learn from, {facts['sealed']} sealed, {counted(features, 'feature')}, "
        f"target '{facts['schema']['target']['name']}' ({kind}), loss {loss}, {counted(learners, 'learner')}: ready"
    )
