"""What goes into a paper: a paragraph on the methods, tables, a model card and figures."""
