"""Every file that a step reads is a declared input; cells, receipts and the ledger aside."""

import re
from collections import defaultdict
from pathlib import Path

from harness import TASK, Project

from heldout.execution.jobs import SPECS, read_job

ASIDE = re.compile(
    r"results/\w+/cells/(?!manifests/).*"  # cells carry their own digests
    r"|results/(\w+/)?receipts/.*"
    r"|results/(\w+/)?logs/.*"
    r"|\.heldout/.*"  # the ledger, and what a task remembers of it
    r"|results/\w+/vault/witness\.json"
)


def opened(log: Path, folder: Path) -> dict[str, set[str]]:
    """What each job has read: the files of the study, from the opening of its spec on."""
    specs: dict[str, str] = {}
    planner = ""
    read: dict[str, set[str]] = defaultdict(set)
    written: dict[str, set[str]] = defaultdict(set)
    for line in log.read_text().splitlines():
        process, kind, name = line.split("\t")
        path = Path(folder, name)
        if process == planner or not path.is_relative_to(folder):
            continue
        name = str(path.relative_to(folder))
        if Path(name).is_relative_to(SPECS):
            if kind == "w":  # Snakemake itself, which also digests what jobs read
                planner = process
            specs[process] = name
        elif process in specs and kind == "r" and name not in written[process]:
            read[specs[process]].add(name)
        elif kind == "w":
            written[process].add(name)
    return read


def test_a_step_reads_declared_files_only(tmp_path: Path) -> None:
    project = Project(tmp_path / "study")
    project.folder.mkdir()
    project.task["metrics"] = ["accuracy"]
    project.task["estimators"] = ["training", "holdout", "kfold", "nested_cv", "bootstrap", "test"]
    project.task["audit"] = {"replicates": 2, "m": [40], "batch": 2, "truth": 100}
    project.config["figures"] = True
    hook = tmp_path / "hook"
    hook.mkdir()
    code = (Path(__file__).parent / "opened_files.py").read_text()
    (hook / "sitecustomize.py").write_text(code)
    project.put_first(hook)
    project.environment = {"OPENED_FILES": str(tmp_path / "opened.tsv")}
    run = project.succeed()
    read = opened(tmp_path / "opened.tsv", project.folder)
    steps = {read_job(project.folder / spec).step for spec in read}
    assert steps == set(run.jobs) - {"everything"}, "every step was watched"
    undeclared = {}
    for spec, paths in read.items():
        job = read_job(project.folder / spec)
        own = {*job.inputs, *job.outputs}
        found = {path for path in paths - own if not ASIDE.fullmatch(path)}
        if found:
            undeclared[job.name] = sorted(found)
    assert undeclared == {}
    assert f"results/{TASK}/data/X.npy" in set().union(*read.values()), "the hook sees arrays"
