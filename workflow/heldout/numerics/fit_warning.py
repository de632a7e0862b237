"""A warning of a fit, as it is stored with its cell. Standard library only."""

from typing import NamedTuple


class FitWarning(NamedTuple):
    """The category of a warning, the first line of its text, and how often the fit gave it."""

    category: str
    message: str
    times: int
