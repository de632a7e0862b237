"""`python benchmarks/rows.py` takes a table of 10⁶ × 50 from parquet to the report, and says what each step needs.

Memory is the proportional set size (PSS) of all processes of the run together, looked at ten times a second: a page that
two of them share, as they share what the fork server imported and a table that is mapped into memory, counts once.
One task predicts a class (logistic, boosting), one a number (ridge, boosting); a fifth of the rows is sealed. What one
job needs is its resident size at most, pages that it shares included. `--rows 100000` takes a minute.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import REPO, fresh_folder

FEATURES = 50
CORES = 2
EVERY = 0.1
"""Seconds between two looks at the memory."""
SNAKEMAKE = "(snakemake)"
LEARNERS = {
    "logistic": {"estimator": "logistic", "grid": {"C": [0.01, 1.0]}},
    "ridge": {"estimator": "ridge", "grid": {"alpha": [1.0, 100.0]}},
    "boosting": {"estimator": "boosting", "grid": {"max_iter": [25, 50]}},
}
PLAN = {
    "data": "table.parquet",
    "estimators": ["training", "kfold", "min_cv", "nested_cv", "test"],
    "kfold": {"k": 3},
}
TASKS = {
    "class": {
        **PLAN, "target": "label", "drop": ["value"], "learners": ["logistic", "boosting"],
    },
    "number": {
        **PLAN, "target": "value", "drop": ["label"], "loss": "squared", "learners": ["ridge", "boosting"],
    },
}  # fmt: skip


def write_table(path: Path, rows: int) -> None:
    """Gaussian features, a number that depends on ten of them, and the class that it makes likely."""
    import pyarrow as pa
    from pyarrow import parquet

    generator = np.random.default_rng(0)
    columns = {f"x{i:02d}": generator.normal(size=rows) for i in range(FEATURES)}
    first = [columns[f"x{i:02d}"] for i in range(10)]
    score = sum((-1) ** i * x / (1 + i) for i, x in enumerate(first)) + first[0] * first[1]
    label = np.where(score + generator.logistic(size=rows) > 0, "yes", "no")
    value = score + generator.normal(size=rows)
    parquet.write_table(pa.table({**columns, "label": label, "value": value}), path)


class Memory(threading.Thread):
    """Looks at the memory of all processes that work in a folder, until it is stopped.

    Parameters
    ----------
    folder
        The working folder of the run.
    """

    def __init__(self, folder: Path):
        super().__init__(daemon=True)
        self._folder, self._stopped = str(folder.resolve()), threading.Event()
        self.peaks: dict[str, float] = {}
        """By step: the most that its process needed, in MB."""
        self.total, self.at_peak = 0.0, dict[str, float]()
        """The most that all needed together, in MB; and who needed it."""

    def run(self) -> None:
        """Look again and again."""
        while not self._stopped.wait(EVERY):
            found: dict[str, float] = {}
            for process in Path("/proc").glob("[0-9]*"):
                one = self._look_at(process)
                if one is not None:
                    found[one[0]] = found.get(one[0], 0.0) + one[1]
            for step, size in found.items():
                self.peaks[step] = max(self.peaks.get(step, 0.0), size)
            if sum(found.values()) > self.total:
                self.total, self.at_peak = sum(found.values()), found

    def _look_at(self, process: Path) -> tuple[str, float] | None:
        """The step that a process works on, by the log that it writes, and its PSS; None if it is of another run."""
        try:
            if str((process / "cwd").readlink()) != self._folder:
                return None
            log = (process / "fd" / "1").readlink()
            lines = (process / "smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended
            return None
        pss = next((line.split()[1] for line in lines if line.startswith("Pss:")), "0")
        return (_step(log) if "logs" in log.parts else SNAKEMAKE), int(pss) / 1024

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        self.join()


def _step(log: Path) -> str:
    """`results/class/logs/fit_cells.1-of-2.log` is of a job of the step fit_cells."""
    return log.name.partition(".")[0]


def run(folder: Path, cores: int) -> tuple[float, Memory]:
    """The whole workflow: seconds, and the memory that was needed."""
    (folder / "config.yaml").write_text(json.dumps({"tasks": TASKS, "learners": LEARNERS}))
    memory = Memory(folder)
    memory.start()
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--snakefile", str(REPO / "Snakefile"), "--directory",
         str(folder), "--configfile", "config.yaml", "--cores", str(cores), "--quiet", "all"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - started
    memory.stop()
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return seconds, memory


def receipts_of(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What each job said of itself, by step."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("results/**/receipts/*.json")):
        receipt = json.loads(path.read_text())
        found.setdefault(receipt["request"]["step"], []).append(receipt)
    return found


def table(folder: Path, memory: Memory) -> str:
    """What each step took, in Markdown: its jobs' seconds, what one of them and what all at the same time needed."""
    lines = ["| step | jobs | CPU s | a job, MB | all its jobs, MB |", "|---|---|---|---|---|"]
    for step, jobs in sorted(receipts_of(folder).items()):
        seconds, one = sum(job["cpu_seconds"] for job in jobs), max(job["peak_mb"] for job in jobs)
        together = memory.peaks.get(step, 0.0)
        lines.append(f"| `{step}` | {len(jobs)} | {seconds:.1f} | {one:.0f} | {together:.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Make the table, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cores", type=int, default=CORES)
    given = parser.parse_args()
    folder = fresh_folder()
    write_table(folder / "table.parquet", given.rows)
    seconds, memory = run(folder, given.cores)
    print(table(folder, memory))
    parts = ", ".join(f"{step} {size:.0f}" for step, size in memory.at_peak.items())
    print(
        f"\n{seconds:.0f} s with {given.cores} cores; peak of all: {memory.total:.0f} MB ({parts})"
    )
    stored = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
    print(
        f"table in memory: {given.rows * FEATURES * 8 / 1e6:.0f} MB; on disk: {stored / 1e6:.0f} MB"
    )


if __name__ == "__main__":
    main()
