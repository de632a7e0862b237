"""The command line that runs the workflow, and what is shown of Snakemake's words."""

import sys
from pathlib import Path

import pytest

from heldout.cli import main, parser
from heldout.execution.installed import profile_options, workflow_folder
from heldout.execution.launch import Launch
from heldout.execution.snakemake_log import failures, planned

REPO = Path(__file__).parents[3]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    launch = Launch(Path("a.yaml"), cores=3, more=["--keep-going"])
    folder = REPO / "workflow"
    assert launch.command == [
        *(sys.executable, "-P", "-m", "snakemake", "--snakefile", str(folder / "Snakefile")),
        *("--workflow-profile", str(folder / "profiles" / "default")),
        *("--configfile", "a.yaml", "--cores", "3", "--keep-going"),
    ]


def test_a_cluster_is_not_told_how_many_cores_it_has() -> None:
    assert "--cores" not in Launch(profile="slurm").command
    assert Launch(profile="slurm", cores=4).command[-2:] == ["--cores", "4"]
    assert Launch().command[-2:] == ["--cores", "all"]


def test_a_profile_here_comes_before_one_of_heldout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = str(workflow_folder() / "profiles" / "slurm")
    assert profile_options("slurm") == ["--workflow-profile", shipped]
    for folder in (Path("profiles", "slurm"), Path("slurm")):
        folder.mkdir(parents=True)
        assert profile_options("slurm")[1] != str(folder)  # no profile yet
        (folder / "config.yaml").touch()
        assert profile_options("slurm") == ["--workflow-profile", str(folder)]


def test_what_follows_two_dashes_is_for_snakemake() -> None:
    given = parser().parse_args(["run", "--cores", "2", "--", "--config", "open_again=true", "-q"])
    assert given.more == ["--config", "open_again=true", "-q"]
    assert given.cores == 2


def test_a_config_without_its_option_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["other.yaml"], ["--", "other.yml"]):
        assert main(["run", *words]) == 1
        assert f"heldout run --config {words[-1]}" in capsys.readouterr().err


@pytest.mark.parametrize("cores", ["0", "-1", "two", "1.5"])
def test_cores_are_counted(cores: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["run", f"--cores={cores}"])
    assert f"should be a whole number from 1 (found {cores})" in capsys.readouterr().err


def test_an_error_is_shown_without_the_header_of_versions() -> None:
    text = "SNAKEMAKE\n=========\n  Host: vm\n  Config file(s): ['a.yaml']\nMissingRuleException:\nNo rule to produce a.\n"
    assert failures(text) == "MissingRuleException:\nNo rule to produce a."


def test_parts_that_failed_alike_are_shown_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = ""
    for part, said in enumerate(["no 'NoTree'", "no 'NoTree'", "killed"]):
        Path(f"{part}.log").write_text(f"heldout: {said}\n")
        text += f"Error in rule fit_cells:\n    jobid: {part}\n    log: {part}.log (check log)\n\n"
    assert failures(text).splitlines() == [
        *("fit_cells failed (0.log):", "  heldout: no 'NoTree'"),
        *("fit_cells failed (2.log):", "  heldout: killed"),
    ]


def test_of_a_usage_only_the_reason_is_shown() -> None:
    text = "usage: snakemake [-h]\n                 [--dry-run]\nsnakemake: error: unrecognized arguments: --so\n"
    assert failures(text) == "unrecognized arguments: --so"


def test_a_job_that_failed_twice_is_shown_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text("\n".join(f"line {i}" for i in range(60)))
    block = "Error in rule fit_cells:\n    jobid: 4\n    log: a.log (check log file(s) for error details)\n"
    found = failures(f"{block}\nTrying to restart job 4.\n{block}\n").splitlines()
    assert found[0] == "fit_cells failed (a.log):"
    assert found[1:] == [f"  line {i}" for i in range(40, 60)]


def test_a_failure_without_a_log_shows_what_snakemake_says() -> None:
    block = "Error in rule fit_cells:\n    jobid: 4\n    external_jobid: 77\n"
    assert "external_jobid: 77" in failures(f"{block}\n")


def test_a_dry_run_that_is_not_understood_is_shown_as_it_is() -> None:
    assert planned("Building DAG of jobs...\nsomething new\n") == "something new"
