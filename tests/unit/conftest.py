"""A finished study of one small task, made once by the steps of the workflow in this process."""

import importlib
import json
import shutil

import numpy as np
import pytest
import yaml
from hypothesis import settings
from tables import write_csv

from heldout.config.study import Study

# Several tests share the cores, so time says nothing; the same examples are tried every time.
settings.register_profile("unit", deadline=None, derandomize=True)
settings.load_profile("unit")

CONFIG = {
    "tasks": {
        "small": {
            "data": "small.csv",
            "target": "y",
            "estimators": ["training", "holdout", "kfold", "test"],
            "kfold": {"k": 3},
            "missing": ["?"],
            "learners": ["knn", "tree"],
        }
    },
    "learners": {
        "knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 5]}},
        "tree": {"estimator": "tree", "grid": {"max_depth": [2]}},
    },
}
STEPS = (
    "prepare_data",
    "draw_splits",
    "fit_cells",
    "estimate_risks",
    "select_model",
    "estimate_procedures",
    "train_final",
    "open_test",
    "tabulate_estimates",
)


def small_table() -> dict:
    generator = np.random.default_rng(5)
    label = generator.permutation(np.repeat(["no", "yes"], 30))
    return {
        "length": (generator.normal(size=60) + (label == "yes")).tolist(),
        "width": generator.normal(size=60).tolist(),
        "colour": generator.choice(["red", "blue", "?"], size=60).tolist(),
        "y": label.tolist(),
    }


def wildcards(step: str, study: Study) -> list[dict]:
    if step == "draw_splits":
        return [{"split": split} for split in study.splits("small")]
    return [{"part": "1", "parts": "1"}] if step == "fit_cells" else [{}]


def run_step(study: Study, folder, step: str) -> None:
    """What a rule of the workflow does."""
    for given in wildcards(step, study):
        spec = json.loads(study.spec(step, "small", **given))
        importlib.import_module(f"heldout.steps.{step}").main(folder, spec)


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
