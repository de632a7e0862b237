"""Libraries are imported without pandas, and pandas is there for whoever needs it later."""

import subprocess
import sys

from heldout.execution.lean_imports import without_pandas
from heldout.execution.study import Study


def test_pandas_is_left_out_and_then_there_again() -> None:
    code = """if True:
        import sys
        from heldout.execution.lean_imports import without_pandas
        with without_pandas():
            import pyarrow, sklearn.pipeline
            pyarrow.array([1])
        assert "pandas" not in sys.modules
        import pandas
        frame = pandas.DataFrame({"a": [1]})
        assert pyarrow.Table.from_pandas(frame).to_pydict() == {"a": [1]}
        assert sklearn.preprocessing.StandardScaler().fit(frame).feature_names_in_ == ["a"]
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_pandas_that_is_there_already_stays() -> None:
    import pandas as pd

    with without_pandas():
        import pandas as again
    assert again is pd


def test_a_server_imports_the_libraries_of_the_learners_with_pandas() -> None:
    """LightGBM looks once whether pandas is there; children fit DataFrames with it, by two threads as well."""
    code = """if True:
        import os, socket, sys
        from heldout.execution.forkserver.server import Server
        server = Server(socket.socket(), [], lambda arguments: 0)
        server._import("sklearn.pipeline")
        assert "pandas" not in sys.modules
        for module in MODULES:
            server._import(module)
        import lightgbm, numpy, pandas
        assert lightgbm.compat.PANDAS_INSTALLED
        frame = pandas.DataFrame({"a": numpy.arange(3000.0) % 7, "b": pandas.Categorical(list("xyz") * 1000)})
        def fitted(threads):
            model = lightgbm.LGBMClassifier(n_estimators=5, n_jobs=threads, deterministic=True, verbose=-1)
            return model.fit(frame, frame["a"] > 3).predict_proba(frame)
        for _ in range(2):
            child = os.fork()
            if child == 0:
                os._exit(0 if numpy.array_equal(fitted(1), fitted(2)) else 1)
            assert os.waitpid(child, 0)[1] == 0
        """
    learners = {"a": {"estimator": "lightgbm"}, "b": {"estimator": "tree"}}
    task = {"data": "sklearn:iris", "target": "target", "learners": ["a", "b"]}
    modules = Study({"tasks": {"t": task}, "learners": learners}).libraries
    assert modules == ["sklearn.pipeline", "pandas", "lightgbm", "sklearn.tree"]
    program = code.replace("MODULES", str(modules))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_scikit_learn_alone_needs_no_pandas() -> None:
    task = {"data": "sklearn:iris", "target": "target", "learners": ["tree", "mine"]}
    learners = {"mine": {"estimator": "sklearn.svm:SVC"}, "tree": {}}
    found = Study({"tasks": {"t": task}, "learners": learners}).libraries
    assert found == ["sklearn.pipeline", "sklearn.tree", "sklearn.svm"]
