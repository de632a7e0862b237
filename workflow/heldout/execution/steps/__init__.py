"""One module per rule of the workflow: read the inputs, call the library, write the outputs."""
