"""One batch of an audit's replicates → one file of arrays."""

from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from heldout.audit.batch import stack, write_batch
from heldout.audit.replicate import Auditor, Setup
from heldout.audit.source import open_source
from heldout.estimates.rules import Rule
from heldout.learners.learner import Learner


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Run the replicates of the batch, one after another."""
    auditor, m = Auditor(setup_of(folder, spec)), spec["m"]
    first, count = spec["first"], spec["count"]
    with threadpool_limits(1):  # thousands of small fits: threads would only wait for one another
        replicates = [auditor.replicate(m, number) for number in range(first, first + count)]
    write_batch(folder / "audit" / f"m{m}" / f"batch-{spec['batch']}.npz", stack(replicates))
    print(f"replicates {first} to {first + count - 1} at m = {m}")


def setup_of(folder: Path, spec: dict[str, Any]) -> Setup:
    """What the spec says about the replicates."""
    return Setup(
        task=spec["task"],
        seed=spec["seed"],
        learners=[Learner(**learner) for learner in spec["learners"]],
        loss_name=spec["loss"],
        kinds=spec["kinds"],
        estimators=spec["estimators"],
        settings=spec["settings"],
        stratify=spec["stratify"],
        by=spec["by"],
        rule=Rule(**spec["rule"]),
        level=spec["level"],
        test=spec["test"],
        source=open_source(folder, spec["data"], spec["oracle"], spec["truth"]),
    )
