"""Runs engines: sets scikit-learn's options and records the warnings of every fit.

The caller chooses the engine of each θ (`engines.registry`). So this module does not depend on the
list of engines, and a new engine changes no code digest of the others.
"""

import importlib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.pipeline import Pipeline

from heldout.names import Theta, canonical
from heldout.numerics.combination import completed
from heldout.numerics.fit_warning import FitWarning
from heldout.numerics.predict import predict
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.rows import own_rows
from heldout.predictions import Predictions

ByEngine = Mapping[str, Sequence[Theta]]
"""The θ that each engine fits."""


def fit(problem: Problem, by_engine: ByEngine, whole: bool = True) -> Iterator[Outcome]:
    """Fit each θ with its engine and predict the held-out rows.

    scikit-learn does not check parameters and finite values again: parameters were checked before
    the first fit, preprocessed features are finite, and predictions are checked before they are
    stored.

    Parameters
    ----------
    problem
        The training rows and the rows to predict.
    by_engine
        The θ that each engine fits.
    whole
        Whether models are complete; else a `Combination` may stand in the place of coefficients.

    Yields
    ------
    Outcome
        One for each θ, engine by engine. An error is in the outcome of its own θ only.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> from heldout.numerics.pipeline import Builder, Columns
    >>> builder = Builder(define("mean", None), Columns(["a"], frozenset({0}), None))
    >>> rows = np.array([[1.0], [2.0], [3.0]])
    >>> problem = Problem(builder, rows, np.array([4.0, 5.0, 9.0]), rows[:1], seed=1)
    >>> [outcome] = fit(problem, {"generic": [{}]})
    >>> outcome.predictions.value
    array([6.])
    """
    for engine, thetas in by_engine.items():
        module = importlib.import_module(f"heldout.numerics.engines.{engine}")
        with config_context(assume_finite=True, skip_parameter_validation=True):
            outcomes = module.run(problem, list(thetas))
            while True:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    outcome = next(outcomes, None)
                if outcome is None:
                    break
                if whole:
                    completed(outcome.model)
                yield replace(outcome, engine=engine, warnings=_counted(caught))


def _counted(caught: Sequence[warnings.WarningMessage]) -> tuple[FitWarning, ...]:
    """Each warning once, with its count."""
    if not caught:
        return ()
    counts = Counter((one.category.__name__, _first_line(str(one.message))) for one in caught)
    return _fit_warnings(counts)


def _fit_warnings(counts: Counter[tuple[str, str]]) -> tuple[FitWarning, ...]:
    return tuple(
        FitWarning(category, message, times) for (category, message), times in counts.items()
    )


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def fit_members(problems: Iterable[Problem], by_engine: ByEngine) -> Iterator[Outcome]:
    """Fit every θ on many small training sets, as in leave-one-out, and keep no model.

    Parameters
    ----------
    problems
        The training sets.
    by_engine
        The θ that each engine fits.

    Yields
    ------
    Outcome
        One for each θ: the predictions of all problems, one after another, and the sum of seconds
        and warnings. The first error, if there was one.
    """
    by_theta: dict[str, list[Outcome]] = {}
    for problem in problems:
        for outcome in fit(problem, by_engine, whole=False):
            by_theta.setdefault(canonical(outcome.theta), []).append(outcome)
    for outcomes in by_theta.values():
        yield _joined(outcomes)


def _joined(outcomes: list[Outcome]) -> Outcome:
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    return Outcome(
        outcomes[0].theta,
        predictions=None if errors else _concatenated(outcomes),
        error=errors[0] if errors else None,
        seconds=sum(outcome.seconds for outcome in outcomes),
        engine=outcomes[0].engine,
        warnings=_summed(outcome.warnings for outcome in outcomes),
    )


def _concatenated(outcomes: list[Outcome]) -> Predictions:
    """One after another; only the kinds of predictions that all of the models give."""
    arrays = [outcome.predictions.arrays() for outcome in outcomes if outcome.predictions]
    common = [name for name in arrays[0] if all(name in one for one in arrays)]
    return Predictions(**{name: np.concatenate([one[name] for one in arrays]) for name in common})


def _summed(parts: Iterable[tuple[FitWarning, ...]]) -> tuple[FitWarning, ...]:
    counts: Counter[tuple[str, str]] = Counter()
    for warning in (warning for part in parts for warning in part):
        counts[warning.category, warning.message] += warning.times
    return _fit_warnings(counts)


def predict_again(problem: Problem, theta: Theta, pipeline: Pipeline) -> Outcome:
    """Predictions of a stored model, for other held-out rows than before.

    Parameters
    ----------
    problem
        The rows to predict; the training rows are not used.
    theta
        The θ of the model.
    pipeline
        The fitted Pipeline.

    Returns
    -------
    Outcome
        The same model with the new predictions.
    """
    held = pipeline[:-1].transform(own_rows(problem.held_features))
    predictions = predict(pipeline[-1], held, problem.builder.columns.classes)
    shared: list[Any] = [step for _, step in pipeline.steps[:-1]]
    return Outcome(theta, pipeline, shared, predictions)
