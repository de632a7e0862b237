"""The files of a finished run, opened for reading: used by the report, the figures and the command line."""
