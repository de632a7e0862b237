# The workflow is workflow/Snakefile; this lets plain `snakemake` find it in a checkout.

import heldout  # before the next file, whose folder Snakemake puts first on Python's path


include: "workflow/Snakefile"


# An included rule is no default target.
rule everything:
    default_target: True
    input:
        rules.all.input,
