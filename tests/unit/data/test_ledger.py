"""The ledger: what is missing or was changed is noticed, and stays noticed."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from heldout.data import ledger
from heldout.data.ledger import append_opening, ledger_faults, read_ledger
from heldout.data.witness import WITNESS, Opening, remember, task_folders
from heldout.errors import HeldoutError
from heldout.names import canonical, digest


def opening(task="t", **facts):
    given = {"target": "y", "selection": "s", "learner": "knn", "theta": {"k": 1}, "group": "g"}
    given |= {"count": 1, "sealed": "all", "rows": 2, "time": "now"}
    return Opening(task, **(given | facts))


@pytest.fixture
def study(tmp_path):
    """A ledger of three openings, all seen by the task `t`; only the first two by `other`."""
    place, results = tmp_path / "ledger", tmp_path / "results"
    for number in (1, 2, 3):
        book = read_ledger(place, [])
        new = append_opening(place, book, opening(selection=f"s{number}"), [f"row{number}", "row"])
        assert new.number == number
        whole = read_ledger(place, []).digests
        for task in ("t", "other") if number < 3 else ("t",):
            remember(results / task, whole, [new])
    return tmp_path


def faults(study):
    return ledger_faults(study / "ledger", task_folders(study / "results"))


def test_a_ledger_is_read_as_it_was_written(study):
    book = read_ledger(study / "ledger", task_folders(study / "results"))
    assert faults(study) == []
    assert [entry.opening.selection for entry in book.entries.values()] == ["s1", "s2", "s3"]
    assert book.entries[2].row_digests == ("row", "row2")
    assert book.entries[2].previous == book.entries[1].opening.digest
    assert book.head == (3, book.entries[3].opening.digest)
    assert sorted(path.name for path in (study / "ledger").iterdir()) == [
        f"00000{number}.json" for number in (1, 2, 3)
    ]


def test_without_ledger_and_witness_there_is_nothing_to_say(tmp_path):
    assert ledger_faults(tmp_path / "ledger", [tmp_path / "t"]) == []


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_missing_opening_is_noticed(study, number):
    (study / "ledger" / f"00000{number}.json").unlink()
    assert faults(study) == [f"opening {number} is missing"]


def test_a_deleted_ledger_is_noticed(study):
    for path in (study / "ledger").iterdir():
        path.unlink()
    (study / "ledger").rmdir()
    assert faults(study) == [f"opening {number} is missing" for number in (1, 2, 3)]


def edit(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def forge(path, **changes):
    """Edit a file and make its own digest right again."""
    entry = json.loads(path.read_text()) | changes | {"digest": ""}
    path.write_text(json.dumps(entry | {"digest": digest(canonical(entry))}))


DAMAGE = {
    "edited": lambda path: edit(path, selection="other"),
    "rows edited": lambda path: edit(path, row_digests="row9"),
    "a key more": lambda path: edit(path, more=1),
    "count edited": lambda path: edit(path, count=7),
    "forged": lambda path: forge(path, selection="other"),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "emptied": lambda path: path.write_text(""),
    "no entry": lambda path: path.write_text("[]"),
    "not text": lambda path: path.write_bytes(b"\xff\xfe"),
}


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_changed_opening_is_noticed(study, damage, number):
    damage(study / "ledger" / f"00000{number}.json")
    assert faults(study) == [f"opening {number} has been changed"]
    assert number not in read_ledger(study / "ledger", []).entries or damage is DAMAGE["forged"]


def test_an_exchanged_opening_is_noticed_by_its_place(study):
    first, second = (study / "ledger" / f"00000{number}.json" for number in (1, 2))
    first.write_bytes(second.read_bytes())
    assert faults(study) == ["opening 1 has been changed"]


def test_the_chain_alone_tells_a_forged_opening_that_is_not_the_last(study):
    forge(study / "ledger" / "000002.json", selection="other")
    assert ledger_faults(study / "ledger", []) == ["opening 2 has been changed"]
    forge(study / "ledger" / "000003.json", selection="other")
    assert faults(study) == [f"opening {number} has been changed" for number in (2, 3)]


def test_what_was_lost_stays_noticed_after_another_opening(study):
    (study / "ledger" / "000003.json").unlink()
    forge(study / "ledger" / "000002.json", selection="other")
    said = ["opening 2 has been changed", "opening 3 is missing"]
    assert faults(study) == said
    book = read_ledger(study / "ledger", task_folders(study / "results"))
    new = append_opening(study / "ledger", book, opening(selection="s4"), ["row4"])
    assert new.number == 4
    assert faults(study) == said
    for path in study.glob(f"results/*/{WITNESS}"):
        path.unlink()
    assert ledger_faults(study / "ledger", []) == said


def test_a_witness_knows_what_was_lost(study):
    (study / "ledger" / "000003.json").unlink()
    book = read_ledger(study / "ledger", task_folders(study / "results"))
    assert {number: one.selection for number, one in book.known.items()} == {3: "s3"}
    assert book.head == (3, book.known[3].digest)


def test_a_witness_does_not_learn_from_a_forged_ledger(study):
    forge(study / "ledger" / "000003.json", selection="other")
    book = read_ledger(study / "ledger", task_folders(study / "results"))
    remember(study / "results" / "other", book.digests, [])
    (study / "results" / "t" / WITNESS).unlink()
    assert 3 not in book.digests
    assert ledger_faults(study / "ledger", task_folders(study / "results")) == []
    remember(study / "results" / "t", {3: "what it was"}, [])
    remember(study / "results" / "t", read_ledger(study / "ledger", []).digests, [])
    assert faults(study) == ["opening 3 has been changed"]


def test_a_damaged_witness_is_an_error_with_a_remedy(study):
    path = study / "results" / "t" / WITNESS
    path.write_text("{")
    with pytest.raises(HeldoutError, match=r"witness\.json' is damaged; restore it, or remove it"):
        faults(study)


def test_a_ledger_that_cannot_be_read_names_the_key_that_shares_it(study, monkeypatch):
    def forbidden(folder):
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(ledger, "_files", forbidden)
    with pytest.raises(HeldoutError, match="vault: shared"):
        faults(study)


def append_when_free(place, task):
    """What a job does: read, try to append, and read again if another one was quicker."""
    while True:
        new = append_opening(place, read_ledger(place, []), opening(task), [task])
        if new is not None:
            return new.number


@pytest.mark.parametrize("links", [True, False])
def test_openings_at_the_same_time_do_not_overwrite_one_another(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("no links")))
    tasks = [f"t{i}" for i in range(12)]
    with ThreadPoolExecutor(6 if links else 1) as pool:
        numbers = list(pool.map(lambda task: append_when_free(tmp_path / "ledger", task), tasks))
    assert sorted(numbers) == list(range(1, 13))
    book = read_ledger(tmp_path / "ledger", [])
    assert {entry.opening.task for entry in book.entries.values()} == set(tasks)
    assert book.faults == []
    assert len(list((tmp_path / "ledger").iterdir())) == 12
