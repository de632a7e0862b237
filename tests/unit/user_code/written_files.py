"""Writing the files of a study, or of installed packages."""

from collections.abc import Callable
from pathlib import Path

Write = Callable[[dict[str, str]], None]


def writer(folder: Path) -> Write:
    def write(files: dict[str, str]) -> None:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write
