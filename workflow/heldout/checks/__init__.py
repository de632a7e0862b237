"""Checks of a finished run: what a user should know before trusting its numbers."""
