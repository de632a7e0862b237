"""`heldout init` proposes groups where names and values tell them."""

import numpy as np
import pytest
import yaml
from tables import write_parquet

from heldout.cli import main

N = 200


def columns(seed=0, **further):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=N)
    table = {"x": x.tolist(), "y": np.where(x > 0, "yes", "no").tolist()}
    return table | further


@pytest.fixture
def init(tmp_path, monkeypatch, capsys):
    """Write a table, run init on it; the task of the config, the config's text and what the terminal says."""
    monkeypatch.chdir(tmp_path)

    def run(table, *arguments):
        write_parquet(tmp_path / "t.parquet", table)
        assert main(["init", "t.parquet", "--target", "y", "--force", *arguments]) == 0
        text = (tmp_path / "config" / "config.yaml").read_text()
        return yaml.safe_load(text)["tasks"]["t"], text, capsys.readouterr().out

    return run


PAIRS = [i // 2 for i in range(N)]


def test_two_rows_of_a_patient(init):
    task, text, shown = init(columns(id=PAIRS))
    assert task["groups"] == "id"
    assert task["drop"] == []
    assert task["test"] == 0.2
    assert "share of the groups" in text
    assert "if its rows do not belong together: groups: null" in text
    [line] = [line for line in shown.splitlines() if line.startswith("  groups: 'id' has ")]
    assert line.endswith("so its rows are kept together; look at it (--groups none refuses it)")


def test_a_proposal_can_be_refused(init):
    task, text, shown = init(columns(id=PAIRS), "--groups", "none")
    assert task["groups"] is None
    assert task["drop"] == ["id"]
    assert "groups:" not in shown.replace("its rows belong together: groups: id", "")
    assert "perhaps groups" not in text


def test_a_named_column_is_taken_as_it_is(init):
    task, text, _ = init(columns(id=PAIRS, ward=[i // 4 for i in range(N)]), "--groups", "ward")
    assert task["groups"] == "ward"
    assert "perhaps groups" not in text


def test_other_candidates_are_named(init):
    task, text, shown = init(columns(hospital=[f"h{i // 10}" for i in range(N)], patient=PAIRS))
    assert task["groups"] == "patient"
    assert "    # perhaps groups: hospital (20 values in 160 rows" in " ".join(text.splitlines())
    assert "  perhaps groups: 'hospital' has 20 values" in shown


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"h{i % 7}" for i in range(N)], "too few for folds"),
        ([None if i % 9 == 0 else f"p{i // 4}" for i in range(N)], "rows without a value"),
    ],
)
def test_what_cannot_be_groups_is_named_only(init, values, reason):
    task, text, shown = init(columns(patient=values))
    assert task["groups"] is None
    for said in (text, shown):
        [line] = [line for line in said.splitlines() if "perhaps groups" in line]
        assert reason in line


def test_a_value_that_is_missing_in_a_sealed_row_alone(init, tmp_path):
    """Only sealing by these groups shows it."""
    init(columns(patient=PAIRS), "--groups", "none")
    from heldout.data.prepare import prepare
    from heldout.data.request import Request

    prepare(Request("t", 19, "t.parquet", "y"), tmp_path / "data", tmp_path / "vault")
    kept = np.load(tmp_path / "data" / "rows.npy")["source"].tolist()
    sealed = next(i for i in range(N) if i not in kept)
    values = [None if i == sealed else one for i, one in enumerate(PAIRS)]
    task, _, shown = init(columns(patient=values))
    assert task["groups"] is None
    assert "perhaps groups: 'patient'" in shown


@pytest.mark.parametrize(
    "further",
    [
        {"id": list(range(N))},
        {"age_group": [f"a{i % 12}" for i in range(N)]},
        {"user_rating": [i % 12 for i in range(N)]},
        {"city": [f"c{i % 30}" for i in range(N)]},
        {"type_id": [i % 15 for i in range(N)]},
    ],
)
def test_other_columns_propose_nothing(init, further):
    task, text, shown = init(columns(**further))
    assert task["groups"] is None
    assert "perhaps groups" not in text + shown


def test_values_alone_are_a_comment(init):
    generator = np.random.default_rng(2)
    own = np.repeat(np.arange(N // 4), 4)
    x = generator.normal(size=(N // 4, 2))[own] + 0.05 * generator.normal(size=(N, 2))
    y = 3 * generator.normal(size=N // 4)[own] + 0.2 * generator.normal(size=N)
    table = {"x": x[:, 0], "z": x[:, 1], "mark": [f"m{i}" for i in own], "y": y}
    task, text, shown = init({name: list(values) for name, values in table.items()})
    assert task["groups"] is None
    assert "# perhaps groups: mark (" in text
    assert "perhaps groups: 'mark' has 50 values" in shown


def test_with_time_groups_are_named_only(init):
    table = columns(patient=[i % 50 for i in range(N)], when=[i // 50 for i in range(N)])
    task, text, _ = init(table, "--time", "when")
    assert task["groups"] is None
    assert "perhaps groups: patient" in text
