"""What docs/files.md promises: any reader opens scores, one function opens models."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from heldout.cells.model_file import open_model
from heldout.numerics.neighbors import ExactKNeighborsClassifier
from heldout.numerics.preprocessing import Preprocessor
from heldout.resampling.split import partitions
from heldout.resampling.split_file import read_split


@pytest.mark.parametrize("learner", ["knn/n_neighbors=5", "tree/max_depth=2"])
def test_a_stored_model_predicts_what_is_stored(project: Path, learner: str) -> None:
    task = project / "results" / "small"
    [partition] = partitions(read_split(task / "splits" / "kfold.csv"))
    name = partition.set_name(1)
    model = open_model(task / "cells" / learner / f"{name}.model")
    rows = np.load(task / "data" / "X.npy")[partition.rows(1)]
    with safe_open(task / "cells" / learner / f"{name}.safetensors", "numpy") as file:
        proba, label = file.get_tensor("proba"), file.get_tensor("label")
        about = file.metadata()
    assert model.predict(rows).tolist() == label.tolist()
    np.testing.assert_allclose(model.predict_proba(rows), proba, rtol=0, atol=1e-12)
    assert json.loads(about["sets"]) == {name: len(rows)}
    assert about["held_out"] == name


def test_the_class_paths_of_stored_models_are_public(project: Path) -> None:
    """They stand in every pickle: moving them would close all stored models."""
    model = open_model(project / "results/small/cells/knn/n_neighbors=5/full.model")
    assert type(model[0]) is Preprocessor
    assert Preprocessor.__module__ == "heldout.numerics.preprocessing"
    assert type(model[-1]) is ExactKNeighborsClassifier
    assert ExactKNeighborsClassifier.__module__ == "heldout.numerics.neighbors"
