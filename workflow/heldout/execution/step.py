"""One step of the workflow: ``python -P -m heldout.execution.step SPEC``, SPEC the file of a job.

``-P`` keeps the working folder from coming first on Python's path: a user's ``random.py`` there
shadows nothing.
"""

from heldout.execution.forkserver.client import main

if __name__ == "__main__":
    main()
