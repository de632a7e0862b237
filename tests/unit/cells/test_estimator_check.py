"""What is no estimator is named before the first fit, in one line that says what is missing."""

import sys
from pathlib import Path

import pytest

from heldout.cells.preflight import checked_builder
from heldout.errors import HeldoutError
from heldout.learners.learner import define
from heldout.numerics.pipeline import Columns

MODULE = """
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

class Bare:
    def fit(self, X, y): return self
    def predict(self, X): return X

class Fits(BaseEstimator):
    def fit(self, X, y): return self

class Raises(BaseEstimator):
    def __init__(self): raise ValueError("no licence\\nbuy one")
    def fit(self, X, y): return self
    def predict(self, X): return X

class Exits:
    def __init__(self): raise SystemExit(3)

class Asks:
    def __init__(self, depth): pass

class Odd(ClassifierMixin, BaseEstimator):
    def fit(self, X, y): return self
    def predict(self, X): return X
    def get_params(self, deep=True): raise RuntimeError("odd")

class Good(ClassifierMixin, BaseEstimator):
    def __init__(self, depth=1): self.depth = depth
    def fit(self, X, y): return self
    def predict(self, X): return X

def make_none(): pass
def make(): return make_pipeline(SVC())
instance = SVC()
"""

REFUSED = {
    "os.path.join": "cannot be made: os.path.join() gives TypeError: join() missing 1 required",
    "os.path.sep": "os.path.sep is an object of the class str; name a class, or a function that makes",
    "os.getcwd": "os.getcwd is no estimator: it has no fit, predict, get_params, set_params",
    "kinds.Bare": "kinds.Bare is no estimator: it has no get_params, set_params; "
    "sklearn.base.BaseEstimator gives the last two",
    "kinds.Fits": "kinds.Fits is no estimator: it has no predict",
    "kinds.Raises": "cannot be made: kinds.Raises() gives ValueError: no licence; an estimator is made",
    "kinds.Exits": "cannot be made: kinds.Exits() gives SystemExit: 3",
    "kinds.Asks": "cannot be made: kinds.Asks() gives TypeError: Asks.__init__() missing 1 required",
    "kinds.Odd": "kinds.Odd gives RuntimeError: odd",
    "kinds.make_none": "kinds.make_none returns None, not an estimator",
    "kinds.instance": "kinds.instance is an object of the class SVC; name a class",
    "kinds.Godd": "no 'Godd' in kinds; did you mean 'Good'?",
    "broken.Mine": "cannot import 'broken': SyntaxError: ",
    "failing.Mine": "cannot import 'failing': ZeroDivisionError: division by zero",
    "leaving.Mine": "cannot import 'leaving': SystemExit: bye",
    "calendar.Mine": "no 'Mine' in calendar; known: ",
}


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "kinds": MODULE,
        "broken": "def (",
        "failing": "1 / 0",
        "leaving": "raise SystemExit('bye')",
        "calendar": "Mine = 1",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path, str(tmp_path)])
    for name in set(files) - {"calendar"}:
        monkeypatch.delitem(sys.modules, name, raising=False)


def check(path: str) -> None:
    learner = define("mine", {"estimator": path})
    checked_builder(learner, Columns(["a"], frozenset({0}), ["no", "yes"]), [{}], "label")


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_no_estimator_is_refused_in_one_line(path: str) -> None:
    with pytest.raises(HeldoutError) as error:
        check(path)
    assert str(error.value).startswith(f"learners.mine.estimator: {REFUSED[path]}")
    assert "\n" not in str(error.value)


def test_a_file_with_the_name_of_another_module_is_mentioned() -> None:
    with pytest.raises(HeldoutError, match=r"\(calendar\.py in the study's folder has a name that"):
        check("calendar.Mine")


@pytest.mark.parametrize("path", ["kinds.Good", "kinds:Good", "kinds.make"])
def test_classes_and_functions_that_make_estimators_pass(path: str) -> None:
    if path == "kinds.make":
        learner = define("mine", {"estimator": path, "params": {"svc__C": 2.0}})
        columns = Columns(["a"], frozenset({0}), ["no", "yes"])
        assert checked_builder(learner, columns, [{}], "label").prototype.steps[0][1].C == 2.0
    else:
        check(path)


def test_an_error_of_heldout_itself_is_not_put_down_to_the_learner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr("heldout.cells.preflight._check_thetas", fail)
    with pytest.raises(KeyError):
        check("sklearn.svm.SVC")
