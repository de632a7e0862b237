"""The scale of a page: what its numbers are called, which way is better, and how they are written."""

from dataclasses import dataclass
from typing import Any

from heldout.measures.loss import Loss
from heldout.results.display import Format, format_for
from heldout.results.tables import Table

LETTERS = "AEFHILMNORSX"
"""Abbreviations that begin with these are spoken with a vowel: an F1, an R²."""


@dataclass(frozen=True)
class Scale:
    """A loss as people read it, and the format of its values."""

    loss: Loss
    show: Format

    @property
    def label(self) -> str:
        """What the value is called, within a sentence."""
        own = self.loss.by_example and self.loss.label == self.loss.name  # of the user
        return f"mean {self.loss.label}" if own else self.loss.label

    @property
    def title(self) -> str:
        """The same as a heading."""
        return capital(self.label)

    @property
    def best(self) -> str:
        """How good values are, compared with all others."""
        return "greatest" if self.loss.greater else "smallest"

    @property
    def direction(self) -> str:
        """Which way is better."""
        return f"{'greater' if self.loss.greater else 'smaller'} is better"

    @property
    def axis(self) -> str:
        """The title of an axis."""
        return f"{self.title}, {self.direction}"

    @property
    def errors(self) -> bool:
        """Whether values are shares of errors."""
        return self.loss.name == "zero_one" and not self.loss.greater

    @property
    def squared(self) -> bool:
        """Whether the root of a value is in the unit of the target."""
        return self.loss.name == "squared"

    def payload(self) -> dict[str, Any]:
        """What the scripts of a page know of the loss."""
        names = ("label", "title", "best", "direction", "axis")
        facts = {
            name: getattr(self.loss, name) for name in ("name", "greater", "optimum", "pooled")
        }
        return facts | {name: getattr(self, name) for name in names}


def scale_of(loss: Loss, estimates: Table) -> Scale:
    """Choose the scale of a task.

    Parameters
    ----------
    loss
        The loss of the task.
    estimates
        Its estimates, which set the number of decimals; those of training rows do not count.

    Returns
    -------
    Scale
        How its values are called and written.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> table = Table(["estimator", "score"], [{"estimator": "kfold", "score": 2933.7}])
    >>> scale_of(LOSSES["squared"], table).show(2933.66)
    '2934'
    """
    shown = [row["score"] for row in estimates.rows if row["estimator"] != "training"]
    return Scale(loss, format_for(loss.name, shown))


def capital(text: str) -> str:
    """A text with a capital letter."""
    return text[:1].upper() + text[1:]


def with_article(label: str) -> str:
    """Put an indefinite article before the name of a measure.

    Parameters
    ----------
    label
        What the value of a measure is called.

    Returns
    -------
    str
        The name as it is spoken after "has".

    Examples
    --------
    >>> with_article("AUC"), with_article("mean squared error")
    ('an AUC', 'a mean squared error')
    """
    first, second = label[:1].upper(), label[1:2]
    spelled = not second.islower()  # an abbreviation: its first letter is spoken by its name
    return f"{'an' if first in (LETTERS if spelled else 'AEIOU') else 'a'} {label}"
