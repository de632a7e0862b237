"""Another workflow uses this one as a module: it makes the table and reads the results."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness import REPO, TASK, Project, small_config, table_lines

SNAKEFILE = """
configfile: "analysis.yaml"


shell.prefix("export OURS=kept; ")


# What this workflow does when it starts and ends is its own.
def late():
    shell("touch late.txt")


onstart:
    shell("touch started.txt")


onsuccess:
    import threading

    threading.Timer(1, late).start()


module heldout:
    snakefile:
        "{snakefile}"
    config:
        config["heldout"]


use rule * from heldout as heldout_*


rule announce_model:
    default_target: True
    input:
        "results/{task}/selection.json",
    output:
        "announcement.txt",
    shell:
        "echo $OURS > {{output}}; cat {{input}} >> {{output}}"


rule make_table:
    input:
        "lines.txt",
    output:
        "tables/birds.csv",
    shell:
        "cp {{input}} {{output}}"
"""


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_the_workflow_is_a_module_of_another_one(snakefile: str, tmp_path: Path) -> None:
    config = small_config()
    config["tasks"][TASK] |= {"data": "tables/birds.csv", "estimators": ["kfold"]}
    (tmp_path / "analysis.yaml").write_text(json.dumps({"heldout": config, "colour": "blue"}))
    (tmp_path / "lines.txt").write_text("\n".join(table_lines()) + "\n")
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(snakefile=REPO / snakefile, task=TASK))
    run_in(tmp_path)
    first, *rest = (tmp_path / "announcement.txt").read_text().splitlines()
    assert first == "kept"
    assert (tmp_path / "started.txt").is_file()
    assert (tmp_path / "late.txt").is_file()
    assert json.loads("\n".join(rest))["learner"] in ("knn", "tree", "majority")


@pytest.mark.parametrize("option", ['prefix: "inner"', 'replace_prefix: {"results/": "ours/"}'])
def test_a_prefix_is_refused(option: str, tmp_path: Path) -> None:
    (tmp_path / "analysis.yaml").write_text(json.dumps({"heldout": small_config()}))
    module = SNAKEFILE.format(snakefile=REPO / "workflow" / "Snakefile", task=TASK)
    key, value = option.split(": ", 1)
    module = module.replace("use rule *", f"    {key}:\n        {value}\n\n\nuse rule *")
    (tmp_path / "Snakefile").write_text(module)
    said = run_in(tmp_path, code=1)
    assert "`prefix` and `replace_prefix` are not supported" in said


def run_in(folder: Path, code: int = 0) -> str:
    """Run the workflow of a folder; what it said."""
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(REPO / "workflow")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == code, run.stderr
    return run.stderr


def test_a_table_that_the_other_workflow_makes_anew_is_read_in_the_same_run(
    tmp_path: Path,
) -> None:
    config = small_config()
    config["tasks"][TASK] |= {"data": "tables/birds.csv", "estimators": ["kfold"], "test": 0}
    (tmp_path / "analysis.yaml").write_text(json.dumps({"heldout": config}))
    (tmp_path / "lines.txt").write_text("\n".join(table_lines()) + "\n")
    snakefile = SNAKEFILE.format(snakefile=REPO / "workflow" / "Snakefile", task=TASK)
    (tmp_path / "Snakefile").write_text(snakefile)
    run_in(tmp_path)
    assert "Nothing to be done" in run_in(tmp_path)
    risks = tmp_path / "results" / TASK / "risks.csv"
    before = risks.read_bytes()
    (tmp_path / "lines.txt").write_text("\n".join(table_lines(60)) + "\n")
    assert "make_table" in run_in(tmp_path)
    assert risks.read_bytes() != before
    assert "Nothing to be done" in run_in(tmp_path)
    config["level"] = 0.8
    (tmp_path / "analysis.yaml").write_text(json.dumps({"heldout": config}))
    assert "birds estimate_risks: level 0.95 → 0.8" in run_in(tmp_path)


def test_both_snakefiles_make_everything(tmp_path: Path) -> None:
    project = Project(tmp_path)
    other = str(REPO / "workflow" / "Snakefile")
    here, there = project.succeed("--dry-run"), project.succeed("--dry-run", "--snakefile", other)
    assert here.jobs.total() > 10
    assert there.outputs == here.outputs
