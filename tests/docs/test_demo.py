"""The demo tells the story that the README tells: its answer, word by word, and its longer grid."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import heldout

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = ("fitted", "reused")
PROMPT = "$ heldout show diabetes\n"


def snakemake(folder: Path, config: str) -> None:
    """The workflow with a config."""
    (folder / "demo.yaml").write_text(config, encoding="utf-8")
    command = ["snakemake", "--cores", "2", "--quiet", "all", "--configfile", "demo.yaml"]
    command += ["--snakefile", str(ROOT / "Snakefile")]
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_demo_gives_the_answer_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = (ROOT / "config" / "config.yaml").read_text(encoding="utf-8")
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    snakemake(tmp_path, config)
    task = heldout.open("results")["diabetes"]
    assert str(task).strip() == README.partition(PROMPT)[2].partition("```")[0].strip()
    risks = task.estimates.query("estimator == 'nested_cv' and recommended").set_index("learner")
    assert risks.ci_high["knn"] > risks.risk["all"] > risks.ci_low["knn"]
    assert risks.ci_high["all"] < risks.ci_low["mean"]

    failed = task.checks.query("status == 'fail'")
    assert failed.code.tolist() == ["H005"]

    longer = "{logspace: [-1, 5, 13]}"
    assert f"`{longer}`" in README
    snakemake(tmp_path, config.replace("{logspace: [2, 5, 7]}", longer))
    selection = json.loads(Path("results/diabetes/selection.json").read_text())
    assert (selection["learner"], selection["test"]["state"]) == ("ridge", "refused")
    assert 0.1 < selection["theta"]["alpha"] < 100
    logs = [log.read_text() for log in Path("results/diabetes/logs").glob("fit_cells.*.log")]
    fitted, reused = (sum(map(int, re.findall(rf"(\d+) {word}", str(logs)))) for word in WORDS)
    assert fitted * (28 - 6) == reused * 6, "cells of six new values of 28 θ"
