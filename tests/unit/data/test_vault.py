"""The vault and its ledger: who may open it again, and what is recorded."""

import pyarrow as pa
import pytest

from heldout.data.ledger import read_ledger, record_opening
from heldout.data.vault import read_sealed, sealed_identity, write_sealed
from heldout.errors import HeldoutError

FIRST, SECOND, THIRD = (
    {"identity": name, "learner": "knn", "theta": {"n_neighbors": 5}} for name in "abc"
)


def test_the_sealed_rows_come_back_as_they_were(tmp_path):
    sealed = pa.table({"x": [0.1, None], "y": ["a", "ä"]})
    write_sealed(tmp_path / "deep" / "vault", sealed)
    assert read_sealed(tmp_path / "deep" / "vault").equals(sealed)
    assert [file.name for file in (tmp_path / "deep" / "vault").iterdir()] == ["sealed.parquet"]


def test_the_identity_of_sealed_rows_depends_on_every_value():
    rows = {"x": [1.0, 2.0], "y": ["a", "b"]}
    others = ({"x": [1.0, 2.5]}, {"y": ["a", "c"]}, {"x": [2.0, 1.0], "y": ["b", "a"]})
    found = {sealed_identity(pa.table(rows | other)) for other in ({}, *others)}
    assert len(found) == 4
    assert sealed_identity(pa.table(rows)) in found


def test_the_same_selection_may_look_again(tmp_path):
    assert record_opening(tmp_path, "rows", FIRST, "one config", again=False) == 1
    assert record_opening(tmp_path, "rows", FIRST, "another config", again=False) == 1
    assert [entry["config"] for entry in read_ledger(tmp_path)] == ["one config", "another config"]


def test_another_selection_is_refused_unless_the_user_insists(tmp_path):
    record_opening(tmp_path, "rows", FIRST, "config", again=False)
    with pytest.raises(HeldoutError, match=r"already judged another selection \(1 so far\)"):
        record_opening(tmp_path, "rows", SECOND, "config", again=False)
    assert len(read_ledger(tmp_path)) == 1
    assert record_opening(tmp_path, "rows", SECOND, "config", again=True) == 2
    assert record_opening(tmp_path, "rows", THIRD, "config", again=True) == 3
    assert record_opening(tmp_path, "rows", FIRST, "config", again=False) == 3


def test_other_sealed_rows_are_judged_for_the_first_time(tmp_path):
    record_opening(tmp_path, "rows", FIRST, "config", again=False)
    assert record_opening(tmp_path, "other rows", SECOND, "config", again=False) == 1
