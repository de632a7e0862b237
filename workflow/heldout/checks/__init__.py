"""Coded checks: what a user must know about a run before trusting its numbers."""
