"""The audit: compares every estimator and interval with the true risk, on many simulated draws."""
