"""The audit: every estimator and interval against the truth, on many draws of known problems."""
