"""Scores fitted to the classes of a table: (loss, settings of the config, classes, positive) → loss."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from heldout.errors import HeldoutError
from heldout.measures.loss import Loss


def bind_labels(
    loss: Loss, given: dict[str, Any], classes: Sequence[Any], positive: int | None
) -> Loss:
    """A score of the confusion matrix: its number of classes, the positive one, and β or r."""
    settings = {**loss.settings, "classes": len(classes), "optimum": loss.optimum}
    title, label = loss.title, loss.label
    if loss.two_classes:
        settings["positive"] = positive
    if "fbeta" in given:
        settings["beta"] = given["fbeta"]
        title = label = f"F{given['fbeta']:g}"
    if "precision_at_recall" in given:
        settings["least"] = given["precision_at_recall"]
        title = label = f"precision at a recall of {given['precision_at_recall']:g}"
    return replace(loss, title=title, label=label, settings=settings, positive=positive)


def bind_positive(loss: Loss, _: dict[str, Any], __: Sequence[Any], positive: int | None) -> Loss:
    """A measure of the order of rows: the positive class."""
    return replace(loss, settings={"positive": positive}, positive=positive)


def bind_scorer(
    loss: Loss, _: dict[str, Any], classes: Sequence[Any] | None, positive: int | None
) -> Loss:
    """A scorer of scikit-learn."""
    settings = {
        "name": loss.name,
        "optimum": loss.optimum,
        "classes": classes,
        "positive": positive,
    }
    return replace(loss, settings=settings, positive=positive)


def refuse_classes(loss: Loss, classes: Sequence[Any] | None) -> None:
    """Refuse a loss that is not for this kind of target.

    Parameters
    ----------
    loss
        A loss.
    classes
        The labels; None if targets are numbers.

    Raises
    ------
    HeldoutError
        If it is for two classes and there are others, or for numbers and there are classes.
    """
    if loss.classification is not None and loss.classification != (classes is not None):
        kind, needed = ("numbers", "classes") if classes is None else ("classes", "numbers")
        raise HeldoutError(f"'{loss.name}' is for targets that are {needed}, and these are {kind}")
    if loss.two_classes and classes is not None and len(classes) != 2:
        raise HeldoutError(
            f"'{loss.name}' is for two classes, and the target has {len(classes)}"
            f"{_instead(loss.name)}"
        )


def _instead(name: str) -> str:
    others = {
        "roc_auc": "roc_auc_ovr",
        **{one: f"{one}_macro" for one in ("f1", "precision", "recall", "jaccard")},
    }
    return f"; use {others[name]}" if name in others else ""
