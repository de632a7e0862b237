"""The code of learners that are not scikit-learn's own: where it is found, and what identifies it.

Nothing is imported to find it out. Standard library only: the workflow imports this while it is parsed.
"""
