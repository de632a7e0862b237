"""The error of a learner that cannot be built. It carries data; the messages are in `cells.preflight`.

So a reworded message changes no key of a cell.
"""

from typing import Any


class LearnerError(Exception):
    """A learner cannot be built.

    Parameters
    ----------
    problem
        What is wrong: one of the names below.
    facts
        What the message needs: names, known names, an exception.
    """

    def __init__(self, problem: str, **facts: Any):
        super().__init__(problem, facts)
        self.problem = problem
        self.facts = facts


NOT_FOR_TARGET = "not_for_target"
CANNOT_IMPORT = "cannot_import"
NO_SUCH_NAME = "no_such_name"
CANNOT_BE_MADE = "cannot_be_made"
UNKNOWN_PARAMETER = "unknown_parameter"
REFUSED_PARAMETER = "refused_parameter"
UNKNOWN_STEP = "unknown_step"
UNKNOWN_CLASS = "unknown_class"
UNKNOWN_COLUMN = "unknown_column"
NO_COLUMNS = "no_columns"
