"""From the resamples of a plan to the problems that engines solve."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from heldout.cells.model_file import ModelPickler
from heldout.cells.plan import Plan, has_texts, units_of
from heldout.names import Theta
from heldout.numerics.engines.registry import COMPOSED, by_engine
from heldout.resampling.split import Resample

if TYPE_CHECKING:  # a job that finds all its cells in the store never imports scikit-learn
    from heldout.numerics.pipeline import Builder
    from heldout.numerics.problem import Outcome, Problem, TrainingSet, TrainingSets


class Problems:
    """Makes the numeric problems of a plan's resamples.

    Parameters
    ----------
    plan
        All cells of the task.
    expected
        The training sets to come, for engines that share work between training sets.
    """

    def __init__(self, plan: Plan, expected: Iterable[Resample] = ()):
        self._plan = plan
        self._expected = list(expected)
        self._current = ""
        self.pickler = ModelPickler()

    @cached_property
    def _sets(self) -> "TrainingSets":
        from heldout.numerics.problem import TrainingSets

        table = self._plan.table
        expected = _Expected([one for one in self._expected if not one.members])
        units = units_of(table)
        return TrainingSets(
            table.features, table.target, expected, table.weights, units, lambda: table.frame
        )

    def problem(self, builder: "Builder", resample: Resample) -> "Problem":
        """The problem of one learner; learners of a training set share its preprocessing."""
        if resample.name != self._current:
            self._current = resample.name
            self.pickler = ModelPickler(self._plan.table, resample.train)
        seed = self._plan.fit_seed(builder.definition.name, resample)
        return self._sets.problem(builder, _training_set(resample), seed)

    def members(
        self, builder: "Builder", resample: Resample, thetas: list[Theta]
    ) -> Iterator["Outcome"]:
        """Many small fits, whose predictions go into one score file per θ."""
        from heldout.numerics import run
        from heldout.numerics.engines import leave_one_out

        table, held = self._plan.table, list(resample.held.values())
        about = builder.definition, builder.classification, thetas, table.weighted
        engines = by_engine(*about, has_texts(table))
        if not table.weighted and not COMPOSED & set(engines):  # the closed forms know no weights
            exact = leave_one_out.run(builder, table.features, table.target, held, thetas)
            if exact is not None:
                yield from exact
                return
        yield from run.fit_members((self.problem(builder, m) for m in resample.members), engines)


class _Expected:
    """Training sets that are made when they are asked for: the row numbers of all would be many times the rows."""

    def __init__(self, resamples: list[Resample]):
        self._resamples = resamples

    def __iter__(self) -> Iterator["TrainingSet"]:
        return map(_training_set, self._resamples)


def _training_set(resample: Resample) -> "TrainingSet":
    from heldout.numerics.problem import TrainingSet

    return TrainingSet(resample.name, resample.train, list(resample.held.values()))
