"""What a finished run left on disk, opened for reading: report, figures and command line use it."""
