"""What a process need not import."""

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
    """Keep scikit-learn and pyarrow from importing pandas, a quarter of a second, for nothing.

    Both look whether it is there before they are given anything of it. Afterwards, and where it has
    been imported before, it is there for whoever needs it.
    """
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
