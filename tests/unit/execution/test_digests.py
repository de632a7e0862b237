"""Digests are remembered, and never for another content."""

import os
import time
from pathlib import Path

import pytest

from heldout.execution import digests
from heldout.execution.digests import SETTLED, Digests
from heldout.receipts import file_digest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that has not changed for a while."""
    path = tmp_path / "table.csv"
    path.write_text("x,y\n1,2\n")
    time.sleep(2 * SETTLED)
    return path


def remembered(tmp_path: Path, path: Path) -> str | None:
    """What a new process finds."""
    found = Digests(tmp_path / "memory.json")
    answer = found.of(path)
    found.save()
    return answer


def test_a_file_is_read_once(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = remembered(tmp_path, file)
    monkeypatch.setattr(digests, "file_digest", lambda _: "read again")
    assert remembered(tmp_path, file) == first == file_digest(file)
    file.touch()
    assert remembered(tmp_path, file) == "read again"


def test_another_content_with_the_same_size_and_time_is_seen(file: Path, tmp_path: Path) -> None:
    first, before = remembered(tmp_path, file), file.stat()
    file.write_text("x,y\n1,3\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    time.sleep(2 * SETTLED)
    assert file.stat().st_size == before.st_size
    assert remembered(tmp_path, file) == file_digest(file) != first


def test_another_file_in_its_place_is_seen(file: Path, tmp_path: Path) -> None:
    first, before = remembered(tmp_path, file), file.stat()
    other = tmp_path / "other.csv"
    other.write_text("x,y\n9,9\n")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)
    assert remembered(tmp_path, file) != first


def test_a_file_that_has_just_changed_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.csv"
    path.write_text("x")
    remembered(tmp_path, path)
    monkeypatch.setattr(digests, "file_digest", lambda _: "read again")
    assert remembered(tmp_path, path) == "read again"


def test_a_missing_file_has_none(tmp_path: Path) -> None:
    assert remembered(tmp_path, tmp_path / "missing") is None


@pytest.mark.parametrize("content", ["", "[1]", '{"a": 1}', "{"])
def test_a_damaged_memory_is_forgotten(content: str, file: Path, tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text(content)
    assert remembered(tmp_path, file) == file_digest(file)


def test_files_that_are_gone_are_forgotten(file: Path, tmp_path: Path) -> None:
    remembered(tmp_path, file)
    file.unlink()
    other = tmp_path / "other.csv"
    other.write_text("y")
    time.sleep(2 * SETTLED)
    remembered(tmp_path, other)
    assert str(file) not in (tmp_path / "memory.json").read_text()


def test_what_is_remembered_of_a_file_that_would_not_be_read_again(tmp_path):
    path = tmp_path / "a"
    path.write_text("content")
    time.sleep(2 * SETTLED)
    digests = Digests(tmp_path / "memory.json")
    assert digests.remembered(path) is None
    found = digests.of(path)
    assert digests.remembered(path) == found
    path.write_text("another")
    assert digests.remembered(path) is None
    path.unlink()
    assert digests.remembered(path) is None
