"""Everything that relies on private parts of scikit-learn, each with a check against scikit-learn's own results."""
