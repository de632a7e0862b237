"""The documentation site, opened from its folder: search works without a server and without a network."""

import re
from pathlib import Path

import pytest
from built_site import build_site
from chromium import load, needs_browser

pytest.importorskip("mkdocs", reason="pip install 'heldout[docs]'")


@needs_browser
def test_search_finds_pages(tmp_path: Path) -> None:
    site = build_site(tmp_path / "site")
    for page in ("index.html", "estimators/loo.html"):
        loaded = load(site / page, tmp_path / "profile", query="?q=tuned+jackknife")
        assert loaded.console == []
        assert re.search(r"[1-9]\d* matching documents", loaded.dom)
        assert "intervals.html" in loaded.dom.partition("md-search-result__list")[2]
