"""The coverage study: how often do intervals contain the risk they are printed beside?

``python benchmarks/coverage.py`` runs the problems of coverage.yaml through heldout's own audit
(`snakemake --cores 2`, in benchmarks/out/coverage: a run that was stopped goes on where it stopped), then
writes docs/coverage.csv and docs/coverage.md. It prints how long it will take, from one timed draw of every cell.

``--quick``: a few draws of a few problems; ``--only NAME``: one problem (may be repeated); ``--draws N``: as many
draws everywhere. The tables of such a run go to its own folder in benchmarks/out/, not to docs/.
``--estimate`` prints the times and stops. ``--scores``: the study of scores (coverage_scores.yaml), which are numbers of
a whole set; it writes docs/coverage_scores.csv and docs/coverage_scores.md.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from coverage_page import page
from coverage_problems import FILE, SCORES, Cell, cells_of, config_of, read_problems
from coverage_rows import CoverageRow, rows_of
from coverage_scores_page import scores_page
from threadpoolctl import threadpool_limits

from heldout.audit.replicate import Auditor
from heldout.data.prepare import prepare
from heldout.errors import did_you_mean
from heldout.estimates.rows import write_rows
from heldout.execution.specs import build
from heldout.execution.steps.audit_batch import setup_of
from heldout.execution.study import Study
from heldout.execution.tasks import DeclaredTask
from heldout.files import write_atomic

ROOT = Path(__file__).parents[1]
OUT = Path(__file__).parent / "out"
QUICK = ("ridge", "groups_classes", "diabetes", "plain_ridge")
QUICK_SCORES = ("auc_groups", "f1", "r2_ridge", "median_error")
QUICK_DRAWS = 3
JOB_SECONDS = 0.5
"""What a job costs besides its draws."""


def main() -> None:
    given = arguments()
    cells = chosen_cells(given)
    whole = not (given.quick or given.only or given.draws)
    name = "coverage_scores" if given.scores else "coverage"
    folder = given.out or OUT / (name if whole else f"{name}-part")
    if not (given.quick or given.tables):
        print_estimate(cells, given.cores, each=given.estimate)
    if given.estimate:
        return
    started = time.monotonic()
    if not given.tables:
        run_audits(cells, folder, given.cores)
    seconds = time.monotonic() - started
    target = (ROOT / "docs" if whole and not given.out else folder) / name
    write_tables(cells, folder, target, scores_page if given.scores else page)
    print(f"{len(cells)} cells in {seconds / 60:.1f} minutes")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few draws of a few problems")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a problem")
    parser.add_argument("--scores", action="store_true", help="the study of scores")
    parser.add_argument("--draws", type=int, help="of every cell")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where to work, and to write the tables")
    parser.add_argument("--tables", action="store_true", help="write the tables of a run anew")
    parser.add_argument("--estimate", action="store_true", help="print the times and stop")
    return parser.parse_args()


def chosen_cells(given: argparse.Namespace) -> list[Cell]:
    """All cells; with `--quick`, the smallest n of a few problems."""
    problems = {one.name: one for one in read_problems(SCORES if given.scores else FILE)}
    for name in given.only:
        if name not in problems:
            sys.exit(f"--only: unknown problem '{name}'{did_you_mean(name, list(problems))}")
    quick = QUICK_SCORES if given.scores else QUICK
    names = given.only or (quick if given.quick else list(problems))
    draws = given.draws or (QUICK_DRAWS if given.quick else None)
    cells = cells_of((problems[name] for name in names), draws)
    smallest = {cell.problem.name: cell for cell in reversed(cells)}
    return list(reversed(smallest.values())) if given.quick else cells


# --- how long it will take -----------------------------------------------------------------------


def print_estimate(cells: Sequence[Cell], cores: int, each: bool) -> None:
    """Minutes of the whole run, if nothing of it is there yet; on request, the seconds of each cell."""
    study, total = Study(config_of(cells)), 0.0
    for cell in cells:
        seconds = seconds_per_draw(study.task(cell.task), cell.n)
        jobs = len(study.audit_batches(cell.task)) + 1
        total += seconds * cell.draws + jobs * JOB_SECONDS
        if each:
            print(f"{cell.task:24} {seconds:7.3f} s × {cell.draws} = {seconds * cell.draws:4.0f} s")
    print(f"about {total / cores / 60:.0f} minutes for {len(cells)} cells on {cores} idle cores")


def seconds_per_draw(task: DeclaredTask, n: int) -> float:
    """Of the second draw: the first one imports what is needed."""
    with TemporaryDirectory() as folder, threadpool_limits(1):
        if not task.is_oracle:
            prepare(build.prepare_data(task), Path(folder, "data"), Path(folder, "vault"))
        auditor = Auditor(setup_of(Path(folder), build.audit_batch(task, str(n), "0001")))
        auditor.replicate(n, 1)
        started = time.process_time()
        auditor.replicate(n, 2)
        return time.process_time() - started


# --- the run -------------------------------------------------------------------------------------


def run_audits(cells: Sequence[Cell], folder: Path, cores: int) -> None:
    """The audits of all cells, and nothing else of their tasks."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "coverage.config.yaml"
    config.write_text(yaml.safe_dump(config_of(cells), sort_keys=False), encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--quiet", "rules"]
    command += ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)]
    command += ["--max-jobs-per-timespan", "100000/10s"]  # each timespan it looks at all jobs anew
    command += ["--rerun-incomplete", "--keep-going", "--configfile", str(config), "--"]
    command += [f"results/{cell.task}/audit.csv" for cell in cells]
    subprocess.run(command, check=True)


def write_tables(
    cells: Sequence[Cell], results: Path, target: Path, write: Callable[..., str]
) -> None:
    """The csv file of all rows, and the page of them."""
    rows = [row for cell in cells for row in rows_of(cell, results / "results" / cell.task)]
    write_rows(target.with_suffix(".csv"), CoverageRow, rows)
    text = write(rows, [cell.problem for cell in cells]).encode()
    write_atomic(target.with_suffix(".md"), lambda file: file.write(text))
    print(f"written: {target}.csv and {target.name}.md")


if __name__ == "__main__":
    main()
