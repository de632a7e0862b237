"""Losses and scorers: what is computed from predictions and targets."""
