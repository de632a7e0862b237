"""Modules of learners are found along one path, the study's folder last, and nothing is imported."""

import sys
from pathlib import Path

import numpy as np
import pytest
from written_files import Write

from heldout.user_code import search
from heldout.user_code.search import modules_along, overlooked, search_path

EXPLODE = "raise RuntimeError('imported')"


@pytest.mark.parametrize("name", ["calendar", "random", "types", "numpy", "sklearn", "heldout"])
def test_a_file_of_the_study_shadows_nothing(name: str, study: Write) -> None:
    study({f"{name}.py": EXPLODE, f"{name}_2.py": ""})
    [found] = modules_along(name)
    assert found.file is None or found.file.parent != Path.cwd()
    assert overlooked(f"{name}.Mine") == Path.cwd() / f"{name}.py"
    [own] = modules_along(f"{name}_2")
    assert own.file == Path.cwd() / f"{name}_2.py"
    assert overlooked(f"{name}_2") is None


@pytest.mark.parametrize("place", ["", ".", "here", "link"])
def test_the_studys_folder_is_last_wherever_it_stood(
    place: str, study: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``python -m`` puts the working folder first; so may PYTHONPATH, by another name."""
    (tmp_path / "link").symlink_to(Path.cwd())
    names = {"here": str(Path.cwd()), "link": str(tmp_path / "link")}
    monkeypatch.setattr(sys, "path", [names.get(place, place), *sys.path])
    study({"numpy.py": EXPLODE})
    assert search_path()[-1] == str(Path.cwd())
    assert modules_along("numpy")[0].file == Path(np.__file__)
    search.look_in_study_folder()
    assert sys.path == search_path()


def test_pythons_path_comes_before_the_studys_folder(
    study: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study({"mine.py": ""})
    (tmp_path / "mine.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert modules_along("mine")[0].file == tmp_path / "mine.py"
    monkeypatch.setattr(search, "_left_out", set())
    search.leave_out([tmp_path])
    assert modules_along("mine")[0].file == Path.cwd() / "mine.py"


def test_no_package_on_the_way_is_imported(study: Write) -> None:
    study({"outer/__init__.py": EXPLODE, "outer/inner/deep.py": EXPLODE})
    found = modules_along("outer.inner.deep.Mine")
    assert [module.name for module in found] == ["outer", "outer.inner", "outer.inner.deep"]
    assert [module.file and module.file.name for module in found] == [
        "__init__.py",
        None,
        "deep.py",
    ]
    assert not {"outer", "outer.inner"} & set(sys.modules)
    assert modules_along("outer.other") == found[:1]
