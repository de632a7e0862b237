"""Libraries are imported without pandas, and pandas is there for whoever needs it later."""

import subprocess
import sys

from heldout.execution.lean_imports import without_pandas


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
