"""What is fitted: pipelines, engines and the arrays they see. All that the key of a cell hashes is here."""
