"""Learners of the user's own: their code lies in the study's folder, and shadows nothing there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import RISKS, SETS, Project

SHADOWS = ("calendar", "random", "numpy", "types", "logging", "uuid", "pandas", "sklearn", "joblib")
FILES = {
    "mine.py": """
import random
from sklearn.base import BaseEstimator, ClassifierMixin
import numpy as np
from helper import start


class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        from pkg.sub import pick

        self.classes_ = np.unique(y)
        self.label_ = self.classes_[pick(start)]
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)
""",
    "helper.py": "start = 0\n",
    "pkg/sub.py": "def pick(x):\n    return x\n",
}


@pytest.fixture(scope="module", params=["with the fork server", "without"])
def own(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished study whose folder, which is not that of the Snakefile, has a learner of its own."""
    project = Project(tmp_path_factory.mktemp("own"))
    if request.param == "without":
        project.environment["HELDOUT_FORKSERVER"] = ""
    project.config["learners"]["tree"] = {"estimator": "mine.Mine"}
    for name, text in files():
        path = project.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    run = project.succeed()
    assert "shadowed" not in run.text
    return project


def files() -> Iterator[tuple[str, str]]:
    yield from FILES.items()
    yield from ((f"{name}.py", f"raise SystemExit('shadowed {name}')\n") for name in SHADOWS)


def test_the_learner_is_fitted_and_its_model_opens(own: Project) -> None:
    assert {f"tree/default/{held}" for held in SETS} <= set(own.cells())
    check = own.check()
    assert check.code == 0, check.text


@pytest.mark.parametrize(
    ("name", "text"),
    [("helper.py", "start = 1\n"), ("pkg/sub.py", "def pick(x):\n    return x + 1\n")],
)
def test_a_change_in_what_it_imports_fits_it_again(
    name: str, text: str, own: Project, tmp_path: Path
) -> None:
    project = own.copy_to(tmp_path / "copy")
    project.environment.update(own.environment)
    (project.folder / name).write_text(f"# why\n{FILES[name]}")
    run = project.succeed(RISKS)
    assert not run.jobs["fit_cells"]
    before = (project.results / "risks.csv").read_text()
    (project.folder / name).write_text(text)
    run = project.succeed(RISKS)
    assert project.fitted(run) == len(SETS)
    assert (project.results / "risks.csv").read_text() != before


def test_a_dry_run_imports_nothing_of_the_study(own: Project, tmp_path: Path) -> None:
    project = own.copy_to(tmp_path / "copy")
    mark = "open('imported', 'w').close()\n"
    (project.folder / "mine.py").write_text(f"{mark}{FILES['mine.py']}")
    assert project.succeed(RISKS, "-n").jobs["fit_cells"]
    assert not (project.folder / "imported").exists()
    project.succeed(RISKS)
    assert (project.folder / "imported").exists()
