"""The jobs that a config asks for.

Snakemake finds them by going from the files that are wanted to those that these need; ``heldout
check`` must know them without Snakemake, to tell a job that has not ended from one that is no longer
asked for. A test compares this list with the jobs of a dry run.
"""

from collections.abc import Iterator

from heldout.execution.study import Study

Wildcards = dict[str, str]
ALWAYS = (
    "estimate_risks",
    "select_model",
    "estimate_procedures",
    "train_final",
    "write_card",
    "tabulate_estimates",
    "run_checks",
    "render_report",
)
"""Steps after fitting that every task has once."""


def jobs_of(study: Study, task: str, batches: int) -> dict[str, tuple[str, Wildcards]]:
    """The jobs of a task.

    Parameters
    ----------
    study
        The config.
    task
        The name of a task; empty for what belongs to all of them.
    batches
        The number of batches in which its cells are fitted.

    Returns
    -------
    dict
        The step and the wildcards of each job besides the task, by the name of the job.

    Examples
    --------
    >>> study = Study({"tasks": {"a": {"data": "a.csv", "target": "y", "learners": ["knn"]}}})
    >>> jobs_of(study, "a", batches=2)["fit_cells.1-of-2"]
    ('fit_cells', {'batch': '1', 'batches': '2'})
    >>> list(jobs_of(study, "", batches=1))
    ['render_index']
    """
    if not task:
        return {"render_index": ("render_index", {})}
    once = {step: (step, Wildcards()) for step in (*ALWAYS, *_sometimes(study, task))}
    first = {"prepare_data": ("prepare_data", Wildcards())}
    return first | dict(_repeated(study, task, batches)) | once


def _sometimes(study: Study, task: str) -> Iterator[str]:
    if study.has_metrics(task):
        yield "compute_metrics"
    if study.has_test(task):
        yield from ("open_test", "score_test")
    if study.refits(task):
        yield "train_all"
    if task in study.figures:
        yield "draw_figures"
    if task in study.audits:
        yield from ("summarise_audit", "render_audit")


def _repeated(study: Study, task: str, batches: int) -> Iterator[tuple[str, tuple[str, Wildcards]]]:
    for split in study.splits(task):
        yield f"draw_splits.{split}", ("draw_splits", {"split": split})
    for batch in range(1, batches + 1):
        yield fitting(batch, batches)
    if task in study.audits:
        for m, one in study.audit_numbers(task):
            yield f"audit_batch.m{m}.{one}", ("audit_batch", {"m": m, "batch": one})


def fitting(batch: int, batches: int) -> tuple[str, tuple[str, Wildcards]]:
    """A fitting job: its name, its step and its wildcards.

    Parameters
    ----------
    batch, batches
        The number of the batch, from 1 on, and how many there are.

    Returns
    -------
    tuple
        The name of the job, and (the step, its wildcards).

    Examples
    --------
    >>> fitting(1, 2)[0]
    'fit_cells.1-of-2'
    """
    wildcards = {"batch": str(batch), "batches": str(batches)}
    return f"fit_cells.{batch}-of-{batches}", ("fit_cells", wildcards)
