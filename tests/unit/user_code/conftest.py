"""A study's folder, and a folder of installed packages, that tests fill with files."""

from pathlib import Path

import pytest
from written_files import Write, writer

from heldout.user_code import distributions


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files into the working folder."""
    folder = tmp_path / "study"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return writer(folder)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files to where packages are installed."""
    folder = tmp_path / "lib" / "site-packages"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(folder)
    distributions.holders.cache_clear()
    return writer(folder)


@pytest.fixture(autouse=True)
def forget_distributions() -> None:
    distributions.holders.cache_clear()
