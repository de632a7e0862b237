"""The tutorial: a notebook whose outputs are stored, shown as a page, and run anew by a test.

``python docs/_site/notebook.py`` runs it and stores its outputs.
"""

import json
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"
SECONDS = 300
_STYLE = re.compile(r"<style scoped>.*?</style>", re.DOTALL)
_STYLED = re.compile(r'<table [^>]*class="dataframe">')
"""What pandas adds to its tables: the site has a style of its own."""


def as_markdown(text: str) -> str:
    """The page of a notebook: its cells and their stored outputs."""
    return "\n\n".join(_cell(cell) for cell in json.loads(text)["cells"]) + "\n"


def _cell(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    return "\n\n".join([f"```python\n{source}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {"text/plain": output.get("text", "")})
    for kind, shown in _SHOWN.items():
        if kind in data:
            return (
                f'<div class="output" markdown>\n\n{shown("".join(data[kind]).rstrip())}\n\n</div>'
            )
    return ""


_SHOWN = {
    "image/png": lambda data: f"![Figure](data:image/png;base64,{''.join(data.split())})",
    "text/html": lambda data: _STYLED.sub("<table>", _STYLE.sub("", data)),
    "text/plain": lambda data: f"```text\n{data}\n```",
}


def checkout(folder: Path) -> Path:
    """A folder that looks like a checkout, and has no results."""
    for name in ("Snakefile", "config", "data", "profiles", "workflow"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def run(path: Path, folder: Path) -> dict[str, Any]:
    """A notebook with the outputs of a run in a folder."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    client.execute(env={**os.environ, "JUPYTER_PLATFORM_DIRS": "1", "PATH": programs})
    for cell in notebook.cells:
        cell.metadata = {}
    return notebook


if __name__ == "__main__":
    import nbformat

    with TemporaryDirectory() as place:
        done = run(TUTORIAL, checkout(Path(place)))
    done.metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
    }
    nbformat.write(done, TUTORIAL)
