"""What is fitted: pipelines, engines and the arrays they use. The keys of cells hash this code."""
