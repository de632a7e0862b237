"""The rooms of the library."""

ROOMS = (
    "errors",
    "limits",
    "names",
    "files",
    "predictions",
    "provenance",
    "user_code",
    "registries",
    "resampling",
    "measures",
    "data",
    "learners",
    "numerics",
    "cells",
    "estimates",
    "selection",
    "results",
    "checks",
    "report",
    "audit",
    "config",
    "execution",
    "cli",
    "__main__",
)
"""Folders and loose modules of the library, in the order of the data's way."""
