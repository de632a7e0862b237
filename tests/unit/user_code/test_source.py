"""The code of a learner: a change in anything that it imports counts, a comment does not."""

import sys
import zipfile
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import pytest
from written_files import Write

from heldout.errors import HeldoutError
from heldout.learners.catalogue import CATALOG
from heldout.learners.learner import define
from heldout.user_code import distributions
from heldout.user_code import source as source_module
from heldout.user_code.source import estimator_source

MINE = "from helper import start\nclass Mine:\n    def fit(self):\n        import pkg.sub\n"
FILES = {"mine.py": MINE, "helper.py": "start = 0\n", "pkg/sub.py": "def pick(x): return x\n"}


def source(path: str = "mine.Mine") -> str:
    return estimator_source(path, "learners.mine.estimator")


# --- the user's own modules ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mine.py", MINE + "    depth = 2\n"),
        ("helper.py", "start = 1\n"),
        ("pkg/sub.py", "def pick(x): return -x\n"),
    ],
)
def test_a_change_in_what_is_imported_counts(file: str, text: str, study: Write) -> None:
    study(FILES)
    first = source()
    study({file: f'"""A module."""\n{FILES[file]}# why\n'})
    assert source() == first
    study({file: text})
    assert source() != first


@pytest.mark.parametrize(
    "statement",
    [
        "import near",
        "import near as n",
        "from near import x",
        "from near import *",
        "def f():\n    if x:\n        import near",
        "try:\n    import near\nexcept ImportError:\n    pass",
        "if TYPE_CHECKING:\n    pass\nelse:\n    import near",
        "import importlib\nimportlib.import_module('near')",
        "__import__('near')",
        "import middle",
    ],
)
def test_every_way_to_import_is_followed(statement: str, study: Write) -> None:
    study({"mine.py": statement, "middle.py": "from near import y", "near.py": "x = 1"})
    first = source()
    study({"near.py": "x = 2"})
    assert source() != first


@pytest.mark.parametrize(
    "statement",
    [
        "from . import near",
        "from .near import x",
        "from ..space import near",
        "from .. import space.near",
    ],
)
def test_relative_imports_in_a_package_without_init(statement: str, study: Write) -> None:
    statement = statement.replace("from .. import space.near", "import outer.space.near")
    study({"outer/space/mine.py": statement, "outer/space/near.py": "x = 1"})
    first = source("outer.space.mine.Mine")
    study({"outer/space/near.py": "x = 2"})
    assert source("outer.space.mine.Mine") != first


@pytest.mark.parametrize("file", ["__init__.py", "near.py", "deep/plugin.py", "fast.so"])
def test_all_files_of_a_package_count(file: str, study: Write) -> None:
    """It may import any of them by a name that is made up when it runs."""
    study({"pkg/__init__.py": "", "pkg/mine.py": "class Mine: pass", f"pkg/{file}": "x = 1"})
    first = source("pkg.mine:Mine")
    assert source("pkg.mine.Mine") == first
    study({f"pkg/{file}": "x = 2"})
    assert source("pkg.mine.Mine") != first


def test_other_modules_do_not_count(study: Write) -> None:
    study({**FILES, "other.py": "x = 1", "random.py": "x = 1", "numpy.py": "x = 1"})
    study({"mine.py": f"import random, numpy, sklearn.svm, heldout.names\n{MINE}"})
    first = source()
    study({"other.py": "x = 2", "random.py": "x = 2", "numpy.py": "x = 2"})
    assert source() == first


def test_the_same_code_in_another_folder_is_the_same(
    study: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study(FILES)
    first = source()
    Path.cwd().rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path / "moved")
    assert source() == first


def test_modules_that_import_each_other_end(study: Write) -> None:
    study({"mine.py": "import helper", "helper.py": "import mine"})
    assert source()


def test_nothing_is_imported(study: Write) -> None:
    study({"pkg/__init__.py": "raise SystemExit", "pkg/mine.py": "raise SystemExit"})
    assert source("pkg.mine.Mine")
    assert "pkg" not in sys.modules


@pytest.mark.parametrize("text", ["def (", "x = '\0'", "x = " + "-" * 5000 + "1"])
def test_a_file_that_is_no_python_counts_as_it_is(text: str, study: Write) -> None:
    study({"mine.py": text})
    first = source()
    study({"mine.py": f"{text} "})
    assert source() != first


def test_a_zip_file_on_the_path_counts_as_a_whole(
    study: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pack(text: str) -> None:
        with zipfile.ZipFile(tmp_path / "code.zip", "w") as archive:
            archive.writestr("zipped.py", text)

    pack("x = 1")
    monkeypatch.syspath_prepend(tmp_path / "code.zip")
    first = source("zipped.Mine")
    pack("x = 2")
    assert source("zipped.Mine") != first


class Editable(PathFinder):
    """The finder of an editable install, which knows where a project is."""

    folder = ""

    @classmethod
    def find_spec(cls, name, path=None, target=None) -> ModuleSpec | None:  # type: ignore[no-untyped-def, override]
        return PathFinder.find_spec(name, [cls.folder]) if name == "project" else None


def test_an_editable_install_is_the_users_own_code(
    study: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Editable, "folder", str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Editable])
    (tmp_path / "project.py").write_text("x = 1")
    first = source("project.Mine")
    (tmp_path / "project.py").write_text("x = 2")
    assert source("project.Mine") != first


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("mein.Mine", "no module 'mein' on Python's path or in {folder}; the modules of a study"),
        ("pkg.subb.Mine", "no module 'pkg.subb' in 'pkg'"),
        ("mine.Mine.make", "no module 'mine.Mine' in 'mine'"),
    ],
)
def test_a_module_that_is_not_there_is_an_error(path: str, message: str, study: Write) -> None:
    study(FILES)
    with pytest.raises(HeldoutError) as error:
        source(path)
    assert message.format(folder=Path.cwd()) in str(error.value)
    assert str(error.value).startswith("learners.mine.estimator: ")


# --- installed packages --------------------------------------------------------------------------


def package(name: str, version: str, module: str = "", **more: str) -> dict[str, str]:
    """The files of an installed distribution."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    module = module or f"{name}/__init__.py"
    lines = [f"Name: {name}", f"Version: {version}", *more.pop("requires", "").splitlines()]
    return {
        module: "class Mine: pass",
        f"{info}/METADATA": "Metadata-Version: 2.1\n" + "\n".join(lines) + "\n",
        f"{info}/RECORD": f"{module},,\n{info}/METADATA,,\n",
        **{f"{info}/{file}": text for file, text in more.items()},
    }


REQUIRES = """Requires-Dist: numpy
Requires-Dist: Wood_Lib (>=1)
Requires-Dist: absentlib; python_version >= "3"
Requires-Dist: oldlib; python_version < "3"
Requires-Dist: plotlib; extra == "plot"
"""


def test_an_installed_package_counts_by_its_version_and_those_it_requires(
    installed: Write, study: Write
) -> None:
    installed(package("boostlib", "1.0", requires=REQUIRES) | package("wood-lib", "2.0", "wood.py"))
    assert source("boostlib.Mine") == "boostlib 1.0, absentlib absent, wood-lib 2.0"
    installed({"boostlib/__init__.py": "class Mine: x = 1"})
    assert source("boostlib.Mine") == "boostlib 1.0, absentlib absent, wood-lib 2.0"


def test_a_package_whose_module_has_another_name(installed: Write, study: Write) -> None:
    installed(package("scikit-boost", "1.0", "skboost/__init__.py"))
    assert source("skboost.Mine") == "scikit-boost 1.0"


def test_a_package_whose_records_cannot_be_found_again(installed: Write, study: Write) -> None:
    files = package("scikit-boost", "1.0", "skboost/__init__.py")
    installed({name.replace("scikit_boost-", "scikit-boost-"): files[name] for name in files})
    first = source("skboost.Mine")
    installed({"skboost/__init__.py": "class Mine: x = 1"})
    assert source("skboost.Mine") != first


def test_a_namespace_that_packages_share(installed: Write, study: Write) -> None:
    installed(package("shared-a", "1.0", "shared/a.py") | package("shared-b", "2.0", "shared/b.py"))
    assert source("shared.a.Mine") == "shared-a 1.0"
    assert source("shared.b.Mine") == "shared-b 2.0"


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ('{"url": "x", "vcs_info": {"commit_id": "abc"}}', "boostlib 1.0 abc"),
        ('{"url": "x", "archive_info": {"hash": "sha256=f"}}', "boostlib 1.0 sha256=f"),
        ("not JSON", "boostlib 1.0"),
    ],
)
def test_a_package_that_was_built_from_a_commit_or_a_file(
    origin: str, expected: str, installed: Write, study: Write
) -> None:
    installed(package("boostlib", "1.0", **{"direct_url.json": origin}))
    assert source("boostlib.Mine") == expected


def test_a_package_that_was_installed_from_a_folder_counts_by_its_code(
    installed: Write, study: Write
) -> None:
    folder = {"direct_url.json": '{"url": "file:///x", "dir_info": {}}'}
    installed(package("boostlib", "1.0", **folder))
    first = source("boostlib.Mine")
    installed({"boostlib/__init__.py": "class Mine: x = 1"})
    assert source("boostlib.Mine") != first
    installed(package("boostlib", "1.0", **folder, INSTALLER="conda\n"))
    assert source("boostlib.Mine") == "boostlib 1.0"


def test_a_file_among_installed_packages_that_belongs_to_none(
    installed: Write, study: Write
) -> None:
    installed({"copied.py": "x = 1"})
    first = source("copied.Mine")
    installed({"copied.py": "x = 2"})
    assert source("copied.Mine") != first


def test_installed_packages_that_the_users_module_imports_count_by_their_versions(
    installed: Write, study: Write
) -> None:
    study({"mine.py": "import boostlib.core, yaml\nimport nowhere.at.all\n"})
    installed(package("boostlib", "1.0"))
    digest, *versions = source().split(", ")
    assert versions == ["boostlib 1.0", "nowhere absent", f"pyyaml {version_of('pyyaml')}"]
    study({"mine.py": "import boostlib, yaml, nowhere\nx = 1\n"})
    assert source().split(", ")[0] != digest


def version_of(name: str) -> str:
    from importlib.metadata import version

    return version(name)


# --- what is not looked at -----------------------------------------------------------------------


def test_learners_of_scikit_learn_cost_nothing_and_keep_their_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("modules_along", "providers", "code_digest"):
        monkeypatch.setattr(source_module, name, None)
    monkeypatch.setattr(distributions, "distribution", None)
    assert {define(name, None).source for name in CATALOG} == {""}
    assert define("mine", {"estimator": "sklearn.naive_bayes.GaussianNB"}).source == ""


def test_the_names_of_all_modules_are_asked_for_only_where_need_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(distributions, "holders", None)
    assert source("pyarrow.Table") == f"pyarrow {version_of('pyarrow')}"


def test_modules_of_heldout_and_of_python() -> None:
    assert len(source("heldout.numerics.neighbors.ExactKNeighborsClassifier")) == 32
    assert source("heldout.no_such.Mine") == ""
    assert source("os.path.join").startswith("python 3.")
