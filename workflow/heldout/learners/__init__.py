"""Learners: the catalog of short names, and how a learner and a θ become a scikit-learn Pipeline."""
