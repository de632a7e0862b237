"""Held-out sets: their kinds, how splits are drawn, and how they become rows to train on and rows to predict."""
