"""The workflow without files: an evaluation in memory, and an estimator that evaluates itself."""
