"""Risks as people read them: AUC, F1 and R² as such, and not as what is missing to 1."""

import re
from dataclasses import replace

from heldout.measures.loss import Loss
from heldout.results.tables import Row, Table


def scored(table: Table, loss: Loss) -> Table:
    """Add the columns `score`, `score_low` and `score_high` to a table of risks that lacks them.

    Parameters
    ----------
    table
        Rows with a `risk`, and with the ends of its interval where it has one.
    loss
        The loss of the task.

    Returns
    -------
    Table
        The same rows, with exact values.

    Examples
    --------
    >>> from heldout.measures.score_registry import SCORES
    >>> table = Table(["risk"], [{"risk": 0.25, "ci_low": 0.125, "ci_high": 0.5}])
    >>> [row] = scored(table, SCORES["roc_auc"]).rows
    >>> row["score"], row["score_low"], row["score_high"]
    (0.75, 0.5, 0.875)
    """
    return Table(table.columns, [_scored(row, loss) for row in table.rows])


def _scored(row: Row, loss: Loss) -> Row:
    if "score" in row:
        return row
    low, high = row.get("ci_low"), row.get("ci_high")
    low, high = (high, low) if loss.greater else (low, high)
    ends = {"score": row["risk"], "score_low": low, "score_high": high}
    return row | {name: None if one is None else loss.score(one) for name, one in ends.items()}


def in_words(text: str, loss: Loss | None) -> str:
    """Let a text that speaks of the risk speak of the score, where that is what people read.

    Parameters
    ----------
    text
        What an interval is for.
    loss
        The loss of the task, if it is known.

    Returns
    -------
    str
        The text; unchanged where smaller is better.

    Examples
    --------
    >>> from heldout.measures.score_registry import SCORES
    >>> in_words("the risk of the final model", SCORES["roc_auc"])
    'the AUC of the final model'
    """
    if loss is None or not loss.greater:
        return text
    return re.sub(r"\brisk\b", lambda _: loss.label, text)


def about_the_risk(loss: Loss | None) -> str:
    """Say what the risk is, where people read another number.

    Parameters
    ----------
    loss
        The loss of the task, if it is known.

    Returns
    -------
    str
        A few words; empty where the risk itself is shown.

    Examples
    --------
    >>> from heldout.measures.score_registry import SCORES
    >>> about_the_risk(SCORES["roc_auc"])
    'the risk is 1 − AUC'
    """
    if loss is None or not loss.greater:
        return ""
    return f"the risk is {loss.optimum:g} − {loss.label}" if loss.optimum else f"the risk is −{loss.label}"


def as_read(loss: Loss, estimates: Table) -> Loss:
    """Let a table say that greater is better: a function of the user's own says so only when it is imported.

    Parameters
    ----------
    loss
        The loss without its settings.
    estimates
        Rows with a `risk` and a `score`.

    Returns
    -------
    Loss
        The loss; greater is better where a score differs from its risk.

    Examples
    --------
    >>> from heldout.measures.registry import named_loss
    >>> from heldout.measures.spec import LossSpec
    >>> gain = named_loss(LossSpec("mine.gain"), classification=True)
    >>> as_read(gain, Table(["risk", "score"], [{"risk": -2.0, "score": 2.0}])).greater
    True
    """
    greater = any(row["score"] != row["risk"] for row in estimates.rows)
    return replace(loss, greater=loss.greater or greater)
