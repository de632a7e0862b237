"""A job is due if and only if the content of something that it depends on changed."""

import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from heldout.errors import HeldoutError
from heldout.execution.graph import Graph
from heldout.execution.jobs import SPECS, read_job
from heldout.execution.planner import Flags, Planner, Situation
from heldout.receipts import Receipt, file_digest, read_receipt, write_receipt

RULES = {
    "prepare_data": (["results/{task}/data.txt"], "results/{task}/logs/prepare_data.log"),
    "fit_cells": (
        ["results/{task}/manifests/{batch}-of-{batches}.json"],
        "results/{task}/logs/fit_cells.{batch}-of-{batches}.log",
    ),
    "estimate_risks": (["results/{task}/risks.csv"], "results/{task}/logs/estimate_risks.log"),
    "render_index": (["results/index.html"], "results/logs/render_index.log"),
}


class Flagged(str):
    """A path whose times do not count."""


class Wildcards(dict[str, str]):
    """As Snakemake gives them to input functions."""

    __getattr__ = dict.__getitem__


@dataclass
class FakeStudy:
    """A study whose requests a test can change."""

    values: dict[str, Any] = field(default_factory=dict)
    suits: int = 2
    asked: int | None = None
    task_pattern: str = "birds|fish"

    @property
    def config(self) -> Any:
        return SimpleNamespace(batches=self.asked)

    def batches(self, _: str) -> int:
        return self.asked or self.suits

    def request(self, step: str, task: str = "", **wildcards: str) -> dict[str, Any]:
        value = self.values.get(step, 1)
        return {"step": step, "code": "c", "spec": {"value": value, "task": task} | wildcards}


@dataclass
class Workflow:
    """The rules of a toy workflow, planned afresh for every run."""

    study: FakeStudy = field(default_factory=FakeStudy)
    situation: Situation = field(default_factory=Situation)
    said: list[str] = field(default_factory=list)

    def planned(self) -> dict[str, Any]:
        """The input functions of all rules, of a new process."""
        self.said = []
        graph = Graph(
            self.study,  # type: ignore[arg-type]
            rule_of=lambda step: SimpleNamespace(output=RULES[step][0], log=[RULES[step][1]]),
        )
        flags = Flags(ancient=Flagged, unpack=lambda function: function)
        planner = Planner(graph, lambda: self.situation, flags, self.said.append)
        return {
            "prepare_data": planner.reads("prepare_data", table=["table.csv"]),
            "fit_cells": planner.reads("fit_cells", table="results/{task}/data.txt"),
            "estimate_risks": planner.reads("estimate_risks", manifests=planner.manifests),
            "render_index": planner.reads("render_index", risks=["results/birds/risks.csv"]),
        }

    def inputs(self) -> dict[str, dict[str, Any]]:
        """The inputs of every job, as Snakemake would ask for them: the last ones first."""
        rules, found = self.planned(), {}
        found["render_index"] = rules["render_index"](Wildcards())
        found["estimate_risks"] = rules["estimate_risks"](Wildcards(task="birds"))
        for manifest in found["estimate_risks"]["manifests"]:
            batch, _, batches = Path(manifest).stem.split("-")
            given = Wildcards(task="birds", batch=batch, batches=batches)
            found[f"fit_cells.{batch}-of-{batches}"] = rules["fit_cells"](given)
        found["prepare_data"] = rules["prepare_data"](Wildcards(task="birds"))
        return dict(reversed(found.items()))

    def due(self) -> list[str]:
        """The jobs that would run."""
        return [name for name, given in self.inputs().items() if type(given["spec"]) is str]

    def run(self) -> list[str]:
        """Run the jobs that are due, as their steps would."""
        jobs = {name: given["spec"] for name, given in self.inputs().items()}
        due = [name for name, spec in jobs.items() if type(spec) is str]
        for name in due:
            do(Path(jobs[name]))
        return due


def do(spec: Path) -> None:
    """Write the outputs of a job from its inputs and its request, and its receipt."""
    job = read_job(spec)
    read = [Path(path).read_text() for path in job.inputs]
    for path in job.outputs:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(f"{job.request['spec']} of {read}")
    digests = [{path: file_digest(path) for path in files} for files in (job.inputs, job.outputs)]
    write_receipt(job.receipt, Receipt(job.name, job.request, *digests))


ALL = ["prepare_data", "fit_cells.2-of-2", "fit_cells.1-of-2", "estimate_risks", "render_index"]


@pytest.fixture
def workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workflow:
    """A workflow that has been run."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("x,y\n1,2\n")
    made = Workflow()
    assert made.run() == ALL
    assert made.said == [
        "results: not made yet",
        "birds: not made yet",
    ]
    return made


def files() -> dict[str, tuple[int, bytes]]:
    paths = [path for path in Path().rglob("*") if path.is_file() and path.parts[0] != ".snakemake"]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def set_back(path: str, seconds: float = 1e6) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_nothing_is_due_after_a_run(workflow: Workflow) -> None:
    assert workflow.due() == []
    assert workflow.said == []
    for given in workflow.inputs().values():
        for files in given.values():
            for path in [files] if isinstance(files, str) else files:
                assert isinstance(path, Flagged)
                assert Path(path).is_file()


def test_times_do_not_count(workflow: Workflow) -> None:
    for path in Path().rglob("*"):
        if path.is_file():
            set_back(str(path), hash(path) % 1000)
    assert workflow.due() == []


def test_what_snakemake_remembers_does_not_count(workflow: Workflow) -> None:
    Path(".snakemake").rename("forgotten")
    assert workflow.due() == []
    assert all(Path(given["spec"]).is_file() for given in workflow.inputs().values())


def test_a_table_with_an_older_time_is_read_again(workflow: Workflow) -> None:
    Path("table.csv").write_text("x,y\n3,4\n")
    set_back("table.csv")
    assert workflow.run() == ALL
    assert workflow.said[-1] == "birds prepare_data: table.csv is not as it was read"
    assert workflow.said[0] == "render_index: estimate_risks runs, whose files it reads"
    assert workflow.due() == []


def test_only_what_depends_on_a_changed_request_is_due(workflow: Workflow) -> None:
    workflow.study.values["estimate_risks"] = 2
    inputs = workflow.inputs()
    assert workflow.due() == ["estimate_risks", "render_index"]
    assert workflow.said[-1] == "birds estimate_risks: value 1 → 2"
    assert all(isinstance(path, Flagged) for path in inputs["estimate_risks"]["manifests"])
    assert not any(isinstance(path, Flagged) for path in inputs["render_index"]["risks"])


def test_another_config_and_back_runs_both_times(workflow: Workflow) -> None:
    before = files()
    workflow.study.values["estimate_risks"] = 2
    workflow.run()
    workflow.study.values["estimate_risks"] = 1
    assert workflow.run() == ["estimate_risks", "render_index"]
    assert {path: content for path, (_, content) in files().items()} == {
        path: content for path, (_, content) in before.items()
    }


def test_older_results_over_newer_ones_are_noticed(workflow: Workflow) -> None:
    older = files()
    workflow.study.values["prepare_data"] = 2
    workflow.run()
    for path, (when, content) in older.items():
        Path(path).write_bytes(content)
        os.utime(path, ns=(when, when))
    assert workflow.due() == ALL


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.write_text("flipped"), "is not as it was written"),
        (lambda path: path.unlink(), "is missing"),
    ],
)
def test_a_damaged_output_is_made_again(workflow: Workflow, damage: Any, reason: str) -> None:
    path = "results/birds/manifests/1-of-2.json"
    damage(Path(path))
    assert workflow.run() == ["fit_cells.1-of-2", "estimate_risks", "render_index"]
    assert f"birds fit_cells.1-of-2: {path} {reason}" in workflow.said
    assert workflow.due() == []


@pytest.mark.parametrize("content", [None, "", "{}", '{"digest": "x", "job": "y"}', "[1]", "1"])
def test_a_receipt_that_is_gone_or_damaged_makes_a_job_due(
    workflow: Workflow, content: str | None
) -> None:
    receipt = Path("results/birds/receipts/estimate_risks.json")
    receipt.unlink()
    if content is not None:
        receipt.write_text(content)
    assert workflow.due() == ["estimate_risks", "render_index"]
    assert "birds estimate_risks: its receipt is missing or damaged" in workflow.said


def test_an_edited_receipt_is_not_believed(workflow: Workflow) -> None:
    """Else a table that was changed together with its digest would pass."""
    Path("results/birds/risks.csv").write_text("better")
    receipt = Path("results/birds/receipts/estimate_risks.json")
    before = read_receipt(receipt)
    assert before is not None
    old, new = before.outputs["results/birds/risks.csv"], file_digest("results/birds/risks.csv")
    receipt.write_text(receipt.read_text().replace(old, new))
    assert workflow.due() == ["estimate_risks", "render_index"]


def test_a_step_that_gave_the_same_again_makes_nothing_due(workflow: Workflow) -> None:
    """Its consumers read the content that is there."""
    given = workflow.inputs()["prepare_data"]["spec"]
    do(Path(given))
    assert workflow.due() == []


def test_an_input_that_was_written_by_another_run_is_noticed(workflow: Workflow) -> None:
    """A forced step may have given something else without its consumers having run."""
    spec = Path(workflow.inputs()["prepare_data"]["spec"])
    job = read_job(spec)
    Path(job.outputs[0]).write_text("other")
    receipt = read_receipt(job.receipt)
    assert receipt is not None
    outputs = {path: file_digest(path) for path in job.outputs}
    write_receipt(job.receipt, replace(receipt, outputs=outputs))
    assert workflow.due() == ALL[1:]
    assert "birds fit_cells.1-of-2: results/birds/data.txt is not as it was read" in workflow.said


def test_a_dry_run_writes_below_snakemakes_folder_only(workflow: Workflow) -> None:
    workflow.situation = Situation(dry=True)
    workflow.study.values["prepare_data"] = 2
    future = time.time() + 1e6
    os.utime("results/birds/data.txt", (future, future))
    before = files()
    assert workflow.due() == ALL
    assert files() == before


def test_times_in_the_future_do_not_hide_that_a_job_is_due(workflow: Workflow) -> None:
    """Snakemake would take a result from the future for newer than everything."""
    future = time.time() + 1e6
    for path in ("results/birds/risks.csv", "results/birds/manifests/1-of-2.json"):
        os.utime(path, (future, future))
    workflow.study.values["estimate_risks"] = 2
    assert workflow.due() == ["estimate_risks", "render_index"]
    for path in ("results/birds/risks.csv", "results/birds/manifests/1-of-2.json"):
        assert Path(path).stat().st_mtime <= time.time()


def test_the_file_of_a_due_job_is_new_and_that_of_another_one_is_old(workflow: Workflow) -> None:
    began = time.time()
    workflow.study.values["estimate_risks"] = 2
    inputs = workflow.inputs()
    assert Path(inputs["estimate_risks"]["spec"]).stat().st_mtime >= began - 0.1
    first = Path(inputs["estimate_risks"]["spec"]).read_bytes()
    again = Path(workflow.inputs()["estimate_risks"]["spec"]).read_bytes()
    assert first != again, "Snakemake does not run a job for an input with the same content"
    Path(".snakemake").rename("forgotten")
    assert Path(workflow.inputs()["prepare_data"]["spec"]).stat().st_mtime < began - 1000


def test_in_a_module_or_a_forced_run_times_are_left_to_snakemake(workflow: Workflow) -> None:
    workflow.situation = Situation(hides_times=False)
    for given in workflow.inputs().values():
        for files in given.values():
            for path in [files] if isinstance(files, str) else files:
                assert type(path) is str


def test_a_job_on_a_cluster_finds_its_file_and_writes_nothing(workflow: Workflow) -> None:
    workflow.study.values["prepare_data"] = 2
    planned = workflow.inputs()
    workflow.situation = Situation(decides=False)
    before = sorted((str(path), path.stat().st_mtime_ns) for path in Path().rglob("*"))
    found = workflow.inputs()
    assert found == planned
    assert sorted((str(path), path.stat().st_mtime_ns) for path in Path().rglob("*")) == before


def test_a_job_on_a_cluster_with_other_code_is_refused(workflow: Workflow) -> None:
    workflow.situation = Situation(decides=False)
    workflow.study.values["render_index"] = 2
    with pytest.raises(
        HeldoutError, match="render_index: this job was planned with another config"
    ):
        workflow.inputs()


def test_a_job_on_a_cluster_takes_the_batches_that_were_planned(workflow: Workflow) -> None:
    """Although a division from before is there too."""
    workflow.study.suits = 3
    Path("results/birds/manifests/1-of-2.json").write_text("damaged")
    planned = workflow.inputs()
    assert [Path(path).name for path in planned["estimate_risks"]["manifests"]][-1] == "3-of-3.json"
    for name in ("fit_cells.1-of-3", "fit_cells.2-of-3", "fit_cells.3-of-3"):
        do(Path(planned[name]["spec"]))
    workflow.situation, workflow.study.suits = Situation(decides=False), 9
    assert workflow.inputs() == planned


@pytest.mark.parametrize("step", ["prepare_data", "fit_cells"])
def test_a_job_on_a_cluster_takes_no_batches_of_another_config(
    step: str, workflow: Workflow
) -> None:
    """Although their files are whole, and the last that were touched."""
    old = Path(workflow.inputs()["estimate_risks"]["spec"])
    workflow.study.suits, workflow.study.values[step] = 3, 2
    planned = workflow.inputs()
    for name in planned:
        if name.startswith(("prepare_data", "fit_cells")):
            do(Path(planned[name]["spec"]))
    old.touch()
    workflow.situation = Situation(decides=False)
    assert workflow.inputs()["estimate_risks"] == planned["estimate_risks"]
    assert len(planned["estimate_risks"]["manifests"]) == 3


def test_a_new_job_of_a_task_with_results_is_named(workflow: Workflow) -> None:
    workflow.study.asked = 3
    workflow.inputs()
    assert "birds fit_cells.1-of-3: not made yet" in workflow.said
    assert "birds: not made yet" not in workflow.said


def test_another_number_of_cores_alone_runs_nothing(workflow: Workflow) -> None:
    workflow.study.suits = 5
    assert workflow.due() == []


def test_of_two_finished_divisions_the_one_in_use_counts(workflow: Workflow) -> None:
    for asked in (1, 3):
        workflow.study.asked = asked
        assert workflow.run()[-2:] == ["estimate_risks", "render_index"]
        workflow.study.asked = None
        assert workflow.due() == [], asked


def test_the_files_of_jobs_lie_apart(workflow: Workflow) -> None:
    """Snakemake lists a folder once, and takes for missing what is written there later."""
    folders = [Path(given["spec"]).parent for given in workflow.inputs().values()]
    assert len(set(folders)) == len(folders)
    assert all(SPECS in folder.parents for folder in folders)
