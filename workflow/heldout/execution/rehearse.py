"""Everything of a task that happens before the first fit, done in a temporary folder."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from heldout.execution.specs import build
from heldout.execution.study import Study
from heldout.user_code.search import look_in_study_folder


@dataclass(frozen=True)
class Rehearsal:
    """What was found out about a task: the facts of its table, its loss, and its learners."""

    facts: dict[str, Any]
    loss: str
    learners: int


def rehearse(study: Study, task: str) -> Rehearsal:
    """Read, seal, split and build the learners, as the workflow will; nothing of it is kept."""
    from heldout.cells.plan import open_plan
    from heldout.cells.preflight import checked_builders
    from heldout.data.prepare import prepare
    from heldout.execution.steps import draw_splits
    from heldout.measures.losses import loss_for

    declared = study.task(task)
    with TemporaryDirectory(prefix="heldout-check-") as name:
        folder = Path(name)
        facts = prepare(build.prepare_data(declared), folder / "data", folder / "vault")
        for split in declared.splits:
            draw_splits.main(folder, build.draw_splits(declared, split))
        spec = build.fit_cells(declared, "1", "1")
        plan = open_plan(folder, spec.cells)
        loss = loss_for(spec.loss, plan.table.classification)
        look_in_study_folder()  # only now: what was read so far must not import the user's modules
        checked_builders(plan, loss.needs)
        return Rehearsal(facts, loss.name, len(plan.learners))
