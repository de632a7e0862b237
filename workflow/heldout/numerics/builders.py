"""The builder that a learner needs for a table."""

from heldout.learners.definition import Definition
from heldout.numerics.pipeline import Builder, Columns


def builder_of(definition: Definition, columns: Columns) -> Builder:
    """The builder of a learner's Pipelines.

    Parameters
    ----------
    definition
        The learner.
    columns
        The columns of the table.

    Returns
    -------
    Builder
        One for composed Pipelines where the learner has steps, calibration, a transformed target or
        columns as they are, or where the table has free texts.

    Raises
    ------
    LearnerError
        If the learner is not for this kind of target, or its estimator cannot be imported.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> learner = define("mine", {"estimator": "ridge", "target": "log"})
    >>> type(builder_of(learner, Columns(["a"], frozenset({0}), None))).__name__
    'ComposedBuilder'
    """
    if not columns.texts and not definition.composed(columns.classification):
        return Builder(definition, columns)
    from heldout.numerics.steps.builder import ComposedBuilder

    return ComposedBuilder(definition, columns)
