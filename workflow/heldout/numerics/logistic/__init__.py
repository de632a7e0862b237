"""The optimum of L2-penalised logistic regression, from a start that depends on nothing."""
