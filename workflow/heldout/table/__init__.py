"""Tables: reading them, typing their columns, and the arrays that fits work on."""
