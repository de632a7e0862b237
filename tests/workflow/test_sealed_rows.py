"""The sealed rows: one rule reads them, for one selection, and every opening is on record."""

import ast
import csv
import json
import os
import re
from pathlib import Path
from typing import Any

from harness import ESTIMATES, MODEL, REPO, TASK, UNSEALED, Project

SEALED = f"results/{TASK}/vault/sealed.parquet"
OPEN = ("--forcerun", "open_test")


def ledger(project: Project) -> list[dict[str, Any]]:
    lines = (project.results / "vault" / "ledger.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def select_majority(project: Project) -> None:
    """Leave a single learner, so that something else is selected than in the cold run."""
    project.task["learners"] = ["majority"]


def test_a_cold_run_opens_the_test_set_once(cold: Project) -> None:
    [entry] = ledger(cold)
    selection = json.loads((cold.results / "selection.json").read_text())
    assert (entry["learner"], entry["theta"]) == (selection["learner"], selection["theta"])
    assert entry["selections_so_far"] == 1


def test_the_same_selection_may_be_tested_again(cold: Project, project: Project) -> None:
    project.succeed(ESTIMATES, *OPEN)
    assert {entry["selections_so_far"] for entry in ledger(project)} == {1}
    assert len({entry["selection"] for entry in ledger(project)}) == 1
    assert project.snapshot("estimates.csv") == cold.snapshot("estimates.csv")


def test_another_selection_is_refused_and_admitted_at_a_price(project: Project) -> None:
    before, entries = project.snapshot("estimates.csv"), ledger(project)
    select_majority(project)
    run = project.run(ESTIMATES)
    assert run.code != 0
    assert "the test set has already judged another selection (1 so far)" in run.text
    assert "snakemake --config open_again=true" in run.text
    assert ledger(project) == entries
    assert project.snapshot("estimates.csv") == before

    project.succeed(ESTIMATES, "--config", "open_again=true")
    assert [entry["selections_so_far"] for entry in ledger(project)] == [1, 2]
    second_look = widths_of_test(project)

    (project.results / "vault" / "ledger.jsonl").unlink()
    project.succeed(ESTIMATES, *OPEN)
    first_look = widths_of_test(project)
    assert first_look.keys() == second_look.keys()
    assert "clopper_pearson" in first_look
    assert all(second_look[name] > width for name, width in first_look.items() if width < 1)


def widths_of_test(project: Project) -> dict[str, float]:
    """The width of each interval for the test risk."""
    with (project.results / "estimates.csv").open(newline="") as file:
        return {
            row["interval"]: float(row["ci_high"]) - float(row["ci_low"])
            for row in csv.DictReader(file)
            if (row["learner"], row["estimator"]) == ("all", "test")
        }


# --- nobody else reads them ----------------------------------------------------------------


def test_only_open_test_has_the_sealed_rows_as_an_input(project: Project) -> None:
    project.task["metrics"] = ["accuracy"]
    project.task["audit"] = {"replicates": 2, "m": [30], "batch": 2}
    project.config["figures"] = True
    run = project.succeed("--dry-run", "--forceall")
    assert {rule for rule, files in run.inputs.items() if SEALED in files} == {"open_test"}
    assert {rule for rule, files in run.outputs.items() if SEALED in files} == {"prepare_data"}
    assert rules_in_the_workflow() <= set(run.jobs)


def rules_in_the_workflow() -> set[str]:
    files = (REPO / "workflow" / "rules").glob("*.smk")
    return {name for path in files for name in re.findall(r"^rule (\w+):", path.read_text(), re.M)}


def test_only_prepare_and_open_test_name_the_sealed_file() -> None:
    library = REPO / "workflow" / "heldout"
    naming = {str(p.relative_to(library)) for p in library.rglob("*.py") if names_sealed_file(p)}
    assert naming == {"data/prepare.py", "execution/steps/open_test.py"}


def names_sealed_file(module: Path) -> bool:
    """Whether a text in the code (not in a docstring) speaks of a parquet file that is sealed."""
    tree = ast.parse(module.read_text())
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return any(isinstance(text, str) and text.endswith("sealed.parquet") for text in texts)


def test_everything_but_the_test_works_without_the_sealed_rows(project: Project) -> None:
    """The file is replaced by nonsense of the same age: who reads it would fail."""
    path = project.folder / SEALED
    times = path.stat()
    path.write_bytes(b"nobody reads this")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    run = project.succeed(UNSEALED, MODEL, "--forcerun", "draw_splits", "train_final")
    assert {"draw_splits", "fit_cells", "estimate_procedures", "train_final"} <= set(run.jobs)
    assert path.read_bytes() == b"nobody reads this"

    assert project.run(ESTIMATES, *OPEN).code != 0
