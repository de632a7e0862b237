"""One step of the workflow: ``python -P -m heldout.execution.step SPEC``, SPEC the file of a job."""

import sys

from heldout.execution.steps.run import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
