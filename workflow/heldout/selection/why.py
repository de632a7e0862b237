"""Why a learner and θ were selected, in one or two sentences that are true of the risks compared."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from heldout.errors import counted
from heldout.estimates.rules import ROUNDING, Curve, Rule, first_local_min
from heldout.measures.loss import Loss
from heldout.names import Theta, canonical

DIGITS = 4
"""Risks have so many significant digits, and more where different ones would look the same."""
LISTED = 6
"""The θ are counted learner by learner where there are at most so many learners."""
TAKEN = {
    "min": "the θ with the {best} {by} {noun}",
    "one_se": "the simplest θ within one standard error of the {best} {by} {noun}",
    "first_local_min": "the θ of the first significant local minimum of the {by} risk",
    "confidence_set": "the simplest θ that cannot be told from the best by its {by} {noun}",
}
"""What each rule takes in a learner."""


class Words(NamedTuple):
    """How people read a risk: what they call it, which one is best, and its value."""

    noun: str = "risk"
    best: str = "smallest"
    value: Callable[[float], float] = float

    @staticmethod
    def of(loss: Loss) -> "Words":
        """Where greater is better, the score; else the risk."""
        return Words(loss.label, "greatest", loss.score) if loss.greater else Words()


RISKS = Words()


class Tried(NamedTuple):
    """A θ of a learner, and its risk."""

    learner: str
    theta: Theta
    risk: float

    @property
    def name(self) -> str:
        """The learner and θ as text."""
        return f"{self.learner} with {theta_text(self.theta)}" if self.theta else self.learner


def why(
    curves: Sequence[Curve],
    picks: Mapping[str, int],
    learner: str,
    by: str,
    rule: Rule,
    words: Words = RISKS,
) -> str:
    """Say why a learner and its θ were selected.

    Parameters
    ----------
    curves
        The risks of every learner.
    picks
        The position of the θ that the rule took in each learner.
    learner
        The learner that was selected.
    by
        The estimator whose risks were compared.
    rule
        How θ was chosen in a learner. Of these θ, the one with the smallest risk was selected.
    words
        How people read a risk.

    Returns
    -------
    str
        One or two sentences, without the last full stop.

    Examples
    --------
    >>> curve = Curve("knn", [{"k": 1}, {"k": 5}, {"k": 9}], [0.3, 0.1, 0.12], [0.03] * 3)
    >>> why([curve], {"knn": 1}, "knn", "kfold", Rule("min"))
    'it has the smallest kfold risk (0.1) of the 3 θ tried'
    >>> one_se = Rule("one_se", simpler={"knn": {"k": "larger"}})
    >>> found = why([curve], {"knn": 2}, "knn", "kfold", one_se)
    >>> found.split("; ")[0]
    'it is the simplest θ within one standard error of the smallest kfold risk'
    >>> found.split("; ")[1]
    'its risk is 0.12, and the smallest of the 3 θ tried is 0.1 (k = 5)'
    """
    at = {curve.learner: _tried(curve, picks[curve.learner]) for curve in curves}
    selected, least = at[learner], _tried(*Rule("min").choose(curves))
    if rule.name == "min" or all(len(curve.thetas) == 1 for curve in curves):
        return _best_of_all(selected, curves, by, words)
    if len(curves) == 1:
        return _one_learner(selected, least, curves[0], by, rule, words)
    return _several_learners(selected, least, curves, by, rule, words)


def _tried(curve: Curve, position: int) -> Tried:
    return Tried(curve.learner, curve.thetas[position], curve.risks[position])


def _best_of_all(selected: Tried, curves: Sequence[Curve], by: str, words: Words) -> str:
    risks = [risk for curve in curves for risk in curve.risks]
    [value] = _numbers(words, selected.risk)
    if len(risks) == 1:
        return f"it is the only θ tried; its {by} {words.noun} is {value}"
    equal = sum(_equal(one, selected.risk) for one in risks)
    first = f", the first of {equal} that have it" if equal > 1 else ""
    best = f"it has the {words.best} {by} {words.noun} ({value})"
    if len(risks) == len(curves):
        return f"{best} of {len(curves)} learners with one θ each{first}"
    return f"{best} of the {_counts(curves)}{first}"


def _one_learner(
    selected: Tried, least: Tried, curve: Curve, by: str, rule: Rule, words: Words
) -> str:
    taken, counts = _taken([curve], by, rule, words), _counts([curve])
    if _equal(selected.risk, least.risk):
        [value] = _numbers(words, selected.risk)
        return f"it is {taken}; of the {counts} it also has the {words.best} {words.noun} ({value})"
    value, better = _numbers(words, selected.risk, least.risk)
    return (
        f"it is {taken}; its {words.noun} is {value}, and the {words.best} of the {counts} is {better} "
        f"({theta_text(least.theta)})"
    )


def _several_learners(
    selected: Tried, least: Tried, curves: Sequence[Curve], by: str, rule: Rule, words: Words
) -> str:
    text = (
        f"in each learner {_taken(curves, by, rule, words)} was taken, of the {_counts(curves)}; of these "
        f"{len(curves)}, that of {selected.learner} has the {words.best} {words.noun}"
    )
    if _equal(selected.risk, least.risk):
        [value] = _numbers(words, selected.risk)
        return f"{text} ({value}), which is the {words.best} of all"
    value, better = _numbers(words, selected.risk, least.risk)
    return f"{text} ({value}). The {words.best} of all is {better} ({least.name})"


def _taken(curves: Sequence[Curve], by: str, rule: Rule, words: Words) -> str:
    """What the rule takes in a learner, and what it did where it did not apply."""
    reason, named = _as_by_min(curves, rule), {"by": by, "best": words.best, "noun": words.noun}
    if reason:
        return f"{TAKEN['min'].format(**named)} ({reason})"
    text = TAKEN[rule.name].format(**named)
    if rule.name == "first_local_min" and any(_unended(curve, rule) for curve in curves):
        return f"{text}, or the smallest where no significant rise ended the scan,"
    return text


def _as_by_min(curves: Sequence[Curve], rule: Rule) -> str:
    """The reason why the rule could not but take the smallest risk of each learner, if there is one."""
    grids = [curve for curve in curves if len(curve.thetas) > 1]
    if rule.name == "first_local_min":
        ended = not all(_unended(curve, rule) for curve in grids)
        return "" if ended else "no significant rise ended the scan"
    if not any(rule.simpler.get(curve.learner, {}).keys() & curve.thetas[0] for curve in grids):
        return "no θ is declared simpler than another"
    if rule.name == "one_se" and all(one.errors[Rule("min").pick(one)] is None for one in grids):
        return "there is no standard error"
    return ""


def _unended(curve: Curve, rule: Rule) -> bool:
    """Whether a scan of several θ came to the last of them."""
    scan = first_local_min(curve.risks, curve.errors, rule.patience)
    return len(curve.thetas) > 1 and scan.rises_missing > 0


def _counts(curves: Sequence[Curve]) -> str:
    """How many θ were tried in all, and in each learner."""
    total = sum(len(curve.thetas) for curve in curves)
    if len(curves) == 1:
        return f"{total} θ tried"
    if len(curves) > LISTED:
        return f"{total} θ tried in {counted(len(curves), 'learner')}"
    parts = ", ".join(f"{curve.learner} {len(curve.thetas)}" for curve in curves)
    return f"{total} θ tried ({parts})"


def _equal(risk: float, other: float) -> bool:
    """Whether two risks are equal up to rounding."""
    return math.isclose(risk, other, rel_tol=ROUNDING, abs_tol=ROUNDING * 1e-3)


def _numbers(words: Words, *risks: float) -> list[str]:
    """Risks as people read them, with few digits, but enough to tell them apart."""
    for digits in range(DIGITS, 17):
        texts = [_number(words.value(risk), digits) for risk in risks]
        if len(set(texts)) == len(set(risks)):
            break
    return texts


def _number(risk: float, digits: int) -> str:
    """A number with so many significant digits, and no exponent below a thousand million."""
    whole = len(f"{abs(risk):.0f}")
    return f"{risk:.{max(digits, whole if whole < 10 else 0)}g}"


def theta_text(theta: Theta) -> str:
    """Write θ as text.

    Parameters
    ----------
    theta
        The hyper-parameters.

    Returns
    -------
    str
        Names and values; of numbers a few digits.

    Examples
    --------
    >>> theta_text({"alpha": 3.1622776601683795, "kernel": "rbf", "depth": None})
    'alpha = 3.162, kernel = rbf, depth = none'
    """
    return ", ".join(f"{name} = {_value(value)}" for name, value in theta.items())


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    return f"{value:.4g}" if isinstance(value, float) else canonical(value)
