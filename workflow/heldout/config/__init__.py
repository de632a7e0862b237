"""The configuration: typed models, grids, and the study that the workflow asks for specs."""
