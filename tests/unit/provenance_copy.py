"""The code digests of a copy of the package, which a test may change."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import heldout
from heldout import provenance


def load_provenance(folder: Path) -> ModuleType:
    """The module `provenance` as a new process would load it, for the package in a folder."""
    copied = folder / "provenance.py"
    if not copied.exists():
        shutil.copy(provenance.__file__, copied)
    spec = importlib.util.spec_from_file_location("provenance_of_copy", copied)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copy_package(folder: Path) -> None:
    """Copy the source of heldout."""
    source = Path(heldout.__file__).parent
    for path in source.rglob("*.py"):
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
