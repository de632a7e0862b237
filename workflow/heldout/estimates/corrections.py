"""Two corrections of min-CV, the smallest cross-validation risk; neither needs further fits.

`losses` is the n × |Θ| matrix of out-of-fold losses, `fold_means` the J × |Θ| matrix of fold means.
"""

import numpy as np

from heldout.estimates.rules import smallest

DRAWS = 1000
BLOCK = 100
MANY = 50_000
"""Of so many rows (or groups) a bag is drawn unit by unit, which is quicker there than counts of all at once."""


def tibshirani(fold_means: np.ndarray) -> float:
    """min-CV + mean_k[e_k(θ̂) − min_θ e_k(θ)] (Tibshirani & Tibshirani 2009)."""
    risks = fold_means.mean(axis=0)
    best = smallest(risks)
    bias = fold_means[:, best] - fold_means.min(axis=1)
    return float(risks[best] + bias.mean())


def bbc(losses: np.ndarray, units: np.ndarray, seed: int, draws: int = DRAWS) -> np.ndarray:
    """BBC-CV: in each bootstrap bag of rows (or groups) choose θ, and take its risk outside the bag.

    Tsamardinos, Greasidou & Borboudakis 2018. The mean of these risks is the estimate, their
    percentiles are the ends of its interval.
    """
    _, unit = np.unique(units, return_inverse=True)
    count = unit.max() + 1
    sums = np.zeros((count, losses.shape[1]))
    np.add.at(sums, unit, losses)
    sizes = np.bincount(unit).astype(float)
    generator = np.random.default_rng(seed)
    scores: list[float] = []
    while len(scores) < draws:
        bags = _bags(generator, count, min(BLOCK, draws))
        out = (bags == 0).astype(float)
        usable = out.sum(axis=1) > 0
        best = (bags @ sums).argmin(axis=1)
        missed = out @ sums
        held = out @ sizes
        picked = missed[np.arange(len(bags)), best]
        scores += (picked[usable] / held[usable]).tolist()
    return np.array(scores[:draws])


def _bags(generator: np.random.Generator, count: int, draws: int) -> np.ndarray:
    """How often each unit is in a bag (down) that was drawn with replacement; of many units one bag at a time."""
    if count < MANY:
        return generator.multinomial(count, np.full(count, 1 / count), size=draws)
    drawn = generator.integers(count, size=count)
    return np.bincount(drawn, minlength=count)[None, :]
