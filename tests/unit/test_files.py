"""Whole files or none, whatever happens while they are written."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from heldout import files


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "f.json"
    files.write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="Out of range float"):
        files.write_json(path, float("nan"))

    def fail(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write_atomic(path, fail)
    assert files.read_json(path) == {"a": 1}
    assert [found.name for found in tmp_path.iterdir()] == ["f.json"]


def test_a_failed_rename_leaves_nothing_behind(tmp_path):
    (tmp_path / "taken" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="taken"):
        files.write_bytes(tmp_path / "taken", b"data")
    assert [found.name for found in tmp_path.iterdir()] == ["taken"]


WRITER = """
import sys
from heldout import files
path, big = sys.argv[1], bytes(50_000_000)
files.write_bytes(path, b"old")
print("ready", flush=True)
while True:
    files.write_bytes(path, big)
    files.write_bytes(path, b"old")
"""


def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "deep" / "f"
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert path.read_bytes() in (b"old", bytes(50_000_000))


def test_temporary_files_are_hidden_and_differ_between_processes(tmp_path):
    names = []
    files.write_atomic(
        tmp_path / "f", lambda _: names.extend(found.name for found in tmp_path.iterdir())
    )
    assert names == [f".f.{os.getpid()}-{files.PROCESS}.tmp"]
    code = "from heldout.files import PROCESS; print(PROCESS)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() != files.PROCESS


def test_texts_arrays_and_folders(tmp_path):
    files.write_text(tmp_path / "a" / "b" / "t.txt", "é")
    assert (tmp_path / "a" / "b" / "t.txt").read_bytes() == "é".encode()
    files.write_array(tmp_path / "c" / "x.npy", np.arange(3))
    assert np.load(tmp_path / "c" / "x.npy").tolist() == [0, 1, 2]
