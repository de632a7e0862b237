"""Cells: their keys, the store that keeps them, and the jobs that fit missing ones."""
