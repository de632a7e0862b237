"""Scores of sets, and the influence of each row on them, one row after the other.

A pseudo-loss is the risk of the set plus the row's influence on it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from brute_force import BruteForce
from scipy import stats
from score_loops import thetas_of, with_theta
from sklearn import metrics

POSITIVE = 1


def ranks(model: Any, features: np.ndarray) -> np.ndarray:
    return np.asarray(model.predict_proba(features)[:, POSITIVE])


def auc(model: Any, features: np.ndarray, target: np.ndarray) -> np.ndarray:
    """−n/n_c·(h_x − A)·√(n_c/(n_c − 1)), h_x the share of the other class that row x beats."""
    scores, n = ranks(model, features), len(target)
    h = []
    for x in range(n):
        others = [y for y in range(n) if target[y] != target[x]]
        sign = 1 if target[x] == POSITIVE else -1
        wins = [np.sign(sign * (scores[x] - scores[y])) / 2 + 0.5 for y in others]
        h.append(sum(wins) / len(others))
    area = np.mean([h[x] for x in range(n) if target[x] == POSITIVE])
    found = []
    for x in range(n):
        count = sum(target == target[x])
        found.append(1 - area - n / count * (h[x] - area) * np.sqrt(count / (count - 1)))
    return np.array(found)


def balanced_accuracy(model: Any, features: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The mean over classes of a share, whose rows have the influence of a share."""
    right, n = model.predict(features) == target, len(target)
    classes = sorted(set(target.tolist()))
    recall = {c: np.mean([right[x] for x in range(n) if target[x] == c]) for c in classes}
    risk = 1 - np.mean(list(recall.values()))
    found = []
    for x in range(n):
        count = sum(target == target[x])
        part = n / (len(classes) * count) * (right[x] - recall[target[x]])
        found.append(risk - part * np.sqrt(count / (count - 1)))
    return np.array(found)


def matthews(model: Any, features: np.ndarray, target: np.ndarray) -> np.ndarray:
    """By the derivatives of (TP·TN − FP·FN)/√((TP+FP)(TP+FN)(TN+FP)(TN+FN))."""
    said, n = model.predict(features), len(target)
    tp, tn = sum((target == 1) & (said == 1)), sum((target == 0) & (said == 0))
    fp, fn = sum((target == 0) & (said == 1)), sum((target == 1) & (said == 0))
    a, b, c, d = tp + fp, tp + fn, tn + fp, tn + fn
    root = np.sqrt(float(a * b * c * d))
    if root == 0:
        return np.full(n, 1.0)
    value = (tp * tn - fp * fn) / root
    slope = {
        (1, 1): tn / root - value / 2 * (1 / a + 1 / b),
        (0, 0): tp / root - value / 2 * (1 / c + 1 / d),
        (0, 1): -fn / root - value / 2 * (1 / a + 1 / c),
        (1, 0): -fp / root - value / 2 * (1 / b + 1 / d),
    }
    return np.array([1 - value - n * slope[target[x], said[x]] for x in range(n)])


def f1_parts(said: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a = 2yŷ and b = y + ŷ, whose sums have F1 as their ratio."""
    y, predicted = (target == POSITIVE).astype(float), (said == POSITIVE).astype(float)
    return 2 * y * predicted, y + predicted


def f1_of(said: np.ndarray, target: np.ndarray) -> np.ndarray:
    a, b = f1_parts(said, target)
    value = a.sum() / b.sum()
    return 1 - value - (a - value * b) / b.mean()


def r2_of(said: np.ndarray, target: np.ndarray) -> np.ndarray:
    errors, spread = (target - said) ** 2, (target - target.mean()) ** 2
    ratio = errors.sum() / spread.sum()
    return ratio + (errors - ratio * spread) / spread.mean()


def root_of(said: np.ndarray, target: np.ndarray) -> np.ndarray:
    errors = (target - said) ** 2
    root = np.sqrt(errors.mean())
    return root + (errors - errors.mean()) / (2 * root)


def squares_of(said: np.ndarray, target: np.ndarray) -> np.ndarray:
    return (target - said) ** 2


def jackknifed(risk: Callable[[np.ndarray], float], n: int) -> np.ndarray:
    """The risk plus √(n(n−1))·(mean of the risks without a row − the risk without this one)."""
    everything = np.arange(n)
    without = np.array([risk(np.delete(everything, x)) for x in range(n)])
    return risk(everything) + np.sqrt(n * (n - 1)) * (without.mean() - without)


def average_precision(model: Any, features: np.ndarray, target: np.ndarray) -> np.ndarray:
    scores, y = ranks(model, features), target == POSITIVE

    def risk(rows: np.ndarray) -> float:
        return 1 - float(metrics.average_precision_score(y[rows], scores[rows]))

    return jackknifed(risk, len(target))


def median_absolute(model: Any, features: np.ndarray, target: np.ndarray) -> np.ndarray:
    gaps = np.abs(target - model.predict(features))
    return jackknifed(lambda rows: float(np.median(gaps[rows])), len(target))


def on_predictions(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The pseudo-losses of a fold from predicted labels or values."""
    return lambda model, features, target: function(model.predict(features), target)


def brute_force(
    learner: str, kind: str, data: Any, pseudo: Callable[..., np.ndarray]
) -> BruteForce:
    """Pseudo-losses in the place of losses."""
    features, target = np.asarray(data.features), np.asarray(data.target)

    def fit(train: np.ndarray, theta: dict[str, Any], _: str) -> Any:
        return with_theta(learner, kind, theta).fit(features[train], target[train])

    return BruteForce(features, target, thetas_of(learner), fit, pseudo)


def wilson(share: float, count: float, z: float) -> tuple[float, float]:
    """Both ends, as the roots of (p − share)² = z²·p(1 − p)/count."""
    low, high = np.sort(np.roots([1 + z**2 / count, -2 * share - z**2 / count, share**2]).real)
    return max(0.0, float(low)), min(1.0, float(high))


def student(df: int, level: float = 0.95) -> float:
    return float(stats.t.ppf(0.5 + level / 2, df))


def normal(level: float = 0.95) -> float:
    return float(stats.norm.ppf(0.5 + level / 2))


def skewed(centre: float, half: float) -> tuple[float, float]:
    return max(0.0, centre - half), centre + half + half**2 / (2 * centre)
