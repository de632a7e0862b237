"""The cells of one draw of an audit, and the true risks of their models.

Models predict probe rows besides their held-out rows. The true risk of a model is computed from these
predictions and the known distribution (or the rest of the table).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout.audit.source import Draw
from heldout.audit.truth import Probe, Risk
from heldout.cells.in_memory import InMemoryCells
from heldout.estimates.evidence import Sample
from heldout.estimates.loss_table import LossTable, named_resamples
from heldout.measures.loss import Loss
from heldout.names import Theta, canonical
from heldout.numerics.pipeline import Builder
from heldout.resampling.kinds import DEV, FOLDS, FOLDS_WHOLE, FULL
from heldout.resampling.split import Resample, Split

PROBED = {FULL: 1, DEV: 1, FOLDS: 20, FOLDS_WHOLE: 20}
"""How many models of a kind are probed: those whose own risk is the target of an interval."""
FEW = 4
"""How many models of the other kinds are probed, for their mean risk."""


@dataclass(frozen=True)
class DrawCells:
    """A draw, its splits, and the builders of the learners' pipelines."""

    draw: Draw
    loss: Loss
    builders: dict[str, Builder]
    thetas: dict[str, list[Theta]]
    splits: dict[str, Split]
    kinds: Sequence[str]
    compared: frozenset[str]
    """Kinds whose risks are compared over all θ; of the others only the selected θ are fitted."""
    task: str
    seed: int

    @cached_property
    def loss_table(self) -> LossTable:
        """The losses of the draw; cells are fitted when they are needed."""
        return LossTable(
            self.draw.table,
            self.loss,
            self.thetas,
            self.splits,
            self.resamples,
            self._cells,
            remember=True,
        )

    @cached_property
    def resamples(self) -> dict[str, dict[str, Resample]]:
        """The resamples of each kind by name."""
        return named_resamples(self.kinds, self.draw.table.n, self.splits)

    @cached_property
    def _cells(self) -> InMemoryCells:
        return InMemoryCells(
            self.draw.table,
            self.builders,
            self.thetas,
            self.task,
            self.seed,
            self._every_theta,
            self._further,
        )

    @cached_property
    def _kind_of(self) -> dict[str, str]:
        return {name: kind for kind, named in self.resamples.items() for name in named}

    def _every_theta(self, resample: Resample) -> bool:
        return self._kind_of.get(resample.name) in self.compared or resample.name in self._probed

    # --- further rows: the sealed test, and probes of the truth -------------------------------

    def _further(self, learner: str, resample: Resample) -> np.ndarray | None:
        place = id(self._probes[learner]), resample.name == FULL, resample.name in self._probed
        if place not in self._further_rows:
            self._further_rows[place] = self._joined(learner, *place[1:])
        return self._further_rows[place]

    @cached_property
    def _further_rows(self) -> dict[tuple[int, bool, bool], np.ndarray | None]:
        return {}

    def _joined(self, learner: str, full: bool, probed: bool) -> np.ndarray | None:
        parts = [self.draw.test.features] if full else []
        parts += [self._probes[learner].features] if probed else []
        return np.concatenate(parts) if parts else None

    @cached_property
    def _probes(self) -> dict[str, Probe]:
        truth, classification = self.draw.truth, self.draw.table.classification
        return {
            name: truth.probe(builder.definition, self.loss, classification)
            for name, builder in self.builders.items()
        }

    def test_sample(self, learner: str, theta: Theta) -> Sample:
        """The sealed rows with the predictions of the full model."""
        full = self.resamples[FULL][FULL]
        further = self._cells.further_predictions(learner, theta, full)
        test = self.draw.test
        return Sample(self.loss, np.asarray(test.target), further.take(slice(0, test.n)), None)

    def test_losses(self, learner: str, theta: Theta) -> np.ndarray:
        """The losses of the full model on the sealed rows."""
        sample = self.test_sample(learner, theta)
        found: np.ndarray = self.loss(sample.target, sample.said)
        return found

    # --- true risks ---------------------------------------------------------------------------

    def risks(self, kind: str, learner: str) -> list[list[Risk]]:
        """For each probed model of a kind, its true risk at each θ."""
        return [
            [self._risk(learner, theta, model) for theta in self.thetas[learner]]
            for model in self._probed_models(kind)
        ]

    def risk(self, learner: str, theta: Theta, name: str) -> Risk | None:
        """The true risk of one model, if it is probed."""
        if name not in self._probed:
            return None
        return self._risk(learner, theta, self.resamples[self._kind_of[name]][name])

    def _risk(self, learner: str, theta: Theta, resample: Resample) -> Risk:
        place = learner, canonical(theta), resample.name
        if place not in self._known_risks:
            further = self._cells.further_predictions(learner, theta, resample)
            start = self.draw.test.n if resample.name == FULL else 0
            probe = self._probes[learner]
            self._known_risks[place] = probe.risk(self.loss, further.take(slice(start, None)))
        return self._known_risks[place]

    @cached_property
    def _known_risks(self) -> dict[tuple[str, str, str], Risk]:
        return {}

    def _probed_models(self, kind: str) -> list[Resample]:
        """The first models of a kind; of leave-one-out, its members."""
        models = [m for r in self.resamples[kind].values() for m in r.members or (r,)]
        return models[: PROBED.get(kind, FEW)]

    @cached_property
    def _probed(self) -> set[str]:
        return {model.name for kind in self.resamples for model in self._probed_models(kind)}
