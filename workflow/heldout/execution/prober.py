"""The process that times fits: it reads a job from standard input, and says what it measures.

It runs as a step does: with one thread, and without what the parent has imported. Each line that it says
is a list in JSON: the learner, what was measured, how much, and the seconds.
"""

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from heldout.cells.fit import share
from heldout.cells.plan import open_plan
from heldout.cells.probe import BEGIN, FAILURE, probe
from heldout.decode import decode
from heldout.errors import HeldoutError
from heldout.execution.specs.cells import FitCells
from heldout.learners.learner import Learner
from heldout.names import Theta
from heldout.user_code.search import look_in_study_folder


def main() -> int:
    """Time the learners of a job, which is read from standard input."""
    job = json.load(sys.stdin)
    spoken = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    for place in (1, 2):  # what learners print is for nobody
        os.dup2(silence, place)
    with os.fdopen(spoken, "w") as out:

        def say(name: str, kind: str, amount: Any, seconds: float) -> None:
            out.write(json.dumps([name, kind, amount, seconds]) + "\n")
            out.flush()

        _time_all(job, say)
    return 0


def _time_all(job: dict[str, Any], say: Any) -> None:
    if job["users_code"]:
        look_in_study_folder()
    spec = decode(FitCells, job["spec"], "price")
    folder = Path(job["folder"])
    plan = open_plan(folder, spec.cells)
    mine = {one.name for one, _ in share(plan, 1, spec.batches)}
    for name in job["names"]:
        learner = plan.learner(name)
        say(name, BEGIN, 0, 0.0)
        place = folder / "probe"
        try:
            failure = probe(
                plan, learner, thetas_of(learner, spec), place, spec.models,
                partial(say, name), mine, job["rows"], spec.packed,
            )  # fmt: skip
        except HeldoutError as error:
            failure = str(error)
        if failure:
            say(name, FAILURE, failure, 0.0)


def thetas_of(learner: Learner, spec: FitCells) -> list[Theta]:
    """All θ of a learner; of an endless grid as many as are fitted at most."""
    if learner.endless:
        assert spec.scan is not None
        return learner.first_thetas(spec.scan.maximum)
    return learner.thetas(spec.cells.seed)


if __name__ == "__main__":
    sys.exit(main())
