# How a rule runs a step of the package, and what happens when a run starts and ends.

from heldout.cells.progress import watch

# The spec of a step goes to its standard input.
STEP = """
"$HELDOUT_PYTHON" -S "$HELDOUT_STEP" results/{wildcards.task} {log} > {log} 2>&1 <<'SPEC'
{params.spec}
SPEC
"""

# A step that reads the cells of a task is told how many manifests list them. That is no part of its
# spec, for other batches give the same numbers: Snakemake compares no param that is made from inputs.
STEP_ON_CELLS = STEP.replace("{log} >", "{log} {params.batches} >")

# A step for all tasks.
STEP_ON_TASKS = STEP.replace("results/{wildcards.task}", "results")


# What must be known beforehand; then, in a long run, how far its fitting jobs are.
onstart:
    for note in study.notes:
        logger.info(note)
    watch([Path("results", task) for task in study.tasks], say=logger.info)


onsuccess:
    host.end_at_once()


onerror:
    host.end_at_once()
