"""The registry of losses that are means over examples: one entry per loss.

The values that the config accepts and the docs' table of losses come from here and from `score_registry`.
To add a loss, add an entry and write its function. Losses are computed from stored predictions, so that a
new one needs no fit.

Standard library only: the workflow imports this while it is parsed.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from heldout.measures.binding import refuse_classes
from heldout.measures.loss import Loss
from heldout.measures.positive import positive_class
from heldout.measures.score_registry import OTHERS, SAME, SCORES, other_scorer
from heldout.measures.spec import LossSpec
from heldout.registries import resolve

CLIP = sys.float_info.epsilon
"""Cross-entropy clips probabilities to [CLIP, 1], as scikit-learn's log_loss does."""

CARRIERS = 20.0
"""So many rows must carry losses that are small for most rows and large for a few: on easy
classes, intervals of cross-entropy and Brier scores covered 55 to 90 % at a nominal 95 % (docs/coverage.md). The
number was chosen among seven by one simulation, and was not tested on fresh problems."""


_ENTRIES = (
    Loss(
        name="zero_one",
        label="error",
        title="zero-one loss (share of errors)",
        classification=True,
        needs="label",
        bound=1.0,
        heavy=None,
        formula="1 if the label is wrong, else 0",
        binary=True,
        function="heldout.measures.losses:zero_one",
    ),
    Loss(
        name="cross_entropy",
        label="cross-entropy",
        title=f"cross-entropy (natural log; probabilities clipped at {CLIP:.1e})",
        classification=True,
        needs="proba",
        bound=None,
        heavy=None,
        carriers=CARRIERS,
        formula="−ln p_y, p_y at least 2.2e-16: a confident error costs at most 36.04",
        function="heldout.measures.losses:cross_entropy",
    ),
    Loss(
        name="brier",
        label="Brier score",
        title="Brier score (sum over classes, 0 to 2)",
        classification=True,
        needs="proba",
        bound=2.0,
        heavy=None,
        carriers=CARRIERS,
        formula="Σ_c (p_c − 1{y = c})²: for two classes twice scikit-learn's score",
        function="heldout.measures.losses:brier",
    ),
    Loss(
        name="neg_brier_score",
        label="Brier score",
        title="Brier score (as scikit-learn's: of two classes half the sum)",
        classification=True,
        needs="proba",
        bound=2.0,
        heavy=None,
        carriers=CARRIERS,
        formula="(p − 1{y})² of one of two classes; of more, Σ_c (p_c − 1{y = c})²",
        function="heldout.measures.losses:brier_score",
        bind="heldout.measures.losses:bind_brier_score",
    ),
    Loss(
        name="squared",
        label="mean squared error",
        title="squared error",
        classification=False,
        needs="value",
        bound=None,
        heavy=4.0,
        formula="(y − ŷ)²",
        function="heldout.measures.losses:squared",
    ),
    Loss(
        name="absolute",
        label="mean absolute error",
        title="absolute error",
        classification=False,
        needs="value",
        bound=None,
        heavy=4.0,
        formula="|y − ŷ|",
        function="heldout.measures.losses:absolute",
    ),
    Loss(
        name="costs",
        label="mean cost",
        title="cost of errors",
        classification=True,
        needs="label",
        bound=None,
        heavy=None,
        carriers=CARRIERS,
        formula="the cost of the predicted class, given the true one: `loss: {costs: {yes: {no: 5}, no: {yes: 1}}}` "
        "is true class, predicted class, cost; what is right costs nothing",
        function="heldout.measures.losses:costs",
        bind="heldout.measures.losses:bind_costs",
    ),
    Loss(
        name="quantile",
        label="mean pinball loss",
        title="pinball loss",
        classification=False,
        needs="value",
        bound=None,
        heavy=4.0,
        formula="q·(y − ŷ) where y > ŷ, else (1 − q)·(ŷ − y): `loss: {quantile: 0.9}`; its best prediction is the "
        "q-quantile of y",
        function="heldout.measures.losses:pinball",
        bind="heldout.measures.losses:bind_quantile",
    ),
)

LOSSES = {entry.name: entry for entry in _ENTRIES}
"""Every loss by name."""


USERS = Loss(
    name="users",
    title="a function of the user's own",
    classification=None,
    needs="label",
    bound=None,
    heavy=None,
    formula="what the function returns for an example",
    function="heldout.measures.users:losses",
    negative=True,
    bind="heldout.measures.users:bind",
)
"""What a function of the user's own is made from."""


SAME_AS_SCORER = ("neg_brier_score",)
"""Losses of the registry that are there for the name of a scorer of scikit-learn."""


def plain_names() -> list[str]:
    """List the losses that need nothing but their name.

    Returns
    -------
    list of str
        Names, in the order of the registry.

    Examples
    --------
    >>> plain_names()
    ['zero_one', 'cross_entropy', 'brier', 'squared', 'absolute']
    """
    return [name for name, loss in LOSSES.items() if not loss.bind and name not in SAME_AS_SCORER]


def loss_for(
    spec: LossSpec | None, classes: Sequence[Any] | None, counts: Sequence[int] | None = None
) -> Loss:
    """Choose the configured loss, or the default for this kind of target.

    Parameters
    ----------
    spec
        The loss that the config names, if any.
    classes
        The labels; None if targets are numbers.
    counts
        The number of unsealed rows of each class, which says which of two is the positive one.

    Returns
    -------
    Loss
        Call it with targets and predictions.

    Raises
    ------
    HeldoutError
        If it is not for these classes, its settings do not fit them, or the user's function is not there.

    Examples
    --------
    >>> loss_for(None, classes=["no", "yes"]).name
    'zero_one'
    >>> loss_for(LossSpec("absolute"), classes=None).title
    'absolute error'
    >>> loss_for(LossSpec("roc_auc"), ["ill", "well"], [20, 80]).positive
    0
    """
    spec = spec or LossSpec("")
    positive = positive_class(spec.positive, classes, counts)
    loss = replace(_entry(spec.name, classes), positive=positive)
    refuse_classes(loss, classes)
    if not loss.bind:
        return loss
    bound: Loss = resolve(loss.bind)(loss, spec.settings, classes, positive)
    return bound


def _entry(name: str, classes: Sequence[Any] | None) -> Loss:
    """The entry of a name; without a name, the default; of what is not known, the user's own function."""
    if not name:
        return LOSSES["squared" if classes is None else "zero_one"]
    if name == "accuracy":
        return replace(LOSSES["zero_one"], **AS_ACCURACY)
    if name in OTHERS:
        return other_scorer(name)
    known = LOSSES.get(SAME.get(name, name)) or SCORES.get(name)
    return known or replace(USERS, name=name, title=name, label=name)


AS_ACCURACY: dict[str, Any] = {
    "title": "accuracy",
    "label": "accuracy",
    "optimum": 1.0,
    "greater": True,
}
"""The zero-one loss as people read it who ask for `accuracy`."""


def family_of(given: str) -> str:
    """Find the family of a loss by its name.

    Parameters
    ----------
    given
        The name of a loss or score of the registries.

    Returns
    -------
    str
        How intervals of it are computed.

    Examples
    --------
    >>> family_of("roc_auc"), family_of("squared"), family_of("neg_median_absolute_error")
    ('auc', 'mean', 'other')
    """
    return _entry(given, []).family


def named_loss(spec: LossSpec | None, classification: bool) -> Loss:
    """Get a loss without its settings, for pages that have no table.

    Parameters
    ----------
    spec
        The loss that the config names, if any.
    classification
        Whether targets are classes.

    Returns
    -------
    Loss
        The entry of the registries.

    Examples
    --------
    >>> named_loss(LossSpec("roc_auc"), classification=True).label
    'AUC'
    """
    return _entry(spec.name if spec else "", [] if classification else None)


def title_of(spec: LossSpec | None, classification: bool) -> tuple[str, str]:
    """Name a loss without its settings, for pages of several tasks.

    Parameters
    ----------
    spec
        The loss that the config names, if any.
    classification
        Whether targets are classes.

    Returns
    -------
    tuple of str
        Name and title.

    Examples
    --------
    >>> title_of(None, classification=False)
    ('squared', 'squared error')
    """
    loss = named_loss(spec, classification)
    return loss.name, loss.title
