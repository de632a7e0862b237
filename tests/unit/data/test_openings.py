"""Who may open sealed rows, how it is counted, and what is said."""

import itertools
import json
import shutil
from dataclasses import replace

import pytest

from heldout.data.ledger import FOLDER
from heldout.data.openings import AGAIN, OPENED, REFUSED, Wish, open_sealed
from heldout.data.witness import WITNESS

ROWS = tuple(f"row{i}" for i in range(10))
FIRST = Wish("t", "y", "first", "knn", {"k": 5}, "config", 0, ROWS)
SECOND, THIRD = replace(FIRST, selection="second"), replace(FIRST, selection="third")


@pytest.fixture
def study(tmp_path):
    return tmp_path


def ask(study, wish, **changes):
    wish = replace(wish, **changes)
    return open_sealed(study / "results" / wish.task, wish)


def entries(study):
    return [json.loads(path.read_text()) for path in sorted((study / FOLDER).glob("*.json"))]


def test_the_first_opening_is_recorded(study):
    found = ask(study, FIRST)
    assert (found.state, found.count, found.rows, found.overlap) == (OPENED, 1, 10, 0)
    assert (found.notes, found.ledger) == ([], [])
    [entry] = entries(study)
    assert (entry["task"], entry["selection"], entry["learner"]) == ("t", "first", "knn")
    assert (entry["theta"], entry["count"], entry["rows"]) == ({"k": 5}, 1, 10)
    assert [one["number"] for one in found.openings] == [1]


def test_the_same_selection_may_look_again_and_is_counted_once(study):
    first = ask(study, FIRST)
    again = ask(study, FIRST)
    assert (again.state, again.count, again.overlap) == (OPENED, 1, 10)
    assert again.openings == first.openings
    assert len(entries(study)) == 1


def test_another_selection_is_refused_and_nothing_is_recorded(study):
    ask(study, FIRST)
    found = ask(study, SECOND)
    assert (found.state, found.count, found.refused) == (REFUSED, 2, True)
    assert "the test set has judged an earlier selection" in found.message
    assert "10 of its 10 rows have judged 1 other selection of 'y'" in found.message
    assert found.message.endswith("heldout run -- --config open_again=true")
    assert [one["selection"] for one in found.openings] == ["first"]
    assert len(entries(study)) == 1


def test_openings_that_the_user_asks_for_are_counted(study):
    ask(study, FIRST)
    second = ask(study, SECOND, again=True)
    assert (second.state, second.count) == (AGAIN, 2)
    assert "selection number 2" in second.message
    assert "δ/6" in second.message
    assert ask(study, THIRD, again=True).count == 3
    for wish, count in ((FIRST, 1), (SECOND, 2), (THIRD, 3)):
        assert ask(study, wish).count == count
    assert [entry["count"] for entry in entries(study)] == [1, 2, 3]


def test_asking_for_it_does_not_make_the_first_opening_a_second_one(study):
    assert (ask(study, FIRST, again=True).state, ask(study, FIRST, again=True).count) == (OPENED, 1)


# --- which rows count ------------------------------------------------------------------------------


def test_one_row_in_common_is_enough(study):
    ask(study, FIRST)
    found = ask(study, SECOND, row_digests=("row9", "new", "newer"))
    assert (found.state, found.overlap) == (REFUSED, 1)
    assert "1 of its 3 rows" in found.message


def test_rows_that_have_not_judged_are_opened_for_the_first_time(study):
    ask(study, FIRST)
    found = ask(study, SECOND, row_digests=("new", "newer"))
    assert (found.state, found.count, found.overlap) == (OPENED, 1, 0)


def test_only_selections_that_these_rows_judged_are_counted(study):
    ask(study, FIRST)
    ask(study, SECOND, row_digests=("new", "newer"))
    found = ask(study, THIRD, row_digests=("newer",), again=True)
    assert found.count == 2
    assert [one["selection"] for one in found.openings] == ["second", "third"]


def test_overlap_counts_the_rows_of_all_openings(study):
    ask(study, FIRST, row_digests=("a", "b"))
    ask(study, SECOND, row_digests=("c",))
    assert ask(study, THIRD, row_digests=("a", "c", "d")).overlap == 2


def test_a_row_that_occurs_twice_counts_twice(study):
    ask(study, FIRST, row_digests=("a", "b"))
    assert ask(study, SECOND, row_digests=("a", "a", "c")).overlap == 2


def test_the_same_selection_on_more_rows_is_another_opening_of_the_same_selection(study):
    ask(study, FIRST)
    found = ask(study, FIRST, row_digests=(*ROWS, "edited"))
    assert (found.state, found.count) == (OPENED, 1)
    assert len(entries(study)) == 2


def test_the_same_selection_on_rows_that_judged_another_one_meanwhile_is_refused(study):
    ask(study, FIRST, row_digests=("a", "b"))
    ask(study, SECOND, row_digests=("c", "d"))
    assert ask(study, FIRST, row_digests=("a", "c")).state == REFUSED


def test_another_target_is_said_and_not_counted(study):
    ask(study, FIRST)
    found = ask(study, SECOND, task="other", target="z")
    assert (found.state, found.count, found.overlap) == (OPENED, 1, 0)
    [note] = found.notes
    assert "10 of these 10 rows have judged a selection of 'y' in task 't'" in note
    assert "not counted" in note
    assert [one["target"] for one in found.openings] == ["z"]


# --- which tasks may open them in one run ----------------------------------------------------------


def test_a_renamed_task_is_the_same_task(study):
    ask(study, FIRST)
    assert ask(study, SECOND, task="renamed", group="other config").state == REFUSED
    same = ask(study, FIRST, task="renamed", group="other config")
    assert (same.state, same.count) == (OPENED, 1)
    assert len(entries(study)) == 1


SHARING = [replace(FIRST, task=name, selection=name, before=i) for i, name in enumerate("abc")]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_tasks_of_one_config_are_counted_by_their_order_there(study, order):
    """Whichever is first, so that no number depends on the speed of jobs."""
    found = {i: ask(study, SHARING[i]) for i in order}
    assert [found[i].count for i in range(3)] == [1, 2, 3]
    assert [found[i].state for i in range(3)] == [OPENED, AGAIN, AGAIN]
    assert [ask(study, one).count for one in SHARING] == [1, 2, 3]
    assert len(entries(study)) == 3


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_tasks_that_select_the_same_keep_their_places(study, order):
    wishes = [replace(one, selection="same") for one in SHARING[:2]]
    found = {i: ask(study, wishes[i]).count for i in order}
    assert found == {0: 1, 1: 2}
    assert [ask(study, one).count for one in wishes] == [1, 2]


def test_a_task_of_a_later_config_is_refused(study):
    ask(study, SHARING[0], group="a alone")
    assert ask(study, SHARING[0], group="a and b").count == 1
    later = ask(study, SHARING[1], group="a and b")
    assert later.state == REFUSED
    assert ask(study, SHARING[1], group="a and b", again=True).count == 2


def test_a_task_has_one_opening_in_a_config(study):
    ask(study, SHARING[0])
    ask(study, SHARING[1])
    assert ask(study, SHARING[0], selection="changed code").state == REFUSED


def test_another_level_changes_no_count_of_tasks_that_share_rows(study):
    for wish in SHARING:
        ask(study, wish)
    assert [ask(study, wish, group="edited").count for wish in SHARING] == [1, 2, 3]
    assert len(entries(study)) == 3


# --- a ledger that is not as it was ----------------------------------------------------------------


def delete_ledger(study):
    shutil.rmtree(study / FOLDER.parts[0])


def edit_rows(study):
    path = study / FOLDER / "000001.json"
    path.write_text(path.read_text().replace("row0", "rowX"))


DAMAGE = {delete_ledger: "opening 1 is missing", edit_rows: "opening 1 has been changed"}


@pytest.mark.parametrize("damage", DAMAGE)
def test_another_selection_stays_refused(study, damage):
    ask(study, FIRST)
    damage(study)
    found = ask(study, SECOND)
    assert found.state == REFUSED
    assert found.ledger == [DAMAGE[damage]]
    assert "its rows have judged 1 other selection" in found.message
    assert [one["selection"] for one in found.openings] == ["first"]
    assert ask(study, SECOND, again=True).count == 2


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_same_selection_keeps_its_place_and_is_recorded_anew(study, damage):
    ask(study, FIRST)
    ask(study, SECOND, again=True)
    damage(study)
    found = ask(study, SECOND)
    assert (found.state, found.count) == (AGAIN, 2)
    assert DAMAGE[damage] in found.ledger
    assert entries(study)[-1]["selection"] == "second"
    assert ask(study, SECOND).ledger == found.ledger
    assert ask(study, THIRD).state == REFUSED


def test_what_nobody_remembers_is_taken_to_have_judged_these_rows(study):
    ask(study, FIRST)
    ask(study, SECOND, row_digests=("new",))
    (study / FOLDER / "000001.json").unlink()
    shutil.rmtree(study / "results")
    found = ask(study, THIRD)
    assert (found.state, found.count) == (REFUSED, 2)
    assert "its rows may have judged 1 other selection" in found.message
    assert found.ledger == ["opening 1 is missing"]
    assert ask(study, THIRD, again=True).count == 2


def test_what_another_task_of_the_run_had_opened_is_remembered_too(study):
    ask(study, SHARING[0])
    ask(study, SHARING[1])
    delete_ledger(study)
    assert ask(study, SHARING[1]).count == 2
    assert ask(study, SHARING[2]).count == 3
    assert len(ask(study, SHARING[0]).ledger) == 2


def test_deleted_results_reset_nothing(study):
    ask(study, FIRST)
    shutil.rmtree(study / "results")
    assert ask(study, SECOND).state == REFUSED
    assert ask(study, FIRST).count == 1
    assert (study / "results" / "t" / WITNESS).is_file()
    assert len(entries(study)) == 1


def test_without_results_and_ledger_nothing_is_known(study):
    """The docs admit it."""
    ask(study, FIRST)
    shutil.rmtree(study / "results")
    delete_ledger(study)
    assert (ask(study, SECOND).state, ask(study, SECOND).ledger) == (OPENED, [])


# --- the ledger of an earlier version --------------------------------------------------------------


def write_old_ledger(study, *selections):
    path = study / "results" / "t" / "vault" / "ledger.jsonl"
    path.parent.mkdir(parents=True)
    facts = {"time": "then", "sealed": "x", "learner": "knn", "theta": {"k": 1}, "config": "c"}
    lines = [
        json.dumps({**facts, "selection": name, "selections_so_far": i + 1})
        for i, name in enumerate(selections)
    ]
    path.write_text("\n".join(lines) + "\n")


def test_openings_of_an_earlier_version_count(study):
    write_old_ledger(study, "old", "older")
    found = ask(study, FIRST)
    assert found.state == REFUSED
    assert any("ledger of an earlier version" in note for note in found.notes)
    assert ask(study, FIRST, again=True).count == 3
    assert ask(study, SECOND, again=True).count == 4


def test_openings_of_an_earlier_version_are_no_files_of_the_chain(study):
    write_old_ledger(study, "old")
    ask(study, FIRST)
    assert json.loads((study / "results" / "t" / WITNESS).read_text())["openings"] == []


def test_an_earlier_version_may_have_judged_the_same_selection(study):
    write_old_ledger(study, "first")
    assert (ask(study, FIRST).state, ask(study, FIRST).count) == (OPENED, 1)


def test_an_opening_at_the_same_time_is_taken_into_account(study, monkeypatch):
    """Another task writes its entry between reading and writing."""
    from heldout.data import openings

    original = openings.append_opening
    quicker = iter([SECOND])

    def append(*arguments):
        for wish in quicker:
            ask(study, wish)
        return original(*arguments)

    monkeypatch.setattr(openings, "append_opening", append)
    assert ask(study, FIRST).state == REFUSED
    assert [entry["selection"] for entry in entries(study)] == ["second"]
