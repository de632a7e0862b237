"""The blocks of docs/in_memory.md run."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "in_memory.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_run(block: str) -> None:
    exec(compile(block, "docs/in_memory.md", "exec"), {})


def test_there_are_blocks() -> None:
    assert len(BLOCKS) == 2
