"""Predicted probabilities judged: the reliability curve with its band, and numbers with their words."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from heldout.estimates.ends import Ends, proportion
from heldout.estimates.evidence import Evidence
from heldout.measures import calibration as measure
from heldout.measures.calibration import Coefficient
from heldout.measures.shown_classes import classes_of
from heldout.results.display import Format
from heldout.results.glossary import Entry
from heldout.results.headline import percent

COX = ("Cox 1958, Biometrika 45, 562–565", "https://doi.org/10.1093/biomet/45.3-4.562")
NAEINI = ("Naeini, Cooper & Hauskrecht 2015, AAAI", "https://doi.org/10.1609/aaai.v29i1.9602")
BROECKER = (
    "Bröcker & Smith 2007, Weather and Forecasting 22, 651–661",
    "https://doi.org/10.1175/WAF993.1",
)
STEPHENSON = (
    "Stephenson, Coelho & Jolliffe 2008, Weather and Forecasting 23, 752–757",
    "https://doi.org/10.1175/2007WAF2006116.1",
)
ROLE = "probabilities"


@dataclass(frozen=True)
class Word:
    """What is said about a number: its title, a sentence for the table, its formula and who it is from."""

    title: str
    meaning: str
    formula: str
    source: tuple[str, str]
    sign: str = ""
    """Of a part of the Brier score."""
    decimals: int = 4
    spread: str = ""
    """What the number behind ± is, if there is one."""


WORDS = {
    "slope": Word(
        title="Slope",
        meaning="1 is right. Below 1 the probabilities are too extreme, above 1 too cautious.",
        formula="b in logit P(y) = a + b·logit(p)",
        source=COX,
        decimals=2,
        spread="s.e.",
    ),
    "in_the_large": Word(
        title="Intercept in the large",
        meaning="0 is right. Above 0 the class is more frequent than predicted, below 0 less.",
        formula="a in logit P(y) = a + logit(p)",
        source=COX,
        decimals=2,
        spread="s.e.",
    ),
    "calibration_error": Word(
        title="Expected calibration error",
        meaning="The mean distance between the predicted and the observed share of the bins.",
        formula="Σ_b n_b/n·|p̄_b − ȳ_b|",
        source=NAEINI,
    ),
    "error_by_chance": Word(
        title="The same by chance alone",
        meaning="What perfect probabilities would show on these rows. Only a clearly larger error is a sign of bad ones.",
        formula="E Σ_b |S_b − E S_b|/n, S_b a sum of coins with the predicted probabilities",
        source=BROECKER,
        spread="s.d.",
    ),
    "score": Word(
        title="Brier score",
        meaning="The mean of (p − y)², y being 1 for the class, else 0. The parts below add up to it.",
        formula="reliability − resolution + uncertainty + variance − covariance",
        source=STEPHENSON,
    ),
    "reliability": Word(
        title="Reliability",
        sign="+ ",
        meaning="Lost where predicted and observed shares differ. 0 is best.",
        formula="Σ_b n_b/n·(p̄_b − ȳ_b)²",
        source=STEPHENSON,
    ),
    "resolution": Word(
        title="Resolution",
        sign="− ",
        meaning="Gained by telling rows apart: bins whose shares differ. More is better.",
        formula="Σ_b n_b/n·(ȳ_b − ȳ)²",
        source=STEPHENSON,
    ),
    "uncertainty": Word(
        title="Uncertainty",
        sign="+ ",
        meaning="What the data bring: the score of always predicting the share of the class.",
        formula="ȳ(1 − ȳ)",
        source=STEPHENSON,
    ),
    "variance": Word(
        title="Variance within bins",
        sign="+ ",
        meaning="Probabilities of a bin are not all equal.",
        formula="Σ_i (p_i − p̄_b)²/n",
        source=STEPHENSON,
    ),
    "covariance": Word(
        title="Covariance within bins",
        sign="− ",
        meaning="Within a bin too, larger probabilities go with the class.",
        formula="2·Σ_i (y_i − ȳ_b)(p_i − p̄_b)/n",
        source=STEPHENSON,
    ),
}
"""The numbers in the order of the table."""


def judged(
    target: np.ndarray,
    proba: np.ndarray,
    units: np.ndarray | None,
    level: float,
    chosen: int | None = None,
) -> list[dict[str, Any]]:
    """For each class against the rest (of two, the chosen or rarer one): bins with a band, and numbers."""
    found = []
    for one in classes_of(target, proba.shape[1], chosen):
        positive, predicted = target == one, np.asarray(proba[:, one], float)
        bins = measure.bin_numbers(predicted)
        curve = curve_of(positive, predicted, bins, units, level)
        numbers = numbers_of(positive, predicted, bins, units)
        found.append({"class": one, "bins": curve, "numbers": numbers})
    return found


# --- the curve -------------------------------------------------------------------------------


def curve_of(
    positive: np.ndarray,
    predicted: np.ndarray,
    bins: np.ndarray,
    units: np.ndarray | None,
    level: float,
) -> list[dict[str, float]]:
    """The bins, each with the interval of its observed share."""
    found = []
    for number, one in enumerate(measure.bin_table(positive, predicted, bins)):
        inside = bins == number
        low, high = band(positive[inside], None if units is None else units[inside], level)
        found.append(
            {
                "predicted": one.predicted,
                "observed": one.observed,
                "low": low,
                "high": high,
                "n": one.count,
                "from": one.low,
                "to": one.high,
            }
        )
    return found


def band(positive: np.ndarray, units: np.ndarray | None, level: float) -> Ends:
    """Wilson's interval of a share; in groups, for as many rows as the variance between groups says.

    A single group says nothing about others: its interval is [0, 1].
    """
    count = len(positive)
    groups = count if units is None else len(np.unique(units))
    if groups == count:
        return proportion(float(positive.mean()), count, NormalDist().inv_cdf(0.5 + level / 2))
    if groups == 1:
        return 0.0, 1.0
    from heldout.estimates.sample_intervals import wilson  # imports scipy

    evidence = Evidence("test", [np.asarray(positive, float)], [np.asarray(units)], binary=True)
    _, low, high = wilson(evidence, 1 - level)
    return low, high


def about_the_band(grouped: bool, level: float) -> str:
    """What the band is, in a sentence."""
    rows = "as many rows as the variance between groups says" if grouped else "independent rows"
    return f"Band: {percent(level)} Wilson interval of each bin by itself, for {rows}."


# --- the numbers -----------------------------------------------------------------------------


def numbers_of(
    positive: np.ndarray, predicted: np.ndarray, bins: np.ndarray, units: np.ndarray | None
) -> list[dict[str, Any]]:
    """The rows of the table, in the order of `WORDS`."""
    found = {
        "slope": measure.slope(positive, predicted, units),
        "in_the_large": measure.in_the_large(positive, predicted, units),
        "calibration_error": Coefficient(
            measure.calibration_error(positive, predicted, bins), None
        ),
        "error_by_chance": Coefficient(*measure.error_by_chance(predicted, bins)),
    }
    for name, value in vars(measure.brier_parts(positive, predicted, bins)).items():
        found[name] = Coefficient(value, None)
    more = remarks(predicted, units is not None)
    return [row_of(name, found[name], more.get(name, "")) for name in WORDS]


def remarks(predicted: np.ndarray, grouped: bool) -> dict[str, str]:
    """What else has to be said about some of the numbers on these rows."""
    found = {}
    certain = int(((predicted < measure.CLIP) | (predicted > 1 - measure.CLIP)).sum())
    if certain:
        found["slope"] = (
            f" Probabilities of 0 or 1 ({certain} of {len(predicted)}) are taken as {measure.CLIP:g}"
            " away from that, and can decide it."
        )
    if grouped:
        found["error_by_chance"] = (
            " It takes rows as independent; in groups chance alone shows more."
        )
    return found


def row_of(name: str, found: Coefficient, more: str) -> dict[str, Any]:
    """A number with its words."""
    word = WORDS[name]
    show = Format(decimals=word.decimals)
    spread = "" if found.se is None else f"{word.spread} {show(found.se)}"
    return {
        "name": name,
        "title": word.sign + word.title,
        "value": found.value,
        "spread": found.se,
        "shown": show(found.value),
        "note": found.reason or spread,
        "meaning": word.meaning + more,
    }


def glossary_entries(held_out: dict[str, Any] | None) -> dict[str, Entry]:
    """The entries of the glossary; none for a page that judges no probabilities."""
    if not held_out or not held_out.get("calibration"):
        return {}
    return {
        name: Entry(name, word.title, ROLE, word.meaning, word.formula, "", *word.source)
        for name, word in WORDS.items()
    }
