"""What is computed from predictions: losses and scorers."""
