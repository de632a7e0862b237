"""The report: one self-contained page per task, and an index of all tasks."""
