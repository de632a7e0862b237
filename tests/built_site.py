"""The documentation site, built strictly."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build_site(folder: Path) -> Path:
    """Build the site into a folder; a warning is an error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [*command, str(folder)], cwd=ROOT, capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder
