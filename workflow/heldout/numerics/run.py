"""Runs engines: sets scikit-learn's options, records the warnings of every fit.

The engine of each θ is chosen by the caller (`engines.registry`), so that a new engine changes no
digest of the others.
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
from heldout.numerics.fit_warning import FitWarning
from heldout.numerics.predict import predict
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

ByEngine = Mapping[str, Sequence[Theta]]
"""The θ that each engine fits."""


def fit(problem: Problem, by_engine: ByEngine) -> Iterator[Outcome]:
    """Fit each θ with its engine and predict the held-out rows; an error ends its own θ only.

    scikit-learn does not check parameters and finite values again: parameters were checked before
    the first fit, prepared features are finite, and predictions are checked before they are stored.
    """
    for engine, thetas in by_engine.items():
        module = importlib.import_module(f"heldout.numerics.engines.{engine}")
        outcomes = module.run(problem, list(thetas))
        while True:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with config_context(assume_finite=True, skip_parameter_validation=True):
                    outcome = next(outcomes, None)
            if outcome is None:
                break
            yield replace(outcome, engine=engine, warnings=_counted(caught))


def _counted(caught: Iterable[warnings.WarningMessage]) -> tuple[FitWarning, ...]:
    """Equal warnings once, with their number."""
    counts = Counter((one.category.__name__, _first_line(str(one.message))) for one in caught)
    return tuple(FitWarning(*what, count) for what, count in counts.items())


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def fit_members(problems: Iterable[Problem], by_engine: ByEngine) -> Iterator[Outcome]:
    """Fit every θ on many small training sets; its predictions are joined, and no model is kept."""
    found: dict[str, list[Outcome]] = {}
    for problem in problems:
        for outcome in fit(problem, by_engine):
            found.setdefault(canonical(outcome.theta), []).append(outcome)
    for outcomes in found.values():
        yield _joined(outcomes)


def _joined(outcomes: list[Outcome]) -> Outcome:
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    return Outcome(
        outcomes[0].theta,
        predictions=None if errors else _concatenated(outcomes),
        error=errors[0] if errors else None,
        seconds=sum(outcome.seconds for outcome in outcomes),
        engine=outcomes[0].engine,
        warnings=_added(outcome.warnings for outcome in outcomes),
    )


def _concatenated(outcomes: list[Outcome]) -> Predictions:
    """Row after row; what one of the models lacks, all lack."""
    arrays = [outcome.predictions.arrays() for outcome in outcomes if outcome.predictions]
    common = [name for name in arrays[0] if all(name in one for one in arrays)]
    return Predictions(**{name: np.concatenate([one[name] for one in arrays]) for name in common})


def _added(parts: Iterable[tuple[FitWarning, ...]]) -> tuple[FitWarning, ...]:
    counts: Counter[tuple[str, str]] = Counter()
    for warning in (warning for part in parts for warning in part):
        counts[warning.category, warning.message] += warning.times
    return tuple(FitWarning(*what, count) for what, count in counts.items())


def predict_again(problem: Problem, theta: Theta, pipeline: Pipeline) -> Outcome:
    """New predictions of a model that was fitted before."""
    held = pipeline[:-1].transform(problem.held_features)
    predictions = predict(pipeline[-1], held, problem.builder.columns.classes)
    shared: list[Any] = [step for _, step in pipeline.steps[:-1]]
    return Outcome(theta, pipeline, shared, predictions)
