"""The README and the JSON schema of the config say what the models say."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from heldout.config import reference
from heldout.config.examples import EXAMPLES, GRIDS
from heldout.config.intervals_page import interval_lines
from heldout.config.models import Config
from heldout.estimates.holds import HOLDS, OF_SCORES
from heldout.estimates.interval_registry import INTERVALS
from heldout.execution.study import Study
from heldout.learners.catalogue import CATALOG
from heldout.learners.grid import endless_axis, expand

ROOT = Path(__file__).parents[3]


def test_the_files_are_up_to_date(capsys):
    """If not: python -m heldout.config.reference."""
    assert reference.main(["--check"]) == 0, capsys.readouterr().err


def test_every_key_of_every_model_is_in_the_readme():
    text = reference.readme_text()
    whole = Config.model_json_schema()
    for model in (whole, *whole["$defs"].values()):
        rows = [f"| `{key}` | " for key in model["properties"]]
        assert all(row in text for row in rows)
        assert model["description"] in text


@pytest.mark.parametrize(
    "row",
    [
        "| `seed` | whole number ≥ 0 | `19` | the root of every random choice |",
        "| `level` | number > 0 and < 1 | `0.95` | confidence level of every interval |",
        "| `target` | text | **required** | the column to predict |",
        "| `groups` | text or `null` | `null` | a column: its rows always stay together |",
        "| `kfold` | [a block](#tasksnamekfold) | see there | The folds of cross-validation. |",
        "| `{alpha: {logspace: [-2, 2, 5]}}` | 0.01, 0.1, 1, 10, 100 |",
    ],
)
def test_rows_read_well(row):
    assert f"\n{row}\n" in reference.readme_text()


def test_links_lead_to_headings():
    text = reference.readme_text()
    headings = {
        re.sub(r"[^a-z0-9 -]", "", line[3:].lower()).replace(" ", "-")
        for line in text.splitlines()
        if line.startswith("## ")
    }
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert {"tasksname", "learnersname", "tasksnamekfold"} <= links <= headings


def test_every_learner_is_in_the_readme():
    text = reference.readme_text()
    for name, entry in CATALOG.items():
        [line] = [line for line in text.splitlines() if line.startswith(f"| `{name}` | ")]
        for path in (entry.classifier, entry.regressor):
            assert path is None or f"`{path.rsplit('.')[-1]}`" in line
        assert all(key in line for key in {**entry.grid, **entry.params, **entry.simpler})


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_examples_are_valid(title):
    raw = yaml.safe_load(EXAMPLES[title])
    Study(raw)
    jsonschema.validate(raw, json.loads(reference.schema_text()))


@pytest.mark.parametrize(("grid", "words"), GRIDS)
def test_the_grids_are_valid(grid, words):
    assert endless_axis(grid, "grid") or expand(grid, 0, "grid")
    section = reference.readme_text().partition("## Grids")[2].partition("## Learners")[0]
    written = re.findall(r"^\| `(\{.*?\})` \| ", section, re.MULTILINE)
    assert grid in [yaml.safe_load(text) for text in written]


def test_the_schema_accepts_the_shipped_configs_and_refuses_unknown_keys():
    schema = json.loads(reference.schema_text())
    for path in (ROOT / "config").rglob("*.yaml"):
        jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), schema)
    with pytest.raises(jsonschema.ValidationError, match="sede"):
        jsonschema.validate(yaml.safe_load(EXAMPLES["The smallest"]) | {"sede": 1}, schema)


def test_a_difference_is_found_and_mended(tmp_path, capsys):
    assert reference.main(["--check"], tmp_path) == 1
    assert "config/README.md: differs from the code; run: python -m" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert reference.main([], tmp_path) == 0
    assert "config/README.md: written" in capsys.readouterr().out
    assert reference.main(["--check"], tmp_path) == 0
    (tmp_path / "config" / "README.md").write_text("old")
    assert reference.main(["--check"], tmp_path) == 1
    assert (tmp_path / "config" / "README.md").read_text() == "old"


def test_every_interval_has_its_section():
    """With formula, target, assumptions, reference, and what it is recommended for."""
    text = "\n".join(interval_lines())
    for interval in INTERVALS.values():
        section = text.partition(f"\n## `{interval.name}`\n")[2].partition("\n## ")[0]
        assert f"**Formula.** `{interval.formula}`" in section
        assert f"[{interval.reference}]({interval.url})" in section
        for estimator in interval.derived_for:
            [row] = [line for line in section.splitlines() if line.startswith(f"| `{estimator}` |")]
            known = [*HOLDS, *(key[1:] for key in OF_SCORES)]
            assert row.endswith("| no |") == ((estimator, interval.name) not in known)
