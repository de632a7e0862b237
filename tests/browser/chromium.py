"""Headless Chromium: load a page, let a script drive it, and read what came of it."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip
FLAGS = (*QUIET, "--enable-logging=stderr", "--v=0", "--virtual-time-budget=4000")
needs_browser = pytest.mark.skipif(
    BROWSER is None and not os.environ.get("CI"), reason="no Chromium here (in CI this would fail)"
)
DRIVER = """
<script>
window.faults = [];
addEventListener("error", (event) => faults.push(String(event.message)));
window.alert = () => faults.push("alert");
</script>
%s
<script type="module">
const outcome = await (async () => { %s })();
const place = document.createElement("pre");
place.id = "outcome";
place.textContent = encodeURIComponent(JSON.stringify({ outcome, faults }));
document.body.append(place);
</script>
"""


@dataclass(frozen=True)
class Loaded:
    """The page after its scripts have run, and what the console said."""

    dom: str
    console: list[str]


def load(page: Path, profile: Path, width: int = 1300, query: str = "") -> Loaded:
    """Open a page as it is; the query begins with a question mark."""
    assert BROWSER is not None, "no Chromium here; ./check installs Debian's"
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},2000"]
    done = subprocess.run(
        [*command, "--dump-dom", page.as_uri() + query],
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return Loaded(done.stdout, said)


def drive(page: Path, profile: Path, script: str, width: int = 1300) -> Any:
    """Open a copy of a page without its policy, run the body of an async function, return its value."""
    text = page.read_text(encoding="utf-8")
    head, policy, rest = text.partition('<meta http-equiv="Content-Security-Policy"')
    assert policy
    body = rest.partition(">")[2]
    before, mark, after = body.rpartition("</body>")
    assert mark
    guard, act = (DRIVER % ("<!--cut-->", script)).split("<!--cut-->")
    copy = page.with_name("driven.html")
    copy.write_text(head + guard + before + act + mark + after, encoding="utf-8")
    loaded = load(copy, profile, width)
    _, mark, found = loaded.dom.rpartition('<pre id="outcome">')
    assert mark, f"the page did not finish: {loaded.console}"
    answer = json.loads(unquote(found.partition("</pre>")[0]))
    assert answer["faults"] == []
    assert loaded.console == []
    return answer["outcome"]
