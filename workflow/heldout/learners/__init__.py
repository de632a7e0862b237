"""What is declared about learners: definitions, grids and the catalogue of short names."""
