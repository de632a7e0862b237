"""The files that a page contains: styles, scripts, and data as JSON.

Standard library only: the workflow imports this while it is parsed.
"""

import base64
import functools
import hashlib
import json
from pathlib import Path
from typing import Any

from heldout.names import digest

HERE = Path(__file__).parent
LIBRARIES = ("d3.min.js", "plot.umd.min.js")
SCRIPTS = (
    "page.js",
    "tables.js",
    "charts.js",
    "estimates.js",
    "maps.js",
    "grids.js",
    "folds.js",
    "time.js",
    "metrics.js",
    "classes.js",
    "predictions.js",
    "probabilities.js",
    "start.js",
)
"""In the order in which they are joined: each uses only what comes before it."""

_UNSAFE = "<>&\u2028\u2029"
"""Characters that could end a script element, or a line in it."""


@functools.cache
def assets_digest(folder: Path = HERE) -> str:
    """Digest the templates, styles and scripts, so that a change renders the pages again.

    Parameters
    ----------
    folder
        The folder of the templates, with the other files in `assets`.

    Returns
    -------
    str
        A hexadecimal digest.

    Examples
    --------
    >>> assets_digest() == assets_digest()
    True
    """
    files = sorted(
        [*folder.glob("*.html"), *folder.glob("assets/*.js"), *folder.glob("assets/*.css")]
    )
    return digest(*(part for file in files for part in (file.name, file.read_bytes())))


def style() -> str:
    """The style sheet."""
    return _read("style.css")


def libraries() -> list[str]:
    """The chart libraries, each a script of its own."""
    return [_read(name) for name in LIBRARIES]


def script() -> str:
    """The report's own script."""
    body = "\n".join(_read(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}\n}})();'


def json_text(value: Any) -> str:
    """JSON for a script element: characters that could end the element are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in _UNSAFE:
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def policy(scripts: list[str]) -> str:
    """A content security policy: these scripts and no other, and nothing from anywhere else."""
    hashes = " ".join(f"'sha256-{_sha256(text)}'" for text in scripts)
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src {hashes}; img-src data:"


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return (HERE / "assets" / name).read_text(encoding="utf-8")
