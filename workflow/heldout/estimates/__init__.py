"""Estimators: aggregations over the losses of shared cells."""
