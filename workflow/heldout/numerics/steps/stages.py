"""What the first rounds of a fitted model predict, for several numbers of rounds, from one pass over its trees.

LightGBM adds up the leaves of its trees in their order, with 64 bits, and takes the logistic function or the softmax of
the sums. So the sums after each round are those of all shorter models, to the last bit, where the exponential function is
the same one. That is checked once in a process on thousands of values, and what is made of the sums on some rows of the
first model of each kind. What does not agree is predicted model by model.
"""

import math
import re
from collections.abc import Collection, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from heldout.numerics.sklearn_internals.selfcheck import once, small_table

LARGEST = 2**23
"""Sums that are kept for all numbers of rounds; where there are more, models predict one by one."""
AT_ONCE = 2**22
"""Leaves that are looked up at once: rows times trees."""
CHECKED = 1000
"""Rows on which the longest and the shortest model are asked themselves."""

_known: dict[tuple[type, str, int], bool] = {}
"""Whether stages agree with models of a class, an objective and a number of trees in a round."""
Stages = dict[int, Any]
"""By the number of rounds: what has the `predict` methods of a model, for the rows that it was made for."""


def stages(model: Any, rows: Any, counts: Collection[int]) -> Stages:
    """What shorter models predict.

    Parameters
    ----------
    model
        A fitted model with as many rounds as it was asked for.
    rows
        The rows to predict.
    counts
        Numbers of rounds, none larger than the model's.

    Returns
    -------
    dict
        Empty where this is not known to be what each model predicts itself.
    """
    if type(model).__module__.partition(".")[0] != "lightgbm" or len(set(counts)) < 2:
        return {}
    try:
        kind = type(model), str(model.objective_), model.booster_.num_model_per_iteration()
        if not _known.get(kind, True):
            return {}
        found = _of_lightgbm(model, rows, sorted(set(counts)))
        if found and kind not in _known:
            _known[kind] = _agree(model, rows, found)
        return found if _known.get(kind) else {}
    except Exception:  # the text of the trees, or what methods return, is not what it was
        return {}


def _of_lightgbm(model: Any, rows: Any, counts: list[int]) -> Stages:
    classes = model.booster_.num_model_per_iteration()
    if len(rows) * len(counts) * classes > LARGEST or not (_is_regressor(model) or same_exp()):
        return {}
    sums = np.concatenate([*_sums(model, rows, counts, classes)])
    return {count: _stage(model, sums[:, i]) for i, count in enumerate(counts)}


def _sums(model: Any, rows: Any, counts: list[int], classes: int) -> Iterator[np.ndarray]:
    """The sums of leaves after some numbers of rounds, for one part of the rows after another."""
    text = model.booster_.model_to_string(num_iteration=max(counts))
    trees = [line.split() for line in re.findall(r"^leaf_value=(.*)$", text, re.MULTILINE)]
    values = np.array([float(value) for tree in trees for value in tree])
    starts = np.cumsum([0, *map(len, trees[:-1])])
    size = max(1, AT_ONCE // len(trees))
    for start in range(0, len(rows), size):
        leaves = model.predict(
            rows[start : start + size], pred_leaf=True, num_iteration=max(counts)
        )
        by_round = values[leaves.reshape(-1, len(trees)) + starts].reshape(len(leaves), -1, classes)
        yield np.cumsum(by_round, axis=1)[:, np.array(counts) - 1] + 0.0


def _is_regressor(model: Any) -> bool:
    return not hasattr(model, "predict_proba")


def _stage(model: Any, sums: np.ndarray) -> Any:
    """The methods of a model that give what is made of the sums."""
    if _is_regressor(model):
        return SimpleNamespace(predict=lambda _: sums[:, 0])
    raw = sums[:, 0] if sums.shape[1] == 1 else sums
    proba = _logistic(raw) if raw.ndim == 1 else _softmax(raw)
    said = SimpleNamespace(
        classes_=model.classes_,
        predict_proba=lambda _: proba,
        predict=lambda _: model.classes_[proba.argmax(axis=1)],
    )
    if hasattr(model, "decision_function"):
        said.decision_function = lambda _: raw
    return said


def _exp(values: np.ndarray) -> np.ndarray:
    """The exponential function of the C library: numpy's own differs in last bits."""
    return np.array([*map(math.exp, values.ravel().tolist())]).reshape(values.shape)


def _logistic(raw: np.ndarray) -> np.ndarray:
    second = 1.0 / (1.0 + _exp(-raw))
    return np.vstack((1.0 - second, second)).transpose()


def _softmax(raw: np.ndarray) -> np.ndarray:
    shares = _exp(raw - raw.max(axis=1, keepdims=True))
    return shares / np.cumsum(shares, axis=1)[:, -1:]


def _agree(model: Any, rows: Any, found: Stages) -> bool:
    """Whether the model itself, with its first rounds and with all, predicts the same for some rows."""
    some = rows[:CHECKED]
    names = "predict", "predict_proba", "decision_function"
    pairs = [(count, found[count]) for count in {min(found), max(found)}]
    return all(
        np.array_equal(getattr(said, name)(some)[:CHECKED], own(some, num_iteration=count))
        for count, said in pairs
        for name in names
        if hasattr(said, name) and (own := getattr(model, name))
    )


@once
def same_exp() -> bool:
    """Whether LightGBM's probabilities are those of the C library's exponential function, for thousands of values."""
    from lightgbm import LGBMClassifier

    features, score = small_table(4000)
    model: Any = LGBMClassifier(
        n_estimators=12, extra_trees=True, n_jobs=1, verbose=-1, deterministic=True
    )
    model.fit(features[:2000], score[:2000] > 0)
    raw = model.predict(features, raw_score=True)
    many = len(np.unique(raw)) > 1000
    return many and np.array_equal(_logistic(raw), model.predict_proba(features))
