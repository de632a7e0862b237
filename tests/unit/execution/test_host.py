"""What the workflow does to Snakemake's process changes no answer."""

import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

from heldout.execution import host
from heldout.execution.lean_imports import without_pandas


class Persistence:
    def _serialize_param_pandas(self, value: object) -> str:
        return f"thorough {value}"

    def _serialize_param_builtin(self, value: object) -> str:
        return f"plain {value}"


def test_parameters_are_looked_at_with_pandas_only_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = type("PersistenceBase", (Persistence,), {})
    host.spare_pandas(SimpleNamespace(PersistenceBase=base))
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    assert base()._serialize_param_pandas(1) == "plain 1"
    monkeypatch.setitem(sys.modules, "pandas", ModuleType("pandas"))
    assert base()._serialize_param_pandas(1) == "thorough 1"


def test_another_snakemake_is_left_alone() -> None:
    host.spare_pandas(SimpleNamespace())
    host.spare_pandas(SimpleNamespace(PersistenceBase=object))


def test_snakemake_has_what_is_replaced() -> None:
    from snakemake import persistence

    assert persistence.PersistenceBase._serialize_param_pandas
    assert persistence.PersistenceBase._serialize_param_builtin


def test_pandas_is_spared_and_then_there_again() -> None:
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
