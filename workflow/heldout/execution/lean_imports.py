"""Importing scikit-learn and pyarrow without pandas, which takes a fifth of the time (0.13 of 0.65 s)."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not needed here", name=fullname)


@contextmanager
def without_pandas() -> Iterator[None]:
    """Keep libraries from importing pandas only to see whether it is there.

    Afterwards it can be imported as usual; where it was imported before, nothing changes.
    """
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
