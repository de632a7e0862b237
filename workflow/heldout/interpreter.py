"""Steps run under the Python that runs Snakemake."""

import os
import sys
from pathlib import Path


def put_first_on_path() -> None:
    """Let `python` mean this interpreter in every shell that Snakemake starts.

    (Snakemake's `shell.prefix` would take away that of a workflow which uses this one as a module.)
    """
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
