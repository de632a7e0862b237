"""Estimators of risk and their intervals, computed from the losses of cells."""
