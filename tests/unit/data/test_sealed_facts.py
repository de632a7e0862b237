"""What the vault says of the sealed rows: counts, as private as the rows."""

import json
import stat

import numpy as np
import pytest
from tables import prepared, write_csv

from heldout.data.copies import Copies
from heldout.data.sealed_facts import SealedFacts, read_facts

N = 200


def columns(rows=N):
    generator = np.random.default_rng(4)
    x = generator.normal(size=(rows, 4))
    x[rows - 40 :] = x[:40]
    y = np.tile(["a", "b"], rows // 2)
    return {**{f"x{i}": x[:, i] for i in range(4)}, "y": y}


def test_copies_across_the_seal_are_counted(tmp_path):
    table = prepared(tmp_path, columns(), test=0.25)
    facts = read_facts(tmp_path / "vault")
    assert (facts.rows, facts.units, facts.classes) == (50, 50, 2)
    sealed = set(range(N)) - set(table.rows["source"].tolist())
    twins = {i: i + 160 if i < 40 else i - 160 for i in (*range(40), *range(160, 200))}
    expected = sum(i in twins and twins[i] not in sealed for i in sealed)
    assert expected > 5
    assert facts.copies == Copies(50, expected, 0)


def test_near_copies_and_texts_count_and_copies_in_one_group_do_not_cross(tmp_path):
    given = columns()
    jittered = {name: v if name == "y" else v + np.arange(N) / 1e5 for name, v in given.items()}
    prepared(tmp_path, jittered, test=0.25)
    copies = read_facts(tmp_path / "vault").copies
    assert copies.exact == 0
    assert copies.near > 5
    whose = [f"p{i % 160}" for i in range(N)]
    prepared(tmp_path, {**given, "who": whose}, test=0.25, groups="who")
    facts = read_facts(tmp_path / "vault")
    assert facts.copies.found == 0
    assert facts.units == 40 <= facts.rows
    said = {"said": [f"word {i} and {i * 7}" for i in range(N)]}
    prepared(tmp_path, {**given, **said}, test=0.25, types={"said": "text"})
    assert read_facts(tmp_path / "vault").copies.exact == 0


def test_a_test_table_that_shares_rows(tmp_path):
    whole = columns()
    new = {name: v[:20] if name == "y" else v[:20] + 3 for name, v in whole.items()}
    mixed = {name: np.r_[new[name], whole[name][:5]] for name in whole}
    path = write_csv(tmp_path / "test.csv", mixed)
    prepared(tmp_path, {k: v[:150] for k, v in whole.items()}, test=path)
    facts = read_facts(tmp_path / "vault")
    assert facts.rows == 25
    assert facts.copies == Copies(25, 5, 0)
    assert facts.units == 25
    who = {"who": [f"p{i // 3}" for i in range(150)]}
    prepared(tmp_path, {**{k: v[:150] for k, v in whole.items()}, **who}, test=path, groups="who")
    assert read_facts(tmp_path / "vault") == facts, "its rows have no groups"


@pytest.mark.parametrize(("private", "mode"), [(True, 0o600), (False, 0o644)])
def test_the_facts_are_as_private_as_the_rows_and_hold_no_value(tmp_path, private, mode):
    prepared(tmp_path, columns(), test=0.2, private=private)
    path = tmp_path / "vault" / "facts.json"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    facts = json.loads(path.read_text())
    assert facts.keys() == {"rows", "units", "classes", "copies"}
    assert facts["copies"].keys() == {"rows", "exact", "near", "others"}


def test_without_sealed_rows_or_with_times_no_copies_are_counted(tmp_path):
    prepared(tmp_path, columns(), test=0)
    assert read_facts(tmp_path / "vault") == SealedFacts(0, 0, 0, None)
    prepared(tmp_path, {**columns(), "when": np.arange(N)}, test=0.2, time="when")
    assert read_facts(tmp_path / "vault").copies is None
    numbers = {**columns(), "y": np.random.default_rng(1).normal(size=N)}
    prepared(tmp_path, numbers, test=0.2)
    assert read_facts(tmp_path / "vault").classes is None
