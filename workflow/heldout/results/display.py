"""How numbers and θ are shown. The data of the page hold the exact values."""

import math
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

ABSENT = "–"
PERCENT = "\u00a0%"
EQUALS = "\u00a0=\u00a0"
ROUNDING_ERROR = 1e-14
"""Smaller values are shown as 0."""


@dataclass(frozen=True)
class Format:
    """How values are shown: as percentages, with fixed decimals, or in scientific notation."""

    percent: bool = False
    decimals: int = 4
    scientific: bool = False

    def __call__(self, value: float | None, decimals: int | None = None) -> str:
        """One value."""
        if value is None or not math.isfinite(value):
            return ABSENT
        places = self.decimals if decimals is None else decimals
        if self.scientific:
            return f"{value:.3e}"
        text = f"{100 * value if self.percent else value:.{places}f}"
        text = text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")
        return text + PERCENT if self.percent else text


def format_for(loss: str, values: Iterable[float | None]) -> Format:
    """Choose how the values of a loss are shown.

    Parameters
    ----------
    loss
        The name of the loss; zero-one losses (and accuracies) are shown as percentages.
    values
        Values whose median sets the number of decimals: four significant digits.

    Returns
    -------
    Format
        A function of a value that returns its text.

    Examples
    --------
    >>> format_for("squared", [2900.0, 3100.0])(2933.66)
    '2934'
    >>> format_for("absolute", [0.5])(0.51234)
    '0.5123'
    """
    if loss == "zero_one":
        return Format(percent=True, decimals=2)
    sizes = [abs(value) for value in values if value]
    if not sizes:
        return Format()
    order = math.floor(math.log10(statistics.median(sizes)))
    if order < -5 or order > 7:
        return Format(scientific=True)
    return Format(decimals=min(max(3 - order, 0), 6))


def significant(value: Any, digits: int = 4) -> str:
    """A value as text; numbers with a few significant digits."""
    if value is None:
        return ABSENT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return ABSENT
    if abs(value) < ROUNDING_ERROR:
        return "0"
    text = str(value) if isinstance(value, int) else f"{value:.{digits}g}"
    return text.replace("-", "−") if "e" not in text else text


def heads(*texts: str, numbers: Iterable[str]) -> list[tuple[str, str]]:
    """Title the columns of a table, as the templates take them: texts, then numbers.

    Parameters
    ----------
    texts, numbers
        The titles of columns of text, and of those of numbers.

    Returns
    -------
    list of tuple
        Each title with the class of its cells.

    Examples
    --------
    >>> heads("Learner", numbers=["Risk"])
    [('Learner', ''), ('Risk', 'number')]
    """
    return [*((title, "") for title in texts), *((title, "number") for title in numbers)]


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    Parameters
    ----------
    names
        One or more.

    Returns
    -------
    str
        Separated by commas, the last by "and".

    Examples
    --------
    >>> listed(["knn", "ridge", "tree"])
    'knn, ridge and tree'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def theta_text(theta: dict[str, Any]) -> str:
    """Write θ as text.

    Parameters
    ----------
    theta
        The hyper-parameters.

    Returns
    -------
    str
        Names and values; the spaces around `=` do not break.

    Examples
    --------
    >>> theta_text({"alpha": 100.0, "degree": 2}).replace("\\u00a0", " ")
    'alpha = 100, degree = 2'
    """
    return ", ".join(f"{key}{EQUALS}{_theta_value(value)}" for key, value in theta.items())


def _theta_value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return "{" + ", ".join(map(str, value)) + "}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


_SUBSCRIPT = re.compile(r"_(?:\{([^{}]*)\}|([A-Za-zθΘ]\u0302?)(?![A-Za-z0-9]))")


def formula(text: str) -> Markup:
    """HTML of a formula: `A_θ(S)` and `Σ_{i∈V}` get subscripts, everything else is escaped."""
    return Markup(_SUBSCRIPT.sub(r"<sub>\1\2</sub>", str(escape(text))))
