"""A finished task keeps its number of batches; anything else is divided anew."""

import json
import os
from pathlib import Path

import pytest

from heldout.execution.batches import batches_for_cluster, batches_for_cores, finished_batches


def write_set(folder: Path, batches: int, request: str = "asked", when: int = 100) -> list[Path]:
    """The manifests of one division, as the fitting jobs write them."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{batch}-of-{batches}.json" for batch in range(1, batches + 1)]
    for path in paths:
        facts = json.dumps({"task": "t", "request": request})
        path.write_text(f'{facts[:-1]}, "cells": [\n{{"learner": "knn"}}\n]}}\n')
        os.utime(path, (when, when))
    return paths


def test_a_complete_set_counts(tmp_path: Path) -> None:
    write_set(tmp_path, 3)
    assert finished_batches(tmp_path, "asked", []) == 3


def test_without_manifests_nothing_is_finished(tmp_path: Path) -> None:
    assert finished_batches(tmp_path / "nowhere", "asked", []) is None


def test_a_set_with_a_missing_manifest_does_not_count(tmp_path: Path) -> None:
    write_set(tmp_path, 3)[1].unlink()
    assert finished_batches(tmp_path, "asked", []) is None


@pytest.mark.parametrize("text", ["", "nonsense\n", '{"task": "t", "cells": [\n]}\n', "[\n"])
def test_a_manifest_of_another_kind_does_not_count(text: str, tmp_path: Path) -> None:
    write_set(tmp_path, 2)[1].write_text(text)
    assert finished_batches(tmp_path, "asked", []) is None


def test_a_set_for_another_request_does_not_count(tmp_path: Path) -> None:
    write_set(tmp_path, 2, request="other")
    assert finished_batches(tmp_path, "asked", []) is None
    write_set(tmp_path, 1)
    assert finished_batches(tmp_path, "asked", []) == 1


def test_a_set_that_was_written_for_two_requests_does_not_count(tmp_path: Path) -> None:
    """A run was ended before all of its jobs had run."""
    paths = write_set(tmp_path, 2)
    kept = paths[1].read_text()
    write_set(tmp_path, 2, request="other")
    paths[1].write_text(kept)
    assert finished_batches(tmp_path, "asked", []) is None
    assert finished_batches(tmp_path, "other", []) is None


@pytest.mark.parametrize(("older", "newer"), [(2, 3), (3, 2)])
def test_of_several_sets_the_newest_counts(older: int, newer: int, tmp_path: Path) -> None:
    write_set(tmp_path, older, when=100)
    write_set(tmp_path, newer, when=200)
    assert finished_batches(tmp_path, "asked", []) == newer


@pytest.mark.parametrize(("when", "found"), [(99, 2), (100, 2), (101, None)])
def test_a_newer_source_is_read_again(when: int, found: int | None, tmp_path: Path) -> None:
    write_set(tmp_path / "manifests", 2)
    source = tmp_path / "table.csv"
    source.write_text("x,y\n")
    os.utime(source, (when, when))
    sources = [source, tmp_path / "absent.csv"]
    assert finished_batches(tmp_path / "manifests", "asked", sources) == found


def test_a_batch_is_worth_its_start() -> None:
    assert [batches_for_cores(cells, 4) for cells in (0, 20, 21, 10_000)] == [1, 1, 2, 4]
    assert batches_for_cluster(10_000, units=100, cells_per_job=None) == 20
    assert batches_for_cluster(10_000, units=100, cells_per_job=1) == 100
