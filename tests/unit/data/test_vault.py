"""The vault: what is written comes back, and nobody else may read it."""

import os
import stat

import pyarrow as pa
import pytest

from heldout.data.vault import private_folders, read_sealed, write_sealed


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    assert os.umask(before) == 0o022


def test_the_sealed_rows_come_back_as_they_were(tmp_path):
    sealed = pa.table({"x": [0.1, None], "y": ["a", "ä"]})
    write_sealed(tmp_path / "deep" / "vault", sealed)
    assert read_sealed(tmp_path / "deep" / "vault").equals(sealed)
    assert [file.name for file in (tmp_path / "deep" / "vault").iterdir()] == ["sealed.parquet"]


def test_only_their_owner_may_read_them(tmp_path):
    write_sealed(tmp_path / "results" / "vault", pa.table({"y": [1]}))
    assert mode(tmp_path / "results") == 0o755
    assert mode(tmp_path / "results" / "vault") == 0o700
    assert mode(tmp_path / "results" / "vault" / "sealed.parquet") == 0o600


def test_an_open_vault_is_closed_when_it_is_touched(tmp_path):
    vault = tmp_path / "vault"
    write_sealed(vault, pa.table({"y": [1]}), private=False)
    assert (mode(vault), mode(vault / "sealed.parquet")) == (0o755, 0o644)
    with private_folders(vault):
        pass
    assert (mode(vault), mode(vault / "sealed.parquet")) == (0o700, 0o600)


def test_a_shared_vault_is_as_the_umask_says(tmp_path):
    vault = tmp_path / "vault"
    write_sealed(vault, pa.table({"y": [1]}))
    os.umask(0o007)
    with private_folders(vault, private=False):
        (vault / "more").touch()
    assert os.umask(0o022) == 0o007
    assert (mode(vault), mode(vault / "sealed.parquet"), mode(vault / "more")) == (
        0o770,
        0o660,
        0o660,
    )


def test_a_folder_that_passes_its_group_on_still_does(tmp_path):
    vault = tmp_path / "vault"
    (vault / "inner").mkdir(parents=True)
    (vault / "inner").chmod(0o2700)
    with private_folders(vault, private=False):
        pass
    assert mode(vault / "inner") == 0o2755


def test_the_umask_comes_back_after_an_error(tmp_path):
    with pytest.raises(ValueError, match="oops"), private_folders(tmp_path / "vault"):
        raise ValueError("oops")
