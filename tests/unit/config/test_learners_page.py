"""Every block of docs/learners.md passes the checks and fits."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from mixed_table import SEED, outcomes_of, table_for

from heldout.cells.plan import columns_of
from heldout.cells.preflight import checked_builder
from heldout.config.load import validate
from heldout.learners.learner import define

PAGE = Path(__file__).parents[3] / "docs" / "learners.md"
BLOCKS = [
    yaml.safe_load(text)["learners"]
    for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
]
LEARNERS = {name: block for one in BLOCKS for name, block in one.items()}
OF_NUMBERS = {"small", "switched", "two_scales", "log", "ranks"}
OF_TEXTS = {"plain", "words"}


def test_no_name_stands_twice() -> None:
    assert len(LEARNERS) == sum(map(len, BLOCKS)) > 15


@pytest.mark.parametrize("name", LEARNERS)
def test_every_block_works(tmp_path: Path, name: str) -> None:
    target = "score" if name in OF_NUMBERS else "rare"
    task = {"data": "t.csv", "target": target, "learners": [name]}
    config = validate({"tasks": {"t": task}, "learners": {name: LEARNERS[name]}})
    block: dict[str, Any] = config.learners[name].model_dump(exclude_unset=True)
    table = table_for(tmp_path, target, texts=name in OF_TEXTS)
    learner = define(name, block)
    thetas = learner.thetas(SEED)
    assert checked_builder(learner, columns_of(table), thetas, None)
    outcomes = outcomes_of(table, block)
    assert len(outcomes) == len(thetas)
