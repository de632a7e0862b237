"""Talks to LSF, PBS, SGE or SLURM for the scripts `submit`, `status` and `cancel` beside it.

Which one is found out from the commands there are; HELDOUT_SCHEDULER=lsf|pbs|sge|slurm decides.
What a site wants besides (a queue, a project) goes into HELDOUT_SUBMIT, e.g. "-q long -P mine".
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOGS = Path(".snakemake/jobs")
"""Where the scheduler puts what a job prints; the steps' own logs are in results/."""


@dataclass(frozen=True)
class Scheduler:
    """How to submit a job, what its number looks like, how to ask for its state and to end it.

    `states` maps patterns of an answer to what Snakemake wants to hear; the first that fits counts.
    """

    has: str
    submit: str
    number: str
    ask: list[str]
    states: dict[str, str]
    cancel: str


FORGOTTEN = "success"
"""A job the scheduler no longer knows: Snakemake looks for its output and decides itself."""

SCHEDULERS = {
    "lsf": Scheduler(
        has="bsub",
        submit="bsub -n {threads} -R span[hosts=1] -M {mem_mb}MB -R rusage[mem={mem_mb}MB]"
        " -W {minutes} -J {name} -o {logs}/%J.log",
        number=r"Job <(\d+)>",
        ask=["bjobs -noheader -o stat {job}"],
        states={r"\bDONE\b": "success", r"\bEXIT\b": "failed", "is not found": FORGOTTEN},
        cancel="bkill",
    ),
    "pbs": Scheduler(
        has="pbsnodes",
        submit="qsub -V -l select=1:ncpus={threads}:mem={mem_mb}mb -l walltime={clock}"
        " -N {name} -j oe -o {logs}/",
        number=r"(\S+)",
        ask=["qstat -x -f {job}"],
        states={
            r"(?i)exit_status = 0\b": "success",
            r"(?i)exit_status = |job_state = F": "failed",
            "Unknown Job": FORGOTTEN,
        },
        cancel="qdel",
    ),
    "sge": Scheduler(
        has="qconf",
        submit="qsub -terse -V -cwd -pe smp {threads} -l h_vmem={mem_mb_per_thread}M"
        " -l h_rt={clock} -N {name} -j y -o {logs}/$JOB_ID.log",
        number=r"(\d+)",
        ask=["qstat -j {job}", "qacct -j {job}"],
        states={
            r"job_number:": "running",
            r"(?s)failed\s+0\s.*exit_status\s+0\s": "success",
            r"exit_status\s": "failed",
            r"error: job id \d+ not found": FORGOTTEN,
        },
        cancel="qdel",
    ),
    "slurm": Scheduler(
        has="sbatch",
        submit="sbatch --parsable --cpus-per-task {threads} --mem {mem_mb} --time {minutes}"
        " --job-name {name} --output {logs}/%j.log",
        number=r"(\d+)",
        ask=["scontrol --oneliner show job {job}"],
        states={
            r"JobState=COMPLETED": "success",
            r"JobState=(PENDING|RUNNING|COMPLETING|SUSPENDED|CONFIGURING|REQUEUED)": "running",
            r"JobState=": "failed",
            "Invalid job id": FORGOTTEN,
        },
        cancel="scancel",
    ),
}


def find() -> Scheduler:
    """The scheduler of this machine."""
    given = os.environ.get("HELDOUT_SCHEDULER")
    if given:
        return SCHEDULERS[given]
    for scheduler in SCHEDULERS.values():
        if shutil.which(scheduler.has):
            return scheduler
    sys.exit(f"no scheduler: none of {', '.join(s.has for s in SCHEDULERS.values())} is a command")


def submit(scheduler: Scheduler, script: Path) -> str:
    """Submit Snakemake's script and return the number of the job."""
    LOGS.mkdir(parents=True, exist_ok=True)
    wishes = _wishes(_properties(script))
    words = shlex.split(scheduler.submit)
    command = [word.format(**wishes) for word in words]
    command += [*shlex.split(os.environ.get("HELDOUT_SUBMIT", "")), str(script)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(scheduler.number, answer)
    return found[1] if found else sys.exit(f"no job number in the answer of {command[0]}: {answer}")


def _properties(script: Path) -> dict[str, Any]:
    """What Snakemake wrote into its script about the job."""
    [line] = re.findall(r"^# properties = (.*)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    return json.loads(line)


def _wishes(properties: dict[str, Any]) -> dict[str, Any]:
    resources, threads = properties["resources"], properties["threads"]
    minutes, mem_mb = int(resources["runtime"]), int(resources["mem_mb"])
    return {
        "name": f"heldout.{properties.get('rule') or properties['groupid']}",
        "threads": threads,
        "mem_mb": mem_mb,
        "mem_mb_per_thread": -(-mem_mb // threads),
        "minutes": minutes,
        "clock": f"{minutes // 60:02d}:{minutes % 60:02d}:00",
        "logs": LOGS,
    }


def status(scheduler: Scheduler, job: str) -> str:
    """running, success or failed. A scheduler that does not answer has not ended the job."""
    for question in scheduler.ask:
        answer = _ask(question.format(job=shlex.quote(job)))
        for pattern, state in scheduler.states.items():
            if re.search(pattern, answer):
                return state
    return "running"


def _ask(question: str) -> str:
    try:
        done = subprocess.run(shlex.split(question), capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def cancel(scheduler: Scheduler, jobs: list[str]) -> None:
    """End jobs."""
    subprocess.run([scheduler.cancel, *jobs], check=False)
