"""Nested rolling-origin evaluation from the cells of plain rolling-origin evaluation: no further fit.

The model of block s is the outer model of that block, and a candidate for every later block t that begins when
block s and the gap are over. θ_t is chosen by the mean of the losses on these blocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout.errors import HeldoutError
from heldout.estimates.cosine import cosine_se
from heldout.estimates.loss_table import LossTable
from heldout.estimates.nested import OuterFold
from heldout.estimates.rules import Curve, Rule
from heldout.resampling.prefixes import Prefix, earlier, prefixes


@dataclass(frozen=True)
class BlockTable:
    """The risk of each θ of a learner on each block that is tested: `risks[θ, block]`.

    Examples
    --------
    >>> table = BlockTable("ridge", [{"alpha": 1}], np.array([[4.0, 2.0, 3.0]]))
    >>> table.curve([0, 1]).risks
    [3.0]
    """

    learner: str
    thetas: Sequence[dict]
    risks: np.ndarray

    def curve(self, blocks: Sequence[int]) -> Curve:
        """The mean risk and the standard error of each θ over some blocks."""
        known = self.risks[:, blocks]
        errors = [cosine_se(one) for one in known]
        return Curve(self.learner, self.thetas, known.mean(axis=1).tolist(), errors)


@dataclass(frozen=True)
class BlockTables:
    """The blocks of a task, and the block table of each learner, made when it is first asked for."""

    loss_table: LossTable

    @cached_property
    def prefixes(self) -> list[Prefix]:
        """The blocks that are tested."""
        return prefixes(self.loss_table.splits["rolling"])

    @cached_property
    def _found(self) -> dict[str, BlockTable]:
        return {}

    def of(self, learner: str) -> BlockTable:
        """The table of a learner."""
        if learner not in self._found:
            table, thetas = self.loss_table, self.loss_table.thetas[learner]
            cells = [table.resample(one.name) for one in self.prefixes]
            risks = [[table.risks(learner, t, cell)[cell.name] for cell in cells] for t in thetas]
            self._found[learner] = BlockTable(learner, thetas, np.array(risks))
        return self._found[learner]

    def choices(self) -> Iterator[tuple[Prefix, list[int]]]:
        """Each block that θ can be chosen for, and the positions of the blocks that it is chosen by."""
        for block in self.prefixes:
            known = earlier(self.prefixes, block)
            if known:
                yield block, known


def outer_blocks(tables: BlockTables, learners: Sequence[str], rule: Rule) -> Iterator[OuterFold]:
    """For each block: choose θ (and the learner) by the blocks before it, and take their losses on it.

    Parameters
    ----------
    tables
        The block tables of a task.
    learners
        The learners to choose from.
    rule
        How θ is chosen.

    Returns
    -------
    iterator of OuterFold
        Blocks in time order; those before the first choice are left out.
    """
    table, found = tables.loss_table, False
    for block, known in tables.choices():
        found = True
        curve, best = rule.choose([tables.of(name).curve(known) for name in learners])
        theta, cell = curve.thetas[best], table.resample(block.name)
        losses = table.losses(curve.learner, theta, cell)[block.name]
        units = table.units(block.rows)
        yield OuterFold(1, block.number - 1, curve.learner, best, theta, losses, units)
    if not found:
        raise HeldoutError(
            "rolling: no block begins when another one and the gap are over, so that nested_rolling has nothing to "
            "choose θ by; set more blocks (rolling.blocks) or a shorter gap, or leave out nested_rolling"
        )
