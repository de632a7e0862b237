"""The site is built without a warning, reads without a network, and shows what there is."""

import ast
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from built_site import build_site

import heldout

pytest.importorskip("mkdocs", reason="pip install 'heldout[docs]'")

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"
LOADED = re.compile(r'<(?:script|img|iframe)[^>]* src="([^"]*)"|<link[^>]* href="([^"]*)"[^>]*>')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = ["".join(found) for found in LOADED.findall(text)]
        assert [one for one in loaded if one.startswith(("http", "//"))] == [], page


def test_every_page_is_searched_without_a_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    for page in (
        "index.html",
        "config.html",
        "intervals.html",
        "estimators/loo.html",
        "tutorial.html",
    ):
        assert f'"location":"{page}"' in index
    assert "source/config" not in index
    assert 'src="../assets/iframe-worker.js"' in (site / "estimators" / "loo.html").read_text()


def test_every_public_name_is_on_the_page_of_the_api(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    names = [name for name in heldout.__all__ if not name.startswith("__")]
    for name in names:
        assert re.search(rf"<h2[^>]*>[^<]*(<[^>]*>\s*)*heldout\.{name}\b", page), name
    assert "open_prepared" in page


def test_the_name_of_a_public_object_is_found_in_both_ways_of_writing_it(tmp_path: Path) -> None:
    page = module("api_page")
    text = "_A = {'open': 'heldout.x:open_study', 'evaluate': 'heldout.y'}\n"
    page.LIBRARY = tmp_path
    (tmp_path / "__init__.py").write_text(text)
    assert page.public() == {"evaluate": "heldout.y.evaluate", "open": "heldout.x.open_study"}


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "_site" / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def texts(notebook: dict) -> list[str]:
    """The texts of a notebook's outputs; pictures differ between versions of their library."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    shown = [output.get("data", {}).get("text/plain", output.get("text", "")) for output in outputs]
    return ["".join(text) for text in shown if not "".join(text).startswith("<Figure")]


def test_the_tutorial_shows_what_it_gives(tmp_path: Path) -> None:
    """If it does not: python docs/_site/notebook.py."""
    pytest.importorskip("nbclient", reason="pip install 'heldout[docs]'")
    notebook = module("notebook")
    given = notebook.run(TUTORIAL, notebook.checkout(tmp_path))
    assert texts(given) == texts(json.loads(TUTORIAL.read_text(encoding="utf-8")))


def test_the_tutorial_is_python() -> None:
    for cell in json.loads(TUTORIAL.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            ast.parse("".join(line for line in cell["source"] if not line.startswith("!")))
            assert cell["outputs"] or "Path" in "".join(cell["source"])
