"""What a loss is: of single examples, or of whole held-out sets.

Some measures are means over examples (zero-one, squared error). Others are numbers of a whole set (AUC,
F1, R²). For these every row of a set gets a pseudo-loss: the risk of the set plus the row's influence on
it. The influences of a set add up to 0, so that the mean of its pseudo-losses is its risk; and their
spread gives the standard error of that risk, as it does for losses. A weighted mean is such a number too.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heldout.registries import refuse_empty, resolve

RANKING = "ranking"
"""What a measure of the order of rows needs: decision values, or probabilities where there are none."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """A loss; one entry of the registries.

    name: as in the config.
    title: as in the report.
    classification: True if targets are classes, False if they are numbers, None if either.
    needs: what of `Predictions` it is computed from: label, proba, value or ranking.
    bound: risks lie in [0, bound]; None if they are unbounded.
    heavy: no interval holds where n·Σℓ²/(Σℓ)² is larger (heavy tails); None if there is no such limit.
    formula: the loss of one example, or of a set.
    function: the dotted path of (targets, predictions, **settings) → losses; empty for losses of sets.
    negative: whether losses may be negative.
    binary: whether each loss is 0 or 1.
    carriers: no interval holds where (Σℓ)²/Σℓ² is smaller: so few rows carry the loss that the next sample
        may have another one. None if there is no such limit.
    bind: the dotted path of (loss, settings of the config, classes) → the loss with its settings; empty if
        it takes none.
    settings: further arguments of the functions.
    value: of a loss of sets: the dotted path of (targets, predictions, weights, **settings) → risk.
    influence: likewise, → the influence of each row on it.
    family: how intervals of it are computed: mean, auc, class_means, ratio, r2, root, other, or unstudied (as
        other, and not known to hold).
    pooled: whether the value that is reported is that of all held-out rows together, because the mean over
        small sets is far off. θ is chosen by the mean over sets all the same.
    optimum, greater: where greater is better, the score that people read is optimum − risk.
    label: what people call the value.
    two_classes: whether it is for two classes only.
    every_class: whether it is undefined on a set without rows of some class.
    positive: the class that it is about, as a position; None where it is about none.
    """

    name: str
    title: str
    classification: bool | None
    needs: str
    bound: float | None
    heavy: float | None
    formula: str
    function: str = ""
    negative: bool = False
    binary: bool = False
    carriers: float | None = None
    bind: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    value: str = ""
    influence: str = ""
    family: str = "mean"
    pooled: bool = False
    optimum: float = 0.0
    greater: bool = False
    label: str = ""
    two_classes: bool = False
    every_class: bool = False
    positive: int | None = None

    def __post_init__(self) -> None:
        refuse_empty(
            self, "title", "formula", *(["function"] if self.by_example else ["influence"])
        )

    @property
    def by_example(self) -> bool:
        """Whether its risk is the mean of the losses of examples."""
        return not self.value

    def __call__(self, target: Any, predictions: Any, weights: Any = None) -> Any:
        """The losses of the examples of one set; of a loss of sets, their pseudo-losses.

        Parameters
        ----------
        target
            The targets of the rows of a held-out set.
        predictions
            The `Predictions` for them.
        weights
            The weight of each row, if these differ.

        Returns
        -------
        numpy.ndarray
            A number for each row; their plain mean is the risk of the set.
        """
        self._refuse_missing(predictions)
        if not self.by_example:
            risk = self.risk(target, predictions, weights)
            return risk + resolve(self.influence)(target, predictions, weights, **self.settings)
        losses = self._losses(target, predictions)
        return losses if weights is None else resolve(WEIGHTED)(losses, weights)

    def risk(self, target: Any, predictions: Any, weights: Any = None) -> float:
        """The risk of one held-out set.

        Parameters
        ----------
        target, predictions, weights
            As for the call.

        Returns
        -------
        float
            The mean of the losses, or the number of the set.
        """
        self._refuse_missing(predictions)
        if not self.by_example:
            return float(resolve(self.value)(target, predictions, weights, **self.settings))
        losses = self._losses(target, predictions)
        if weights is None:
            return float(losses.mean())
        return float((losses * weights).sum() / weights.sum())

    def score(self, risk: float) -> float:
        """A risk as people read it.

        Parameters
        ----------
        risk
            A risk.

        Returns
        -------
        float
            optimum − risk where greater is better, else the risk itself.
        """
        return self.optimum - risk if self.greater else risk

    def _losses(self, target: Any, predictions: Any) -> Any:
        return resolve(self.function)(target, getattr(predictions, self.needs), **self.settings)

    def _refuse_missing(self, predictions: Any) -> None:
        fields = ("decision", "proba") if self.needs == RANKING else (self.needs,)
        if all(getattr(predictions, one) is None for one in fields):
            raise ValueError(
                f"loss {self.name} needs {self.needs}, which the learner does not give"
            )


def by_repetition(loss: Loss) -> bool:
    """Whether the influences of a loss are found by computing it without each row, which takes time.

    Parameters
    ----------
    loss
        A loss.

    Returns
    -------
    bool
        True for functions of sets of the user's own, and for scorers that are left to scikit-learn.

    Examples
    --------
    >>> from heldout.measures.score_registry import SCORES, other_scorer
    >>> by_repetition(SCORES["roc_auc"]), by_repetition(other_scorer("neg_median_absolute_error"))
    (False, True)
    """
    return not takes_weights(loss)


def takes_weights(loss: Loss) -> bool:
    """Whether a loss can be computed on rows with weights.

    Parameters
    ----------
    loss
        A loss.

    Returns
    -------
    bool
        False for functions of sets of the user's own, and for scorers that are left to scikit-learn, of
        which some take none.

    Examples
    --------
    >>> from heldout.measures.score_registry import SCORES, other_scorer
    >>> takes_weights(SCORES["roc_auc"]), takes_weights(other_scorer("rand_score"))
    (True, False)
    """
    return loss.by_example or loss.value.startswith("heldout.measures.set_losses")


WEIGHTED = "heldout.measures.weighted:pseudo_losses"
"""The dotted path of (losses, weights) → pseudo-losses of a weighted mean."""
