"""`heldout check --repair` and a run mend what is wrong."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from checking import (
    CELL,
    FOLDER,
    RUN_COMMAND,
    TABLES,
    add_theta,
    check,
    delete,
    everything,
    flip,
    inspected,
)
from harness import CONFIG, Project

from heldout.cli import main
from heldout.execution.digests import MEMORY
from heldout.faults import REPAIR


def test_a_repair_and_a_run_give_what_a_clean_run_gives(
    cold: Project, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = next((FOLDER / "cells/.shared").iterdir())
    for name in ("data/X.npy", "splits/kfold.csv", "final/model.joblib", "receipts/open_test.json"):
        flip(FOLDER / name)
    for path in (
        CELL,
        FOLDER / "cells/tree/max_depth=1/dev.model",
        shared,
        FOLDER / "cells/format",
    ):
        flip(path)
    delete(FOLDER / "cells/majority/default/full.safetensors")
    code, shown = check(capsys, "--repair")
    assert code == 0
    assert "repair: removed " in shown
    assert f"is made anew by: {RUN_COMMAND}\n" in shown
    holders = sum(shared.name in path.read_bytes().decode("latin1") for path in cells())
    run = here.succeed()
    assert here.fitted(run) in (3 + holders, 2 + holders)  # the damaged cell may hold the part
    assert inspected(here) == []
    assert here.snapshot(*TABLES) == cold.snapshot(*TABLES)


def cells() -> list[Path]:
    return list(FOLDER.glob("cells/*/*/*.safetensors"))


def test_a_repair_without_faults_removes_nothing(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(here.folder)
    code, shown = check(capsys, "--repair")
    assert code == 0
    assert "repair: removed 0 files and the receipts of 0 jobs\n" in shown
    assert everything(here.folder) == before


def hide(path: Path) -> None:
    """Let the next run believe that a file has not changed, as after a silent error of the disk."""
    found = path.stat()
    stamp = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    known = json.loads(MEMORY.read_text())
    known[str(path)] = [stamp, known[str(path)][1]]
    MEMORY.write_text(json.dumps(known))


def test_damage_that_left_no_trace_needs_a_repair(
    cold: Project, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    page = FOLDER / "report.html"
    assert not here.succeed().jobs  # remembers the digests of this copy
    flip(page)
    hide(page)
    assert not here.succeed().jobs
    assert [(one.what, one.mend) for one in inspected(here)] == [(str(page), REPAIR)]
    assert check(capsys, "--repair")[0] == 0
    assert set(here.succeed().jobs) == {"render_report", "everything"}
    assert inspected(here) == []


def test_what_no_run_makes_anew_is_forgotten_by_a_repair(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    manifests = FOLDER / "cells" / "manifests"
    old = sorted(manifests.iterdir())
    here.config["batches"] = len(old) + 1
    here.succeed()
    flip(old[0])
    assert [(one.what, one.mend) for one in inspected(here)] == [(str(old[0]), REPAIR)]
    assert check(capsys, "--repair")[0] == 0
    assert inspected(here) == []
    assert not here.succeed().jobs


@pytest.mark.parametrize("name", ["X.npy", "y.npy"])
def test_a_damaged_table_poisons_no_cell(
    name: str, cold: Project, here: Project, tmp_path: Path
) -> None:
    """Neither where the next run notices by itself, nor where only the step that reads it can."""
    path = FOLDER / "data" / name
    assert not here.succeed().jobs
    flip(path)
    hide(path)
    add_theta(here)
    run = here.run()
    assert run.code != 0
    assert f"'{path}' is damaged" in run.text
    here.succeed()
    clean = cold.copy_to(tmp_path / "clean")
    add_theta(clean)
    clean.succeed()
    assert here.snapshot(*TABLES, "data") == clean.snapshot(*TABLES, "data")
    seals = [json.loads(line) for line in manifest_lines(here)]
    assert sorted(map(str, seals)) == sorted(map(str, map(json.loads, manifest_lines(clean))))


def manifest_lines(project: Project) -> Iterator[str]:
    """The key and the seal of every cell."""
    for path in sorted(project.results.glob("cells/manifests/*-of-2.json")):
        for entry in json.loads(path.read_text())["cells"]:
            for held_out, fields in entry["sets"].items():
                yield json.dumps([entry["learner"], entry["theta"], held_out, fields[:2]])


def lock() -> Path:
    path = Path(".snakemake/locks/0.output.lock")
    path.parent.mkdir(exist_ok=True)
    path.write_text("results/birds/risks.csv\n")
    return path


@pytest.mark.parametrize("command", [["check", "--repair"], ["clean"]])
def test_nothing_is_removed_during_a_run(
    command: list[str], here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(CELL)
    locked = lock()
    before = everything(here.folder)
    assert main([*command, "--config", CONFIG]) == 1
    shown = capsys.readouterr().err
    assert "a workflow runs in this folder" in shown
    assert f"If it was killed: heldout run --unlock --config {CONFIG}\n" in shown
    assert everything(here.folder) == before
    assert "note: a workflow runs here, or was killed" in check(capsys)[1]
    locked.unlink()
    assert main([*command, "--config", CONFIG]) == 0
