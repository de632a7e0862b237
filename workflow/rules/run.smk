# How a rule runs a step of the package, and what happens when a run starts and ends.

from heldout.cells.progress import watch

# All that a step is told is in a file beside its log; its spec begins with a brace.
STEP = """
(echo '{{"folder": "results/{wildcards.task}", "log": "{log}", "batches": [],'; tail -c +2 <<'SPEC'
{params.spec}
SPEC
) > {log}.json
"$HELDOUT_PYTHON" -S "$HELDOUT_STEP" {log}.json
"""

# A step that reads the cells of a task is told how many manifests list them. That is no part of its
# spec, for other batches give the same numbers: Snakemake compares no param that is made from inputs.
STEP_ON_CELLS = STEP.replace("[]", "[{params.batches}]")

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
