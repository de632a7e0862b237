"""A loss table in memory: fits cells when they are asked for, and keeps no file.

It answers what aggregations ask of a `LossTable`, with the same splits, seeds and engines, so that
the numbers of an audit are the numbers of the workflow. Besides, it knows the true risk of the
models of each kind.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from heldout.audit.source import Draw
from heldout.audit.truth import Probe, Risk
from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError
from heldout.measures.losses import Loss
from heldout.names import Theta, canonical, seed_for
from heldout.numerics import run
from heldout.numerics.engines import leave_one_out
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions
from heldout.resampling.kinds import DEV, FOLDS, FOLDS_WHOLE, FULL
from heldout.resampling.split import Partition, Resample, Split, partitions, resamples

TEST = "test"
"""The held-out set of the full model: the sealed rows of the draw."""
PROBED = {FULL: 1, DEV: 1, FOLDS: 20, FOLDS_WHOLE: 20}
FEW = 4
"""How many models of a kind are probed: all that an interval can aim at, else a few for the mean."""


@dataclass(frozen=True)
class Answer:
    """What one cell's model said, row after row, and its true risk if it was probed."""

    whole: Predictions
    sets: dict[str, slice]
    risk: Risk | None

    @property
    def said(self) -> dict[str, Predictions]:
        """Its predictions for each held-out set."""
        return {name: self.whole.take(part) for name, part in self.sets.items()}


@dataclass(frozen=True)
class AuditTable:
    """Losses by learner, θ and resample of one draw."""

    draw: Draw
    loss: Loss
    builders: dict[str, Builder]
    thetas: dict[str, list[Theta]]
    splits: dict[str, Split]
    resamples: dict[str, dict[str, Resample]]
    compared: frozenset[str]
    """Kinds whose risks are compared over all θ; of the others only the selected θ are fitted."""
    task: str
    seed: int
    _answers: dict[tuple[str, str], dict[str, Answer]] = field(default_factory=dict)
    _losses: dict[tuple[str, str, str], dict[str, np.ndarray]] = field(default_factory=dict)
    _prepared: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)

    # --- what aggregations ask ----------------------------------------------------------------

    @property
    def table(self) -> Prepared:
        """The rows to learn from."""
        return self.draw.table

    def has(self, kind: str) -> bool:
        """Whether the plan has cells of a kind."""
        return kind in self.resamples

    @cached_property
    def partitions(self) -> list[Partition]:
        """The partitions of K-fold cross-validation."""
        return partitions(self.splits["kfold"])

    @cached_property
    def _by_name(self) -> dict[str, tuple[str, Resample]]:
        return {r.name: (kind, r) for kind, named in self.resamples.items() for r in named.values()}

    def resample(self, name: str) -> Resample:
        """A resample by its name, of whatever kind."""
        return self._by_name[name][1]

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> dict[str, Predictions]:
        """What a cell's model said about each of its held-out sets."""
        key = self._key(theta)
        if not resample.members:
            return self._answer(learner, theta, key, resample, resample).said
        quick = self._left_out(learner, theta, key, resample)
        if quick is not None:
            return quick.said
        answers = [self._answer(learner, theta, key, resample, part) for part in resample.members]
        return {name: said for answer in answers for name, said in answer.said.items()}

    def losses(self, learner: str, theta: Theta, resample: Resample) -> dict[str, np.ndarray]:
        """The losses of a cell on each of its held-out sets."""
        place = learner, self._key(theta), resample.name
        if place not in self._losses:
            self._losses[place] = self._computed(learner, theta, resample)
        return self._losses[place]

    def _computed(self, learner: str, theta: Theta, resample: Resample) -> dict[str, np.ndarray]:
        """One call for all held-out sets of a model: most of them are small."""
        key, target = self._key(theta), self.table.target
        rows = np.concatenate(list(resample.held.values()))
        if not resample.members:
            answer = self._answer(learner, theta, key, resample, resample)
        else:
            found = self._left_out(learner, theta, key, resample)
            if found is None:
                said = self.predictions(learner, theta, resample)
                return {n: self.loss(target[r], said[n]) for n, r in resample.held.items()}
            answer = found
        losses = self.loss(target[rows], answer.whole.take(slice(0, len(rows))))
        return {name: losses[answer.sets[name]] for name in resample.held}

    def _key(self, theta: Theta) -> str:
        """Canonical text; of a θ of the grid, without writing it anew."""
        return self._keys.get(id(theta)) or canonical(theta)

    @cached_property
    def _keys(self) -> dict[int, str]:
        return {id(theta): canonical(theta) for grid in self.thetas.values() for theta in grid}

    def units(self, rows: np.ndarray) -> np.ndarray:
        """The group (or the row itself) of each row."""
        return self._units[rows]

    @cached_property
    def _units(self) -> np.ndarray:
        return np.ascontiguousarray(self.table.rows["unit"])

    # --- the sealed test, and what is true ----------------------------------------------------

    def test_losses(self, learner: str, theta: Theta) -> np.ndarray:
        """The losses of the full model on the sealed rows."""
        said = self.predictions(learner, theta, self.resample(FULL))[TEST]
        return self.loss(self.draw.test.target, said)

    def risks(self, kind: str, learner: str) -> list[list[Risk]]:
        """For each probed model of a kind, its true risk at each θ."""
        return [
            [self._risk(learner, theta, whole, part) for theta in self.thetas[learner]]
            for whole, part in self._probed_parts(kind)
        ]

    def risk(self, learner: str, theta: Theta, name: str) -> Risk | None:
        """The true risk of one model, if it is probed."""
        resample = self.resample(name)
        key = self._key(theta)
        return self._answer(learner, theta, key, resample, resample).risk

    def _risk(self, learner: str, theta: Theta, whole: Resample, part: Resample) -> Risk:
        found = self._answer(learner, theta, self._key(theta), whole, part).risk
        assert found is not None
        return found

    def _probed_parts(self, kind: str) -> list[tuple[Resample, Resample]]:
        """(resample, the part of it that is one fit)."""
        parts = [(r, part) for r in self.resamples[kind].values() for part in r.members or (r,)]
        return parts[: PROBED.get(kind, FEW)]

    @cached_property
    def _probed(self) -> set[str]:
        return {part.name for kind in self.resamples for _, part in self._probed_parts(kind)}

    # --- fitting ------------------------------------------------------------------------------

    def _answer(
        self, learner: str, theta: Theta, key: str, whole: Resample, part: Resample
    ) -> Answer:
        answers = self._answers.setdefault((learner, part.name), {})
        if key not in answers:
            kind = self._by_name[whole.name][0]
            every = kind in self.compared or part.name in self._probed
            wanted = self.thetas[learner] if every else [theta]
            answers.update(self._fit(learner, part, wanted))
        return answers[key]

    def _left_out(self, learner: str, theta: Theta, key: str, resample: Resample) -> Answer | None:
        """Leave-one-out without refitting, where the workflow has it too."""
        builder = self.builders[learner]
        answers = self._answers.setdefault((learner, resample.name), {})
        kind = self._by_name[resample.name][0]
        wanted = self.thetas[learner] if kind in self.compared else [theta]
        if key not in answers and leave_one_out.is_exact_for(builder, resample, wanted):
            sizes = {name: len(rows) for name, rows in resample.held.items()}
            for outcome in leave_one_out.run(builder, resample, wanted) or ():
                answers[self._key(outcome.theta)] = self._kept(
                    learner, resample, outcome, sizes, None
                )
        return answers.get(key)

    def _fit(self, learner: str, part: Resample, thetas: Sequence[Theta]) -> dict[str, Answer]:
        probe = self._probes[learner] if part.name in self._probed else None
        sets = dict(part.held)
        rows = [self.table.features[np.concatenate(list(sets.values()))]]
        sizes = {name: len(held) for name, held in sets.items()}
        if part.name == FULL:
            rows.append(self.draw.test.features)
            sizes[TEST] = self.draw.test.n
        if probe is not None:
            rows.append(probe.features)
        problem = Problem(
            self.builders[learner],
            self.table.features[part.train],
            self.table.target[part.train],
            np.concatenate(rows) if len(rows) > 1 else rows[0],
            seed_for(self.seed, self.task, learner, part.name),
            self._prepared.setdefault((part.name, id(probe)), {}),
        )
        outcomes = run.run(problem, list(thetas))
        return {self._key(o.theta): self._kept(learner, part, o, sizes, probe) for o in outcomes}

    def _kept(
        self,
        learner: str,
        part: Resample,
        outcome: Outcome,
        sizes: dict[str, int],
        probe: Probe | None,
    ) -> Answer:
        said = outcome.predictions
        if said is None:
            raise HeldoutError(
                f"learner '{learner}', θ = {canonical(outcome.theta)}, held-out set '{part.name}', "
                f"seed {self.seed}: {type(outcome.error).__name__}: {outcome.error}"
            )
        ends = list(itertools.accumulate(sizes.values()))
        parts = {n: slice(e - size, e) for (n, size), e in zip(sizes.items(), ends, strict=True)}
        if probe is None:
            return Answer(said, parts, None)
        risk = probe.risk(self.loss, said.take(slice(ends[-1], None)), outcome.model)
        return Answer(said.take(slice(0, ends[-1])), parts, risk)

    @cached_property
    def _probes(self) -> dict[str, Probe]:
        truth, classification = self.draw.truth, self.table.classification
        return {
            name: truth.probe(builder.definition, self.loss, classification)
            for name, builder in self.builders.items()
        }


def named_resamples(
    kinds: Sequence[str], n: int, splits: dict[str, Split]
) -> dict[str, dict[str, Resample]]:
    """The resamples of each kind by name."""
    return {kind: {r.name: r for r in resamples(kind, n, splits)} for kind in kinds}
