"""Selection of θ and the learner, the final model, and the sealed test."""
