"""Engines: how all θ of a learner are fitted on one training set.

An engine is a module with a function ``run(problem, thetas) -> Iterator[Outcome]``. `registry`
chooses the engine of a θ without importing scikit-learn; the generic engine serves any estimator. A
path engine fits all θ in one pass and gives the results of separate fits. The key of a cell has the
digest of its engine's code.
"""
