"""Links between pages lead somewhere, to the heading that they name."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("[bcd]*/README.md"),
        ROOT / "docs" / "tutorial.ipynb",
    ]
)
ONLY_ON_THE_SITE = {"tutorial.md", "api.md"}
"""Pages that the site makes; its strict build checks links to them."""
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def headings(text: str) -> Iterator[str]:
    """Anchors of headings, as forges and the site make them."""
    for line in re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL).splitlines():
        if found := re.match(r"#{1,6} (.*)", line):
            words = re.sub(r"\]\([^)]*\)", "]", found[1]).lower().strip()
            yield re.sub(r"[^\w -]", "", words).replace(" ", "-")


def broken(page: Path, text: str) -> Iterator[str]:
    for link in LINK.findall(CODE.sub("", text)):
        path, _, anchor = link.partition("#")
        if "://" in path or path in ONLY_ON_THE_SITE:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor and anchor not in headings(text if target == page else target.read_text()):
            yield f"{link}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken(page, page.read_text(encoding="utf-8"))) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Two words: `a.b`\n\n```\n# no heading\n```\n")
    text = "# A\n[1](#a) [2](#b) [3](other.md#two-words-ab) [4](other.md#no-heading) [5](none.md) `[6](none.md)`"
    (tmp_path / "page.md").write_text(text)
    assert list(broken(tmp_path / "page.md", text)) == [
        "#b: no such heading",
        "other.md#no-heading: no such heading",
        "none.md: no such file",
    ]
