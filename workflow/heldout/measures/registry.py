"""The registry of losses: one entry per loss.

The values that the config accepts and the docs' table of losses come from here. To add a loss, add an
entry and write its function. Losses are computed from stored predictions, so that a new one needs no
fit.

Standard library only: the workflow imports this while it is parsed.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from heldout.measures.spec import LossSpec
from heldout.registries import refuse_empty, resolve

CLIP = sys.float_info.epsilon
"""Cross-entropy clips probabilities to [CLIP, 1], as scikit-learn's log_loss does."""

CARRIERS = 20.0
"""So many rows must carry losses that are small for most rows and large for a few: on easy
classes, intervals of cross-entropy and Brier scores covered 55 to 90 % at a nominal 95 % (docs/coverage.md). The
number was chosen among seven by one simulation, and was not tested on fresh problems."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """ℓ(y, prediction) per example; one entry of the registry.

    name: as in the config.
    title: as in the report.
    classification: True if targets are classes, False if they are numbers, None if either.
    needs: the field of `Predictions` that it is computed from: label, proba or value.
    bound: losses lie in [0, bound]; None if they are unbounded.
    heavy: no interval holds where n·Σℓ²/(Σℓ)² is larger (heavy tails); None if there is no such limit.
    formula: the loss of one example.
    function: the dotted path of (targets, predictions, **settings) → losses.
    negative: whether losses may be negative.
    carriers: no interval holds where (Σℓ)²/Σℓ² is smaller: so few rows carry the loss that the next sample
        may have another one. None if there is no such limit.
    bind: the dotted path of (loss, settings of the config, classes) → the loss with its settings; empty if
        it takes none.
    settings: further arguments of the function.
    """

    name: str
    title: str
    classification: bool | None
    needs: str
    bound: float | None
    heavy: float | None
    formula: str
    function: str
    negative: bool = False
    carriers: float | None = None
    bind: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "formula", "function")

    def __call__(self, target: Any, predictions: Any) -> Any:
        """The loss of each example, from an array of targets and the `Predictions` for them."""
        predicted = getattr(predictions, self.needs)
        if predicted is None:
            raise ValueError(
                f"loss {self.name} needs {self.needs}, which the learner does not give"
            )
        return resolve(self.function)(target, predicted, **self.settings)


_ENTRIES = (
    Loss(
        name="zero_one",
        title="zero-one loss (share of errors)",
        classification=True,
        needs="label",
        bound=1.0,
        heavy=None,
        formula="1 if the label is wrong, else 0",
        function="heldout.measures.losses:zero_one",
    ),
    Loss(
        name="cross_entropy",
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
        name="squared",
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
    title="users",
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
    return [name for name, loss in LOSSES.items() if not loss.bind]


def loss_for(spec: LossSpec | None, classes: Sequence[Any] | None) -> Loss:
    """Choose the configured loss, or the default for this kind of target.

    Parameters
    ----------
    spec
        The loss that the config names, if any.
    classes
        The labels; None if targets are numbers.

    Returns
    -------
    Loss
        Call it with targets and predictions.

    Raises
    ------
    HeldoutError
        If its settings do not fit the classes, or the user's function is not there.

    Examples
    --------
    >>> loss_for(None, classes=["no", "yes"]).name
    'zero_one'
    >>> loss_for(LossSpec("absolute"), classes=None).title
    'absolute error'
    """
    if spec is None:
        return LOSSES["squared" if classes is None else "zero_one"]
    loss = LOSSES.get(spec.name) or replace(USERS, name=spec.name, title=spec.name)
    if not loss.bind:
        return loss
    bound: Loss = resolve(loss.bind)(loss, spec.settings, classes)
    return bound


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
    if spec is None:
        loss = LOSSES["zero_one" if classification else "squared"]
        return loss.name, loss.title
    return spec.name, LOSSES[spec.name].title if spec.name in LOSSES else spec.name
