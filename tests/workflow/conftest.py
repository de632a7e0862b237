"""One cold run per session; each test that starts from a finished study gets a copy of it."""

from pathlib import Path

import pytest
from harness import Project, Run


@pytest.fixture(scope="session")
def cold_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Run]:
    """A finished study and the run that made it. Not to be changed: copy it."""
    project = Project(tmp_path_factory.mktemp("cold"))
    return project, project.succeed()


@pytest.fixture(scope="session")
def cold(cold_run: tuple[Project, Run]) -> Project:
    """A finished study. Not to be changed: copy it."""
    return cold_run[0]


@pytest.fixture
def project(cold: Project, tmp_path: Path) -> Project:
    """A finished study to change and run again."""
    return cold.copy_to(tmp_path / "study")


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A copy of the finished study as the working directory."""
    project.write_inputs()
    monkeypatch.chdir(project.folder)
    return project
