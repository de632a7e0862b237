"""Cells without files: fitted when they are first needed, and kept in memory.

Splits, seeds and engines are those of the workflow, so the numbers are the same. A loss table reads
them as it reads stored cells.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from heldout.cells.plan import has_texts, units_of
from heldout.data.frame import frame_of
from heldout.data.prepared import Prepared
from heldout.data.schema import schema_from_json
from heldout.errors import HeldoutError
from heldout.names import Theta, canonical, seed_for
from heldout.numerics import run
from heldout.numerics.engines import leave_one_out
from heldout.numerics.engines.registry import COMPOSED, by_engine
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

Further = Callable[[str, Resample], np.ndarray | None]
"""Gives further rows (their features) that the models of a learner and resample predict, or None."""


def nothing_further(learner: str, resample: Resample) -> None:
    """No further rows."""


@dataclass(frozen=True)
class InMemoryCells:
    """The cells of one table; all θ of a training set are fitted together if all will be needed.

    Parameters
    ----------
    table
        The rows to learn from.
    builders
        The builder of each learner.
    thetas
        The grid of each learner.
    task, seed
        What the seed of each fit is derived from, besides the learner and the held-out set.
    every_theta
        Whether all θ of the grid will be needed for a resample; if not, each θ is fitted alone.
    further
        Rows that models predict besides the held-out ones; see `further_predictions`. It must keep
        the arrays it returns: models that predict the same array share their preprocessing.
    """

    table: Prepared
    builders: dict[str, Builder]
    thetas: dict[str, list[Theta]]
    task: str
    seed: int
    every_theta: Callable[[Resample], bool] = lambda _: True
    further: Further = nothing_further
    _fitted: dict[tuple[str, str], dict[str, Predictions]] = field(default_factory=dict)
    _preprocessed: dict[tuple[str, int], dict[str, tuple]] = field(default_factory=dict)

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        """The predictions of a cell, one held-out set after another."""
        if resample.members:
            return self._of_members(learner, theta, resample)
        count = sum(map(len, resample.held.values()))
        return self._of_model(learner, theta, resample).take(slice(0, count))

    def further_predictions(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        """The predictions for the further rows of a model."""
        count = sum(map(len, resample.held.values()))
        return self._of_model(learner, theta, resample).take(slice(count, None))

    def _key(self, theta: Theta) -> str:
        """The canonical text of a θ; looked up for the θ of the grids, to save time."""
        return self._keys.get(id(theta)) or canonical(theta)

    @cached_property
    def _keys(self) -> dict[int, str]:
        return {id(theta): canonical(theta) for grid in self.thetas.values() for theta in grid}

    def _to_fit(self, learner: str, theta: Theta, resample: Resample) -> Sequence[Theta]:
        return self.thetas[learner] if self.every_theta(resample) else [theta]

    # --- one model ----------------------------------------------------------------------------

    def _of_model(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        fitted = self._fitted.setdefault((learner, resample.name), {})
        key = self._key(theta)
        if key not in fitted:
            thetas = self._to_fit(learner, theta, resample)
            problem = self._problem(learner, resample, self.further(learner, resample))
            outcomes = run.fit(problem, self._engines(learner, thetas), whole=False)
            fitted.update(self._kept(learner, resample, outcome) for outcome in outcomes)
        return fitted[key]

    def _engines(self, learner: str, thetas: Sequence[Theta]) -> dict[str, list[Theta]]:
        builder = self.builders[learner]
        weighted, texts = self.table.weighted, has_texts(self.table)
        return by_engine(builder.definition, builder.classification, thetas, weighted, texts)

    def _problem(
        self, learner: str, resample: Resample, further: np.ndarray | None = None
    ) -> Problem:
        builder, table = self.builders[learner], self.table
        units, weights = units_of(table), table.weights
        return Problem(
            builder,
            self._rows(builder, resample.train),
            table.target[resample.train],
            self._rows(builder, np.concatenate(list(resample.held.values())), further),
            seed_for(self.seed, self.task, learner, resample.name),
            self._preprocessed.setdefault((resample.name, id(further)), {}),
            weights=None if weights is None else weights[resample.train],
            units=None if units is None else units[resample.train],
        )

    def _rows(self, builder: Builder, rows: np.ndarray, further: np.ndarray | None = None) -> Any:
        """Rows of the table and further ones, as a matrix or as a DataFrame."""
        if not builder.takes_frame:
            features = self.table.features[rows]
            return features if further is None else np.concatenate([features, further])
        frame = self.table.frame.iloc[rows]
        if further is not None:
            import pandas as pd

            columns = schema_from_json(self.table.facts["schema"]).columns
            frame = pd.concat([frame, frame_of(columns, further, {})])
        return frame.reset_index(drop=True)

    def _kept(self, learner: str, resample: Resample, outcome: Outcome) -> tuple[str, Predictions]:
        if outcome.predictions is None:
            raise HeldoutError(
                f"learner '{learner}', θ = {canonical(outcome.theta)}, held-out set '{resample.name}', "
                f"seed {self.seed}: {type(outcome.error).__name__}: {outcome.error}"
            )
        return self._key(outcome.theta), outcome.predictions

    # --- many small fits ----------------------------------------------------------------------

    def _of_members(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        """The predictions of many small fits; as in the workflow, without refitting where exact."""
        fitted = self._fitted.setdefault((learner, resample.name), {})
        key = self._key(theta)
        if key not in fitted:
            thetas = self._to_fit(learner, theta, resample)
            outcomes = self._in_closed_form(learner, resample, thetas) or run.fit_members(
                (self._problem(learner, member) for member in resample.members),
                self._engines(learner, thetas),
            )
            fitted.update(self._kept(learner, resample, outcome) for outcome in outcomes)
        return fitted[key]

    def _in_closed_form(
        self, learner: str, resample: Resample, thetas: Sequence[Theta]
    ) -> list[Outcome] | None:
        """Leave-one-out without refitting; None where it is not exact, as for rows with weights."""
        held, builder = list(resample.held.values()), self.builders[learner]
        if self.table.weighted or COMPOSED & set(self._engines(learner, thetas)):
            return None
        return leave_one_out.run(builder, self.table.features, self.table.target, held, thetas)
