"""The profiles fit the rules, and the generic one understands LSF, PBS and SGE.

What the schedulers answer is taken from their manuals: here they are stand-ins that say it.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packages import REPO

PROFILES = REPO / "workflow" / "profiles"
MANY_JOBS = {"fit_cells", "audit_batch"}
LOCAL = {"render_index"}
PROPERTIES = {"rule": "fit_cells", "threads": 2, "resources": {"mem_mb": 1501, "runtime": 75}}

MARKS = {"lsf": "bsub", "pbs": "pbsnodes", "sge": "qconf"}
"""A command that only this scheduler has."""
SUBMISSIONS = {
    "lsf": (
        ("bsub", "Job <12> is submitted to default queue <normal>."),
        "-n 2 -R span[hosts=1] -M 1501MB -R rusage[mem=1501MB] -W 75 -J heldout.fit_cells"
        " -o .snakemake/jobs/%J.log",
        "12",
    ),
    "pbs": (
        ("qsub", "12.head"),
        "-V -l select=1:ncpus=2:mem=1501mb -l walltime=01:15:00 -N heldout.fit_cells -j oe"
        " -o .snakemake/jobs/",
        "12.head",
    ),
    "sge": (
        ("qsub", "12"),
        "-terse -V -cwd -pe smp 2 -l h_vmem=751M -l h_rt=01:15:00 -N heldout.fit_cells -j y"
        " -o .snakemake/jobs/$JOB_ID.log",
        "12",
    ),
}
ANSWERS = [
    ("lsf", {"bjobs": "PEND"}, "running"),
    ("lsf", {"bjobs": "RUN"}, "running"),
    ("lsf", {"bjobs": "DONE"}, "success"),
    ("lsf", {"bjobs": "EXIT"}, "failed"),
    ("lsf", {"bjobs": "Job <12> is not found"}, "success"),
    ("lsf", {"bjobs": "LSF is down. Please wait ..."}, "running"),
    ("pbs", {"qstat": "    job_state = R"}, "running"),
    ("pbs", {"qstat": "    job_state = F\n    Exit_status = 0"}, "success"),
    ("pbs", {"qstat": "    job_state = F\n    Exit_status = 271"}, "failed"),
    ("pbs", {"qstat": "    job_state = F"}, "failed"),
    ("pbs", {"qstat": "qstat: Unknown Job Id 12.head"}, "success"),
    ("pbs", {"qstat": "Connection refused\nqstat: cannot connect to server"}, "running"),
    ("sge", {"qstat": "job_number:                 12"}, "running"),
    ("sge", {"qacct": "failed       0    \nexit_status  0    \n"}, "success"),
    ("sge", {"qacct": "failed       0    \nexit_status  1    \n"}, "failed"),
    ("sge", {"qacct": "failed       37  : qmaster enforced h_rt\nexit_status  137 \n"}, "failed"),
    ("sge", {"qacct": "error: job id 12 not found"}, "success"),
    ("sge", {"qstat": "error: commlib error: got select error"}, "running"),
]


def profile(name: str) -> dict[str, object]:
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


@pytest.mark.parametrize("name", ["slurm", "generic"])
def test_every_rule_has_its_place_in_a_cluster_profile(name: str) -> None:
    texts = [path.read_text() for path in (REPO / "workflow" / "rules").glob("*.smk")]
    rules = {rule for text in texts for rule in re.findall(r"^rule (\w+):", text, re.MULTILINE)}
    groups = profile(name)["groups"]
    assert isinstance(groups, dict)
    assert set(groups) == rules - MANY_JOBS - LOCAL


def test_the_cluster_profiles_agree_on_what_is_not_the_schedulers() -> None:
    slurm, generic = profile("slurm"), profile("generic")
    for key in ("groups", "default-resources", "retries", "latency-wait", "jobs", "keep-going"):
        assert slurm[key] == generic[key], key
    assert profile("default").items() <= slurm.items()
    assert profile("default").items() <= generic.items()


class Site:
    """A machine with stand-ins for the commands of a scheduler."""

    def __init__(self, folder: Path, scheduler: str, answers: dict[str, str]):
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        for command, answer in ({MARKS[scheduler]: ""} | answers).items():
            path = self.bin / command
            path.write_text(
                f'#!/bin/sh\nprintf "%s\\n" "$*" > {command}.txt\ncat <<"END"\n{answer}\nEND\n'
            )
            path.chmod(0o755)

    def call(self, script: str, argument: str) -> str:
        """What a script of the generic profile prints."""
        done = subprocess.run(
            [sys.executable, PROFILES / "generic" / script, argument],
            cwd=self.folder,
            env={"PATH": f"{self.bin}:/usr/bin:/bin", "HELDOUT_SUBMIT": "-q long"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def called(self, command: str) -> str:
        """The words that a stand-in was called with."""
        return (self.folder / f"{command}.txt").read_text().strip()


@pytest.mark.parametrize("scheduler", SUBMISSIONS)
def test_a_job_is_submitted_with_what_it_needs(scheduler: str, tmp_path: Path) -> None:
    (command, answer), words, number = SUBMISSIONS[scheduler]
    (tmp_path / "job.sh").write_text(f"#!/bin/sh\n# properties = {json.dumps(PROPERTIES)}\ntrue\n")
    site = Site(tmp_path, scheduler, {command: answer})
    assert site.call("submit", "job.sh") == number
    assert site.called(command) == f"{words} -q long job.sh"


@pytest.mark.parametrize(("scheduler", "answers", "state"), ANSWERS)
def test_an_answer_is_understood(
    scheduler: str, answers: dict[str, str], state: str, tmp_path: Path
) -> None:
    assert Site(tmp_path, scheduler, answers).call("status", "12") == state


@pytest.mark.parametrize(("scheduler", "command"), [("lsf", "bkill"), ("pbs", "qdel")])
def test_a_job_is_cancelled(scheduler: str, command: str, tmp_path: Path) -> None:
    site = Site(tmp_path, scheduler, {command: ""})
    site.call("cancel", "12")
    assert site.called(command) == "12"


def test_the_scripts_can_be_called() -> None:
    for script in ("submit", "status", "cancel"):
        assert os.access(PROFILES / "generic" / script, os.X_OK)
