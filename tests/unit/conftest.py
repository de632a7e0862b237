"""A finished study of one small task, made once by the steps of the workflow in this process."""

import shutil

import pytest
import yaml
from hypothesis import settings
from small_study import CONFIG, STEPS, run_step, small_table
from tables import write_csv

from heldout.execution.study import Study

# Several tests share the cores, so time says nothing; the same examples are tried every time.
settings.register_profile("unit", deadline=None, derandomize=True)
settings.load_profile("unit")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of a finished study: config, table and results."""
    root = tmp_path_factory.mktemp("finished")
    write_csv(root / "small.csv", small_table())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        (root / "config").mkdir()
        (root / "config" / "config.yaml").write_text(yaml.safe_dump(CONFIG))
        study = Study(CONFIG)
        for step in STEPS:
            run_step(study, root / "results" / "small", step)
    return root


@pytest.fixture
def project(finished, tmp_path, monkeypatch):
    """A copy of the finished study, as the working directory."""
    folder = tmp_path / "project"
    shutil.copytree(finished, folder)
    monkeypatch.chdir(folder)
    return folder
