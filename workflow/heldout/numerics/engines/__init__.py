"""Engines: how all θ of a learner are fitted on one training set.

An engine is a module with a function ``run(problem, thetas) -> Iterator[Outcome]``. `registry` says,
without importing scikit-learn, which engine serves a θ; the generic one serves any estimator. A path
engine fits all θ in one pass and gives what separate fits would give. Cells are keyed by a digest
of their engine's code.
"""
