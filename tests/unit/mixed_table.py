"""A table with every kind of column, and learners fitted to it by heldout's own way."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tables import prepared

from heldout.cells.plan import columns_of, has_texts, units_of
from heldout.data.prepared import Prepared
from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.problem import Outcome, Problem, TrainingSet, TrainingSets
from heldout.predictions import Predictions

N, TRAIN, SEED = 90, 60, 17
WORDS = np.array(["red", "bad", "wheel", "slow", "fast", "new"])


def columns(n: int = N, texts: bool = False) -> dict[str, Any]:
    """Numbers, categories, ordered ones, booleans and dates, with values missing."""
    generator = np.random.default_rng(21)
    length = generator.normal(5, 2, size=n)
    width = np.where(generator.random(n) < 0.1, np.nan, generator.normal(size=n))
    colour = generator.choice(["red", "green", "blue", None], size=n)
    days = generator.integers(0, 900, size=n)
    score = length - 2 * np.nan_to_num(width) + 2 * (colour == "red") + generator.normal(size=n)
    more = {"note": [" ".join(generator.choice(WORDS, size=4)) for _ in range(n)]} if texts else {}
    return {
        "length": length.tolist(),
        "width": [None if np.isnan(value) else value for value in width],
        "colour": colour.tolist(),
        "size": generator.choice(["small", "big", "huge"], size=n).tolist(),
        "flag": (generator.random(n) < 0.5).tolist(),
        "when": (np.datetime64("2021-03-01") + days).tolist(),
        **more,
        "group": [f"g{i // 3}" for i in range(n)],
        "weight": (generator.integers(1, 4, size=n) / 1.0).tolist(),
        "score": (np.abs(score) + 0.5).tolist(),
        "label": np.array(["low", "mid", "high"])[np.digitize(score, [3.5, 6])].tolist(),
        "rare": np.where(generator.random(n) < 0.2, "yes", "no").tolist(),
    }


def table_for(folder: Path, target: str, texts: bool = False, **request: Any) -> Prepared:
    """The table prepared for one of its targets: label, rare or score."""
    used = {target, request.get("groups"), request.get("weights")}
    drop = sorted({"label", "rare", "score", "group", "weight"} - used)
    types = {"size": ["small", "big", "huge"], **({"note": "text"} if texts else {})}
    folder.mkdir(exist_ok=True)
    return prepared(folder, columns(texts=texts), target=target, drop=drop, types=types, **request)


def problem_of(table: Prepared, block: dict[str, Any], name: str = "mine") -> Problem:
    """The first rows train, the last ones are held out."""
    learner = define(name, block)
    builder = builder_of(learner, columns_of(table))
    train, held = np.arange(TRAIN), np.arange(TRAIN, table.n)
    sets = TrainingSets(
        table.features,
        table.target,
        weights=table.weights,
        units=units_of(table),
        frame=lambda: table.frame,
    )
    return sets.problem(builder, TrainingSet("fold", train, [held]), SEED)


def outcomes_of(table: Prepared, block: dict[str, Any]) -> list[Outcome]:
    """Every θ of a learner's grid, fitted; an error is raised."""
    problem = problem_of(table, block)
    builder = problem.builder
    thetas = define("mine", block).thetas(SEED)
    about = builder.definition, builder.classification, thetas, table.weighted, has_texts(table)
    found = list(run.fit(problem, by_engine(*about)))
    for outcome in found:
        if outcome.error is not None:
            raise outcome.error
    return found


def predictions_of(table: Prepared, block: dict[str, Any]) -> Predictions:
    """The predictions of the first θ."""
    said = outcomes_of(table, block)[0].predictions
    assert said is not None
    return said


def split(table: Prepared) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    """The training rows, their target, and the held-out rows, for loops of one's own."""
    frame = table.frame
    return frame.iloc[:TRAIN], np.asarray(table.target)[:TRAIN], frame.iloc[TRAIN:]
