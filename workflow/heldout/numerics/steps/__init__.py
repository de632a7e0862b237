"""heldout's own steps of Pipelines that take rows as a DataFrame, and the building of such Pipelines."""
