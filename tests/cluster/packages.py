"""What the test of a cluster needs: put there if possible, or named."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = {
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "munged": "munge",
}
"""What is needed, and Debian's package for it."""
PLUGINS = ("slurm", "slurm-jobstep")
"""Snakemake's executors that are needed."""
REPO = Path(__file__).parents[2]


class MissingError(Exception):
    """Something that the test needs is not there and could not be put there."""

    def __init__(self, what: str):
        super().__init__(
            f"this test boots a SLURM on this machine, but {what}\n"
            "(to leave it out: pytest -m 'not cluster')"
        )


def install() -> None:
    """Install the daemons where they are missing, or say what is missing."""
    missing = _missing()
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_get("install", "--no-install-recommends", *missing) or (
            _apt_get("update") and _apt_get("install", "--no-install-recommends", *missing)
        )
        missing = _missing()
    if missing:
        raise MissingError(f"it lacks {', '.join(missing)}; apt-get install {' '.join(missing)}")
    if os.geteuid() != 0:
        raise MissingError("its nodes need root; run it as root, in a container, say")


def install_plugins(folder: Path) -> None:
    """Put Snakemake's executors into a folder of their own: where they are installed for good,
    every start of Snakemake imports pandas.
    """
    names = [f"snakemake-executor-plugin-{name}" for name in PLUGINS]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--constraint", str(REPO / "constraints.txt"), "--target", str(folder), *names]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise MissingError(f"pip could not install {' and '.join(names)}:\n{done.stderr}")


def _missing() -> list[str]:
    return sorted({package for name, package in PROGRAMS.items() if not shutil.which(name)})


def _apt_get(*words: str) -> bool:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(["apt-get", "-y", "-q", *words], env=environment, capture_output=True)
    return done.returncode == 0
