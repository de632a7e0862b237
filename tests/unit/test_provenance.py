"""Code digests: a comment reruns nothing, a statement does, also in a module that is imported."""

import ast
import sys

import pytest
from provenance_copy import load_provenance

from heldout import provenance


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of files that a test writes; gives the digest of heldout.main, as a new process would."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def digest_of(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return load_provenance(tmp_path).code_digest("heldout.main")

    return digest_of


PLAIN = "def f(x):\n    return x + 1\n"


def test_a_module_that_has_not_changed_is_not_parsed_again(package, monkeypatch):
    files = {"main.py": "import heldout.other", "other.py": PLAIN}
    first = package(files)
    monkeypatch.setattr(ast, "parse", None)
    assert package({}) == first


def test_a_file_of_the_same_size_written_later_is_read_again(package):
    assert package({"main.py": "x = 1\n"}) != package({"main.py": "x = 2\n"})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"heldout.main": 3}', '{"heldout.main": [1]}'])
def test_a_damaged_cache_file_is_ignored(package, tmp_path, text):
    first = package({"main.py": PLAIN})
    [cache] = (tmp_path / "__pycache__").glob("digests.*.json")
    cache.write_text(text)
    assert package({}) == first


def test_digests_need_no_cache_file(package, tmp_path):
    (tmp_path / "__pycache__").write_text("a file is in the way")
    assert package({"main.py": PLAIN}) == package({"main.py": PLAIN})


@pytest.mark.parametrize(
    "same",
    [
        "# why\ndef f(x):\n    return x + 1  # because\n",
        '"""A module."""\n\ndef f(x):\n    """A function."""\n    return x + 1\n',
        "def f(x):\n\n    return (\n        x + 1\n    )\n",
        'def f(x):\n    return x + 1\n"""What f is for."""\n',
    ],
)
def test_comments_docstrings_and_layout_do_not_count(package, same):
    assert package({"main.py": same}) == package({"main.py": PLAIN})


@pytest.mark.parametrize(
    "other",
    [
        "def f(x):\n    return x + 2\n",
        "def f(x):\n    return x + 1.0\n",
        "def f(x):\n    return x - 1\n",
        "def f(x):\n    return 1 + x\n",
        "def f(y):\n    return y + 1\n",
        "def f(x=0):\n    return x + 1\n",
        "def f(*x):\n    return x + 1\n",
        "def f(**x):\n    return x + 1\n",
        "def f(x):\n    return x + '1'\n",
        "async def f(x):\n    return x + 1\n",
        "def f(x):\n    x + 1\n",
        "@cache\ndef f(x):\n    return x + 1\n",
        "def f(x):\n    return x + 1\n\nf(0)\n",
    ],
)
def test_a_changed_statement_counts(package, other):
    assert package({"main.py": other}) != package({"main.py": PLAIN})


@pytest.mark.parametrize(
    "statements",
    [
        ["x = a[1:]", "x = a[:1]", "x = a[::1]", "x = a[1]"],
        ["return_ = None", "return_ = ...", "return_ = 'None'"],
        ["from heldout import a", "from heldout import b as a", "import heldout.a"],
        ["f(a, b=c)", "f(a, *c)", "f(a, **c)", "f(a, c)"],
        ["x = a < b", "x = a <= b", "x = not a < b"],
        ["x = {1: 2}", "x = {1, 2}", "x = [1, 2]", "x = (1, 2)"],
        ["x = f'{a}'", "x = f'{a!r}'", "x = f'{a:.2f}'", "x = 'a'"],
        ["raise A from B", "raise A", "raise A(B)"],
    ],
)
def test_alike_statements_differ(package, statements):
    digests = [package({"main.py": statement}) for statement in statements]
    assert len(set(digests)) == len(statements)


def test_imported_modules_count_however_far_away(package):
    files = {
        "main.py": "def late():\n    from heldout.near import g\n",
        "near.py": "import heldout.deep.far\n",
        "deep/__init__.py": "",
        "deep/far.py": "X = 1\n",
    }
    before = package(files)
    assert package({"deep/far.py": "X = 1  # one\n"}) == before
    assert package({"deep/far.py": "X = 2\n"}) != before


def test_modules_that_are_not_imported_do_not_count(package):
    files = {"main.py": "import numpy\nfrom heldout.near import g\n", "near.py": ""}
    before = package(files | {"other.py": "X = 1\n"})
    assert package({"other.py": "X = 2\n"}) == before


def test_a_submodule_is_found_by_its_name_in_the_package(package):
    before = package({"main.py": "from heldout.deep import far\n", "deep/far.py": "X = 1\n"})
    assert package({"deep/far.py": "X = 2\n"}) != before


def test_a_package_is_found_by_its_init_file(package):
    files = {"main.py": "from heldout.deep import f\n", "deep/__init__.py": "def f(): return 1\n"}
    before = package(files)
    assert package({"deep/__init__.py": "def f(): return 2\n"}) != before


def test_a_dotted_path_in_a_registry_counts_as_an_import(package):
    files = {"main.py": "ENTRY = dict(function='heldout.deep.far:f')\n", "deep/far.py": "X = 1\n"}
    before = package(files)
    assert package({"deep/far.py": "X = 2\n"}) != before


@pytest.mark.parametrize("text", ["see heldout.deep.far:f", "heldout.deep.far", "other.deep.far:f"])
def test_other_texts_are_no_imports(package, text):
    before = package({"main.py": f"TEXT = '{text}'\n", "deep/far.py": "X = 1\n"})
    assert package({"deep/far.py": "X = 2\n"}) == before


def test_modules_that_import_each_other_end(package):
    assert package({"main.py": "import heldout.near\n", "near.py": "import heldout.main\n"})


def test_a_missing_module_is_an_error(package):
    with pytest.raises(ModuleNotFoundError, match=r"heldout\.main"):
        package({})


def test_library_versions_name_the_numeric_libraries():
    import sklearn

    assert f'"scikit-learn":"{sklearn.__version__}"' in provenance.library_versions()
