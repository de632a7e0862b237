"""What docs/trust.md says: looking at a study runs nothing of it."""

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heldout.cli import main

LOOKING = [
    ["show"],
    ["show", "small", "knn/n_neighbors=5/k3.r1.f02"],
    ["progress"],
    ["check"],
    ["init", "small.csv", "--target", "y", "--output", "new.yaml"],
]


class Mark:
    """A pickle that leaves a file when it is opened."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return Path.touch, (Path("opened"),)  # type: ignore[return-value]


@pytest.fixture
def loaded(project: Path) -> Path:
    """A finished study whose models are such pickles."""
    models = [*project.glob("results/small/cells/*/*/*.model"), *project.rglob("model.joblib")]
    assert len(models) > 1
    for path in models:
        path.write_bytes(pickle.dumps(Mark()))
    return project


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_looking_opens_no_model(command: list[str], loaded: Path) -> None:
    main(command)
    assert not (loaded / "opened").exists()


def test_predicting_opens_a_model(loaded: Path) -> None:
    assert main(["predict", "results/small", "small.csv"]) == 1
    assert (loaded / "opened").exists()


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_looking_keeps_the_studys_folder_off_the_path(
    command: list[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a library that tries whether another one is there would import a file of this name."""
    path = [place for place in sys.path if place not in ("", str(project))]
    monkeypatch.setattr(sys, "path", [*path])
    main(command)
    assert sys.path == path
