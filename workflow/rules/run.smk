# How a rule runs a step of the package, and what happens when a run starts and ends.

from heldout.cells.progress import watch

# A step is given one file, which says all that it depends on: `plan.reads` adds it to the inputs of
# a rule, as `spec`. The line can be pasted into a shell. (-P: a user's random.py shadows nothing.)
STEP = "python -P -m heldout.execution.step {input.spec}"

# The files of a prepared table: with and without its features.
TABLE = expand("results/{{task}}/data/{file}", file=["table.json", "y.npy", "rows.npy"])
WHOLE_TABLE = [
    *TABLE,
    "results/{task}/data/X.npy",
    "results/{task}/data/strings.parquet",
]


# What must be known beforehand; then, in a long run, how far its fitting jobs are.
onstart:
    with host.plain_errors():
        host.check_installed()
    for note in study.notes:
        logger.info(note)
    watch([Path("results", task) for task in study.tasks], say=logger.info)


onsuccess:
    host.end_at_once()


onerror:
    host.end_at_once()
