"""Engines: how all θ of a learner are fitted on one training set.

An engine is a function ``run(problem, thetas) -> Iterator[Outcome]``. The generic one serves any
scikit-learn estimator. Cells are keyed by a digest of this package and of all it imports.
"""
