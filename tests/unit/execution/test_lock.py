"""A workflow that runs is noticed, whichever way Snakemake keeps its locks."""

import sqlite3

import pytest

from heldout.errors import HeldoutError
from heldout.execution.upkeep.lock import is_locked, refuse_during_a_run


def test_no_folder_no_lock(tmp_path):
    assert not is_locked(tmp_path / "none")


def test_a_lock_in_a_file(tmp_path):
    (tmp_path / "locks").mkdir()
    assert not is_locked(tmp_path)
    (tmp_path / "locks" / "0.input.lock").touch()
    assert is_locked(tmp_path)
    with pytest.raises(HeldoutError, match="If it was killed: snakemake --unlock"):
        refuse_during_a_run("snakemake --unlock", tmp_path)


def test_a_lock_in_a_database(tmp_path):
    with sqlite3.connect(tmp_path / "metadata.db") as database:
        database.execute("CREATE TABLE snakemake_locks (namespace, file_path, lock_type)")
    database.close()
    assert not is_locked(tmp_path)
    with sqlite3.connect(tmp_path / "metadata.db") as database:
        database.execute("INSERT INTO snakemake_locks VALUES ('a', 'b', 'output')")
    database.close()
    assert is_locked(tmp_path)


def test_a_database_of_something_else_is_no_lock(tmp_path):
    (tmp_path / "metadata.db").write_text("no database")
    assert not is_locked(tmp_path)
