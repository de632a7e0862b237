"""The registry of losses: one entry per loss.

The values that the config accepts and the docs' table of losses come from here. To add a loss, add an
entry and write its function. Losses are computed from stored predictions, so that a new one needs no
fit.

Standard library only: the workflow imports this while it is parsed.
"""

import sys
from dataclasses import dataclass
from typing import Any

from heldout.registries import refuse_empty, resolve

CLIP = sys.float_info.epsilon
"""Cross-entropy clips probabilities to [CLIP, 1], as scikit-learn's log_loss does."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """ℓ(y, prediction) per example; one entry of the registry.

    name: as in the config.
    title: as in the report.
    classification: True if targets are classes, False if they are numbers.
    needs: the field of `Predictions` that it is computed from: label, proba or value.
    bound: losses lie in [0, bound]; None if they are unbounded.
    heavy: no interval holds where n·Σℓ²/(Σℓ)² is larger (heavy tails); None if nothing is known.
    formula: the loss of one example.
    function: the dotted path of (targets, predictions) → losses.
    """

    name: str
    title: str
    classification: bool
    needs: str
    bound: float | None
    heavy: float | None
    formula: str
    function: str

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "formula", "function")

    def __call__(self, target: Any, predictions: Any) -> Any:
        """The loss of each example, from an array of targets and the `Predictions` for them."""
        predicted = getattr(predictions, self.needs)
        if predicted is None:
            raise ValueError(
                f"loss {self.name} needs {self.needs}, which the learner does not give"
            )
        return resolve(self.function)(target, predicted)


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
)

LOSSES = {entry.name: entry for entry in _ENTRIES}
"""Every loss by name."""


def loss_names() -> list[str]:
    """List the losses that the config may name.

    Returns
    -------
    list of str
        Names, in the order of the registry.

    Examples
    --------
    >>> loss_names()
    ['zero_one', 'cross_entropy', 'brier', 'squared', 'absolute']
    """
    return list(LOSSES)


def loss_for(name: str | None, classification: bool) -> Loss:
    """Choose the configured loss, or the default for this kind of target.

    Parameters
    ----------
    name
        The loss that the config names, if any.
    classification
        Whether targets are classes.

    Returns
    -------
    Loss
        The entry of the registry; call it with targets and predictions.

    Examples
    --------
    >>> loss_for(None, classification=True).name
    'zero_one'
    >>> loss_for("absolute", classification=False).title
    'absolute error'
    """
    return LOSSES[name or ("zero_one" if classification else "squared")]
