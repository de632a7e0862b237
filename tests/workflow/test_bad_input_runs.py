"""A run with bad input fails, says why, and leaves the results of the last good run alone."""

from collections.abc import Callable

import pytest
from harness import ALL_CELLS, RISKS, Project, Run, Snapshot

FINISHED = ("risks.csv", "estimates.csv", "estimates", "selection.json", "final", "report.html")


def misspell_key(project: Project) -> None:
    project.config["sede"] = 1


def misname_file(project: Project) -> None:
    project.task["data"] = "bird.csv"


def lose_a_label(project: Project) -> None:
    project.lines[4] = project.lines[4].rpartition(",")[0] + ","


def ask_for_the_impossible(project: Project) -> None:
    project.config["learners"]["knn"]["grid"]["n_neighbors"] = [1, 5, 9, -3]


BEFORE_ANY_FITTING_JOB: list[tuple[Callable[[Project], None], str]] = [
    (misspell_key, "sede: unknown key 'sede'; did you mean 'seed'?"),
    (misname_file, "tasks.birds: no file at 'bird.csv' (looked in "),
    (lose_a_label, "target 'species' is missing in 1 of 75 rows (first: row 4)"),
]


def failed_run(project: Project) -> Run:
    run = project.run()
    assert run.code != 0
    assert "Traceback" not in run.text
    return run


def cells_without_manifests(project: Project) -> Snapshot:
    return {k: v for k, v in project.snapshot("cells").items() if "/manifests/" not in k}


@pytest.mark.parametrize(("spoil", "message"), BEFORE_ANY_FITTING_JOB)
def test_bad_input_stops_a_run_and_overwrites_nothing(
    spoil: Callable[[Project], None], message: str, project: Project
) -> None:
    before = project.snapshot(*FINISHED, "cells")
    spoil(project)
    run = failed_run(project)
    assert message in run.text
    assert "fit_cells" not in run.jobs
    assert project.snapshot(*FINISHED, "cells") == before


def test_a_refused_value_stops_the_fitting_jobs_and_overwrites_no_result(project: Project) -> None:
    """Snakemake removes the manifest of a failed job; all that it listed is still there."""
    before, cells = project.snapshot(*FINISHED), cells_without_manifests(project)
    ask_for_the_impossible(project)
    run = failed_run(project)
    assert (
        """learner 'knn' refuses θ = {"n_neighbors":-3}: The 'n_neighbors' parameter""" in run.text
    )
    assert project.snapshot(*FINISHED) == before
    assert cells_without_manifests(project) == cells

    project.config["learners"]["knn"]["grid"]["n_neighbors"].remove(-3)
    run = project.succeed(RISKS)
    assert (project.fitted(run), project.reused(run)) == (0, ALL_CELLS)
    assert project.snapshot(*FINISHED) == before
