"""The error of a learner that cannot be built. It carries data; the words are in `cells.preflight`.

So a reworded message changes no key of a cell.
"""

from typing import Any


class LearnerError(Exception):
    """What is wrong (`problem`, one of the names below) and the facts that a message needs."""

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
UNKNOWN_CLASS = "unknown_class"
UNKNOWN_COLUMN = "unknown_column"
NO_COLUMNS = "no_columns"
