"""A fork server that imports for a while, as a fixture."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import name_for, serve


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    for module in ("one", "two", "three"):
        text = f"import time; time.sleep(0.5); open('imported {module}', 'w')"
        (tmp_path / f"{module}.py").write_text(text)
    process = serve(name_for(tmp_path), tmp_path, "one", "two", "heldout.execution.steps.late")
    assert process.stdin is not None
    yield process
    process.stdin.close()
    process.wait(10)


@pytest.fixture
def address(server: subprocess.Popen[bytes], tmp_path: Path) -> str:
    return name_for(tmp_path)
