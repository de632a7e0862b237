"""Everything that knows Snakemake or the machine: the study, specs, steps, resources, the fork server."""
