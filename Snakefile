# The workflow is workflow/Snakefile; this lets plain `snakemake` find it in a checkout.

import os
import sys

# Snakemake puts this folder first on Python's path, `python -m` the working folder. Last, a random.py
# of the user's shadows nothing. After them the library of a bare checkout, for `--lint` and `-n`.
sys.path.sort(key=lambda folder: folder in ("", os.getcwd(), workflow.basedir))
sys.path.append(os.path.join(str(workflow.basedir), "workflow"))

import heldout  # before the next file, whose folder Snakemake puts first as well


include: "workflow/Snakefile"


# An included rule is no default target.
rule everything:
    default_target: True
    input:
        rules.all.input,
