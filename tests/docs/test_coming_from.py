"""The scikit-learn code of docs/coming_from.md gives the numbers of the config beside it."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from inprocess import run_task
from sklearn.datasets import load_diabetes

PAGE = (Path(__file__).parents[2] / "docs" / "coming_from.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The first block of code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`diabetes.csv` in an empty folder, with folds."""
    monkeypatch.chdir(tmp_path)
    data = load_diabetes(as_frame=True, scaled=False).frame
    data["fold"] = np.random.default_rng(7).permutation(np.arange(len(data)) % 5)
    data.to_csv("diabetes.csv", index=False)


@pytest.mark.usefixtures("table")
def test_the_same_folds_give_the_same_numbers(tmp_path: Path) -> None:
    theirs: dict = {}
    exec(block("python"), theirs)
    ours = run_task(yaml.safe_load(block("yaml")), tmp_path)
    assert ours.estimate("knn", "min_cv").risk == pytest.approx(theirs["min_cv"], rel=1e-10)
    assert ours.estimate("knn", "nested_cv").risk == pytest.approx(theirs["nested_cv"], rel=1e-10)
    k = theirs["final"].best_params_["kneighborsregressor__n_neighbors"]
    assert ours.selection["theta"] == {"n_neighbors": k}
    assert theirs["min_cv"] < theirs["nested_cv"]
