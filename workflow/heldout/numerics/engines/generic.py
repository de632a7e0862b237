"""The engine for any scikit-learn estimator: one fit per θ, preprocessing fitted once."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from heldout.names import Theta
from heldout.numerics.pipeline import MODEL, Recipe, aligned
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

LABEL_IS_ARGMAX = {
    "sklearn.neighbors._classification.KNeighborsClassifier",
    "sklearn.tree._classes.DecisionTreeClassifier",
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.ensemble._forest.ExtraTreesClassifier",
}
"""Classifiers whose label is the first class of highest probability: predict once, not twice."""
LABEL_IS_SIGN = {"sklearn.svm._classes.SVC", "sklearn.svm._classes.NuSVC"}
"""Those that choose the second of two classes where the decision function is not negative."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit and predict each θ; an error ends that θ only."""
    for theta in thetas:
        started = time.perf_counter()
        try:
            recipe = problem.builder.recipe(theta)
            fitted, train, held = preprocess(problem, recipe)
            model = problem.builder.estimator(recipe, problem.seed)
            model.fit(train, problem.train_target)
            said = predict(model, held, problem.builder.table.classes)
        except Exception as error:
            yield Outcome(theta, error=error)
            continue
        pipeline = Pipeline([*fitted.steps, (MODEL, model)])
        shared = [step for _, step in fitted.steps]
        yield Outcome(theta, pipeline, shared, said, seconds=time.perf_counter() - started)


def revisit(problem: Problem, theta: Theta, pipeline: Pipeline) -> Outcome:
    """New predictions from a stored model."""
    held = pipeline[:-1].transform(problem.held_features)
    said = predict(pipeline[-1], held, problem.builder.table.classes)
    shared = [step for _, step in pipeline.steps[:-1]]
    return Outcome(theta, pipeline, shared, said, engine="stored", revisited=True)


def preprocess(problem: Problem, recipe: Recipe) -> tuple[Pipeline, np.ndarray, np.ndarray]:
    """The fitted preprocessing and both transformed matrices, made once per training set."""
    scale, polynomial = problem.builder.definition.scale, problem.builder.definition.polynomial
    name = f"{scale}:{polynomial}:{recipe.shared}"
    if name not in problem.prepared:
        fitted = problem.builder.preprocessing(recipe)
        train, held = problem.train_features, problem.held_features
        for _, step in fitted.steps:  # as the Pipeline does, with less ado
            same = held is train
            train = step.fit_transform(train, problem.train_target)
            held = train if same else step.transform(held)
        problem.prepared[name] = fitted, train, held
    return problem.prepared[name]


def predict(model: BaseEstimator, features: np.ndarray, classes: list[Any] | None) -> Predictions:
    """Everything the model can say about the rows."""
    if classes is None:
        return Predictions(
            value=np.asarray(model.predict(features), np.float64).reshape(len(features))
        )
    code_type = np.min_scalar_type(len(classes))
    proba = decision = None
    if hasattr(model, "predict_proba"):
        proba = aligned(model.predict_proba(features), model.classes_, len(classes))
    elif hasattr(model, "decision_function"):
        decision = np.asarray(model.decision_function(features), np.float64)
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    if proba is not None and kind in LABEL_IS_ARGMAX:
        label = proba.argmax(axis=1)
    elif decision is not None and decision.ndim == 1 and kind in LABEL_IS_SIGN:
        label = model.classes_[(decision >= 0).astype(int)]
    else:
        label = model.predict(features)
    return Predictions(label=np.asarray(label).astype(code_type), proba=proba, decision=decision)
