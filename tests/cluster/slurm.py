"""A throw-away SLURM on this machine: one controller, several virtual nodes, all in one folder.

Only two things lie outside the folder: Debian's packages, which are installed when missing, and
a link at SLURM's default place to the configuration, because Snakemake's jobs do not hand
``SLURM_CONF`` down. The link is taken away at the end.
"""

import contextlib
import os
import re
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
from packages import MissingError

DEFAULT_CONFIG = Path("/etc/slurm/slurm.conf")
NODES = ("n1", "n2", "n3")
CPUS, MEMORY = 2, 4000
BOOT_SECONDS = 60
SAVE_SECONDS = 6
"""The controller writes its state down every five seconds."""

CONFIG = """
ClusterName=throwaway
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A node that fails gives its jobs back after cred_expire seconds (120 unless told).
AuthInfo=cred_expire=5,socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool.%n
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
# No cgroups: a job is a group of processes, whose memory is read from /proc every second.
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/finished.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=2
EnforcePartLimits=ALL
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=12
InactiveLimit=0
KillWait=2
MinJobAge=600
{nodes}
PartitionName=main Nodes={names} Default=YES MaxTime=600 LLN=YES State=UP
"""

SACCT = """#!/bin/sh
# Stands in for accounting, which would need a database: the queue remembers the same.
echo "$@" >> "{folder}/asked.txt"
case "$*" in *--name*) ;; *) exit 1 ;; esac
while [ $# -gt 1 ]; do shift; done
exec squeue --states=all --noheader "--format=%i|%T" --name "$1"
"""


@dataclass(frozen=True)
class Job:
    """A job as squeue shows it."""

    number: str
    state: str
    node: str
    comment: str
    memory: str

    @property
    def is_fit(self) -> bool:
        """Whether it fits cells."""
        return self.comment.startswith("rule_fit_cells")


class Slurm:
    """Boots, breaks, mends and stops it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.plugins = folder / "plugins"
        """To be put on Python's path: what Snakemake needs to talk to a SLURM."""
        self.commands = folder / "commands"
        """To be put on the shell's path."""

    # --- boot and stop -----------------------------------------------------------------------

    def boot(self) -> None:
        """Start everything and wait until a job runs on every node."""
        self._write_config()
        (self.folder / "owner.pid").write_text(str(os.getpid()))
        self._link_config()
        self._write_sacct()
        self._start_munge()
        self.start_controller("-c")
        for node in NODES:
            self.start_node(node)
        wait_until(lambda: set(self.idle_nodes()) == set(NODES), "idle nodes", self._logs)
        self._ask("srun", "--nodes", str(len(NODES)), "--mem", "10", "true")

    def stop(self) -> None:
        """Cancel what runs, stop the daemons by their pid files, take the link away."""
        for node in NODES:
            self.stop_node(node)
        self.kill("slurmctld", signal.SIGTERM)
        self.kill("munge/munged", signal.SIGTERM)
        if DEFAULT_CONFIG.is_symlink() and DEFAULT_CONFIG.readlink() == self._config:
            DEFAULT_CONFIG.unlink()

    def start_controller(self, *options: str) -> None:
        """Start the controller, which remembers its jobs unless told not to (-c)."""
        subprocess.run(["slurmctld", "-f", self._config, *options], check=True, timeout=20)
        wait_until(lambda: _succeeds(["sinfo"]), "answer of the controller", self._logs)

    def stop_controller(self) -> None:
        """As in a crash, but after it has saved what it knows so far."""
        time.sleep(SAVE_SECONDS)
        self.kill("slurmctld", signal.SIGKILL)

    def times_asked(self) -> int:
        """How often sacct was asked: Snakemake's plugin does that when the controller is down."""
        path = self.folder / "asked.txt"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def start_node(self, node: str) -> None:
        """Start the daemon of a node."""
        subprocess.run(["slurmd", "-f", self._config, "-N", node], check=True, timeout=20)

    def stop_node(self, node: str) -> None:
        """As in a power cut: the daemon and everything that runs on the node."""
        self.kill(f"slurmd.{node}", signal.SIGKILL)
        end(self._processes_on(node), signal.SIGKILL)

    # --- looking -----------------------------------------------------------------------------

    def jobs(self) -> list[Job]:
        """All jobs the controller remembers, finished ones too."""
        columns = "--format=%i|%T|%N|%k|%m"
        text = self._ask("squeue", "--states=all", "--noheader", "--sort=i", columns)
        return [Job(*line.split("|")) for line in text.splitlines()]

    def running_fits(self) -> list[Job]:
        """The fitting jobs that are on a node now, by their part."""
        running = [job for job in self.jobs() if job.is_fit and job.state == "RUNNING"]
        return sorted(running, key=lambda job: job.comment)

    def states(self, job: Job) -> list[str]:
        """How a job ended, each time it did: a node's failure does not end it for good."""
        lines = (self.folder / "finished.txt").read_text().splitlines()
        return [
            line.split("JobState=")[1].split()[0]
            for line in lines
            if f"JobId={job.number} " in line
        ]

    def cancel(self, *jobs: Job) -> None:
        """Cancel jobs and wait for their end."""
        numbers = {job.number for job in jobs}
        self._ask("scancel", *numbers)
        wait_until(lambda: numbers <= self._cancelled(), "end of cancelled jobs", self._logs)

    def _cancelled(self) -> set[str]:
        return {job.number for job in self.jobs() if job.state == "CANCELLED"}

    def idle_nodes(self) -> list[str]:
        """Nodes that could take a job."""
        return self._ask("sinfo", "--noheader", "--Node", "--states=idle", "--format=%N").split()

    # --- inside ------------------------------------------------------------------------------

    @property
    def _config(self) -> Path:
        return self.folder / "slurm.conf"

    def _write_config(self) -> None:
        for name in ("state", "munge", *(f"spool.{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True)
        host = socket.gethostname().split(".")[0]
        port, *ports = free_ports(1 + len(NODES))
        lines = [
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
            f"CPUs={CPUS} RealMemory={MEMORY} State=UNKNOWN"
            for node, port in zip(NODES, ports, strict=True)
        ]
        text = CONFIG.format(
            host=host, port=port, folder=self.folder, nodes="\n".join(lines), names=",".join(NODES)
        )
        self._config.write_text(text)

    def _write_sacct(self) -> None:
        self.commands.mkdir()
        script = self.commands / "sacct"
        script.write_text(SACCT.format(folder=self.folder))
        script.chmod(0o755)

    def _link_config(self) -> None:
        end_leftovers()
        DEFAULT_CONFIG.parent.mkdir(parents=True, exist_ok=True)
        try:
            DEFAULT_CONFIG.symlink_to(self._config)
        except FileExistsError:
            raise MissingError(
                f"there is one already ({DEFAULT_CONFIG} exists), which it does not touch"
            ) from None

    def _start_munge(self) -> None:
        folder = self.folder / "munge"
        (folder / "key").write_bytes(secrets.token_bytes(128))
        (folder / "key").chmod(0o400)
        command = ["munged", "--force", f"--socket={folder}/socket", f"--key-file={folder}/key"]
        command += [f"--{name}-file={folder}/munged.{name}" for name in ("pid", "log", "seed")]
        subprocess.run(command, check=True, timeout=20, capture_output=True)
        test = f"munge -n -S {folder}/socket | unmunge -S {folder}/socket"
        wait_until(lambda: _succeeds(["sh", "-c", test]), "munge", self._logs)

    def _ask(self, *command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{command}: {done.stderr}\n{self._logs()}"
        return done.stdout

    def pid(self, name: str) -> int | None:
        """What a pid file says."""
        try:
            return int((self.folder / f"{name}.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None

    def kill(self, name: str, how: signal.Signals) -> None:
        """Stop a daemon by its pid file, and wait for its end."""
        pid = self.pid(name)
        if pid is not None and psutil.pid_exists(pid):
            end([psutil.Process(pid)], how)
        (self.folder / f"{name}.pid").unlink(missing_ok=True)

    def _processes_on(self, node: str) -> list[psutil.Process]:
        """The step daemons of a node, which have sockets there, and all that its jobs started."""
        sockets = (self.folder / f"spool.{node}").glob(f"{node}_*.*")
        numbers = {path.name.removeprefix(f"{node}_").split(".")[0] for path in sockets}
        found = [
            one
            for one in psutil.process_iter()
            if self._job_of(one) in numbers or self._node_of(one) == node
        ]
        return list({one: None for parent in found for one in (parent, *descendants(parent))})

    def _job_of(self, process: psutil.Process) -> str | None:
        """The number of the job whose step daemon this is; None for all other processes."""
        try:
            title = re.match(r"slurmstepd: \[(\d+)\.", " ".join(process.cmdline()))
            return title[1] if title and process.cwd() == str(self.folder) else None
        except psutil.Error:
            return None

    def _node_of(self, process: psutil.Process) -> str | None:
        """The node of the job that a process belongs to; None for all other processes."""
        try:
            told = process.environ()
        except psutil.Error:
            return None
        return told.get("SLURMD_NODENAME") if told.get("SLURM_CONF") == str(self._config) else None

    def _logs(self) -> str:
        return "\n".join(
            f"--- {path.name}\n" + "".join(path.read_text().splitlines(True)[-25:])
            for path in sorted(self.folder.glob("*.log"))
        )


def end_leftovers() -> None:
    """Stop what a test left behind that was killed itself."""
    if not DEFAULT_CONFIG.is_symlink():
        return
    left = Slurm(DEFAULT_CONFIG.readlink().parent)
    owner = left.pid("owner")
    if not DEFAULT_CONFIG.exists() or (owner is not None and not psutil.pid_exists(owner)):
        left.stop()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def descendants(process: psutil.Process) -> list[psutil.Process]:
    """What a process started, and what that started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.children(recursive=True)
    return []


def end(processes: list[psutil.Process], how: signal.Signals) -> None:
    """Send a signal and wait; those that do not listen are killed."""
    for sent, patience in ((how, 10.0), (signal.SIGKILL, 5.0)):
        processes = [process for process in processes if _is_alive(process)]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(sent)
        deadline = time.monotonic() + patience
        while any(map(_is_alive, processes)) and time.monotonic() < deadline:
            time.sleep(0.02)


def _is_alive(process: psutil.Process) -> bool:
    """A zombie, which nobody has reaped yet, is not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(
    is_true: Callable[[], object], what: str, logs: Callable[[], str], seconds: float = BOOT_SECONDS
) -> None:
    """Look again and again."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, f"no {what} after {seconds} s\n{logs()}"
        time.sleep(0.1)


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
