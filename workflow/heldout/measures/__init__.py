"""Losses, scorers and calibration: what is computed from predictions and targets."""
