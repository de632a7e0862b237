"""What the config declares about learners: definitions, grids and the catalogue of short names."""
