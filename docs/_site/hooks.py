"""Hooks of MkDocs: pages whose sources are not in docs/, and links between files of the repository.

A page is written as a file of the repository, so that its links work there: the README is the first page, and
`../config/README.md` leads to the page of the config. Here both are mapped to pages of the site.
"""

import re
import sys
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
from api_page import api_page
from notebook import as_markdown

ROOT = Path(__file__).parents[2]
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "config/README.md": "config.md",
    "data/README.md": "data.md",
    "benchmarks/README.md": "benchmarks.md",
    "docs/tutorial.ipynb": "tutorial.md",
}
"""Files of the repository that are pages, with their names on the site."""
LISTED = ("config/examples/*.yaml", "tests/cluster/test_slurm.py", "workflow/heldout/limits.py",
          "workflow/profiles/generic/scheduler.py")  # fmt: skip
"""Files that pages link to: each is a page that shows it."""
IMAGES = ("benchmarks/*.svg",)

_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_FENCE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def pages() -> dict[str, str]:
    """Paths in the repository, each with its path on the site."""
    shown = {path: f"source/{path}.md" for path in _found(LISTED)}
    return OUTSIDE | shown | {path: path for path in _found(IMAGES)}


def _found(patterns: tuple[str, ...]) -> list[str]:
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in paths]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of a folder where the navigation names the folder."""
    for section in config.nav or []:
        for entries in section.values():
            _unfold(entries if isinstance(entries, list) else [])
    return config


def _unfold(entries: list[dict[str, str | list[str]]]) -> None:
    for entry in entries:
        for title, path in entry.items():
            if isinstance(path, str) and path.endswith("/"):
                entry[title] = [
                    f"{path}{page.name}" for page in sorted((ROOT / "docs" / path).glob("*.md"))
                ]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages whose sources are not in docs/."""
    for source, target in pages().items():
        if present := files.get_file_from_path(source.removeprefix("docs/")):
            files.remove(present)
        if source.endswith(".svg"):
            content: str | bytes = (ROOT / source).read_bytes()
        else:
            content = _relinked(_text(source), source, target)
        files.append(File.generated(config, target, content=content))
    files.append(File.generated(config, "api.md", content=api_page()))
    return files


def _text(source: str) -> str:
    text = (ROOT / source).read_text(encoding="utf-8")
    if source.endswith(".ipynb"):
        return as_markdown(text)
    if source == "README.md":
        return f"---\nhide: [toc]\n---\n{text}"  # the answer of the demo is as wide as a terminal
    if source.endswith(".md"):
        return text
    path = PurePosixPath(source)
    language = {".yaml": "yaml", ".py": "python"}[path.suffix]
    return f"---\nsearch: {{exclude: true}}\n---\n# {path.name}\n\n`{source}`\n\n```{language}\n{text}```\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links of a page of docs/ that leave docs/ to the pages of the site."""
    del config, files
    at = page.file.src_uri
    return markdown if page.file.generated_by else _relinked(markdown, f"docs/{at}", at)


def _relinked(text: str, source: str, target: str) -> str:
    """A text with its links, which are between files of the repository, as links between pages."""
    parts = _FENCE.split(text)
    return "".join(part if n % 2 else _LINK.sub(lambda m: _link(m, source, target), part)
                   for n, part in enumerate(parts))  # fmt: skip


def _link(found: re.Match[str], source: str, target: str) -> str:
    start, path, anchor, end = found.groups()
    if "://" in path or path.startswith("mailto:"):
        return found.group()
    wanted = normpath(f"{PurePosixPath(source).parent}/{path}")
    page = pages().get(wanted, wanted.removeprefix("docs/"))
    return f"{start}{relpath(page, str(PurePosixPath(target).parent))}{anchor or ''}{end}"
