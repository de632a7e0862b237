"""The report as a parser sees it: text, elements and data, without a browser."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from browser.report_case import Case

from heldout.report import task


class Page(HTMLParser):
    """The elements of a page, its visible text and the data of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        kind = self.scripts if self._inside == "script" else self.words
        if self._inside != "style":
            kind.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).replace("\u00a0", " ").split())

    @property
    def data(self) -> Any:
        return json.loads(self.scripts[0])

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.tags if name in attrs]


def page_of(case: Case, root: Path) -> Page:
    return Page(task.report_page(case.write(root), case.spec(), batches=1))
