"""Groups found by values alone: in clustered tables, and not in ordinary ones."""

import numpy as np
import pytest
from tables import prepared

from heldout.data import neighbours as module
from heldout.data.hidden_units import hidden_units
from heldout.data.neighbours import Gain, gain_of_mates, neighbours, rows_of_some_values
from heldout.data.unit_columns import nameless_units


def clustered(groups=60, each=4, seed=0, effect=1.5, classes=False):
    """Rows of a group are near each other, and share a part of the target that no feature explains."""
    generator = np.random.default_rng(seed)
    own = np.repeat(np.arange(groups), each)
    x = generator.normal(size=(groups, 3))[own] + 0.1 * generator.normal(size=(len(own), 3))
    y = (
        x[:, 0]
        + effect * generator.normal(size=groups)[own]
        + 0.5 * generator.normal(size=len(own))
    )
    target = np.where(y > 0, "yes", "no") if classes else y
    order = generator.permutation(len(own))
    codes = [f"c{7 * one % 97}" for one in own]
    table = {f"x{i}": x[:, i] for i in range(3)} | {"code": np.array(codes), "y": target}
    return {name: values[order].tolist() for name, values in table.items()}


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("dropped", [False, True])
def test_rings_where_rows_share_what_no_feature_explains(tmp_path, classes, dropped):
    drop = ["code"] if dropped else []
    table = prepared(tmp_path, clustered(groups=80, classes=classes), drop=drop)
    [(column, gain)] = hidden_units(table).clear
    assert column.name == "code"
    assert gain.with_mates < gain.without
    assert gain.strength > 4


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_are_merely_alike_are_no_sign(tmp_path, seed):
    """Without a part of their own, mates are just the nearest rows."""
    table = prepared(tmp_path, clustered(seed=seed, effect=0.0))
    assert hidden_units(table).clear == []
    [column] = nameless_units(table)
    gain = gain_of_mates(neighbours(table, np.arange(table.n)), column)
    assert abs(gain.strength) < 4


@pytest.mark.parametrize("seed", range(3))
def test_a_number_that_predicts_smoothly_is_no_unit(tmp_path, seed):
    """Rows of one age are alike in the target; those of the next one nearly as much."""
    generator = np.random.default_rng(seed)
    age = generator.integers(20, 70, 400)
    columns = {
        "age": age.tolist(),
        "x": generator.normal(size=400).tolist(),
        "y": (age / 5 + generator.normal(size=400)).tolist(),
    }
    assert hidden_units(prepared(tmp_path, columns)).clear == []


@pytest.mark.parametrize("dropped", [False, True])
def test_a_number_of_units_is_found(tmp_path, dropped):
    """Rows of the values next to theirs are of other units, as near as any."""
    columns = clustered(groups=80)
    numbers = {one: 40 + 3 * i for i, one in enumerate(sorted(set(columns["code"])))}
    columns["code"] = [numbers[one] for one in columns["code"]]
    found = hidden_units(prepared(tmp_path, columns, drop=["code"] if dropped else [])).clear
    assert [column.name for column, _ in found] == ["code"]


def test_a_unit_that_is_known_explains_what_its_rows_share(tmp_path):
    """A number that is the same in all rows of a patient is no further unit."""
    columns = clustered(groups=80)
    columns["patient"] = columns.pop("code")
    born = {one: 1900 + i % 70 for i, one in enumerate(sorted(set(columns["patient"])))}
    columns["born"] = [born[one] for one in columns["patient"]]
    assert hidden_units(prepared(tmp_path, columns)).clear == []
    columns["other"] = columns.pop("patient")
    assert "born" in [one.name for one, _ in hidden_units(prepared(tmp_path, columns)).clear]


def test_of_many_rows_some_values_are_compared_whole():
    generator = np.random.default_rng(3)
    own = generator.permutation(np.repeat(np.arange(400), 2))
    chosen = rows_of_some_values(own, 200)
    assert len(chosen) == 200
    assert (np.bincount(own[chosen])[np.unique(own[chosen])] == 2).all()
    assert (np.diff(chosen) > 0).all()


def test_rows_without_a_value_are_not_chosen():
    own = np.r_[np.full(50, -1), np.repeat(np.arange(10), 3)]
    assert rows_of_some_values(own, 60).tolist() == [*range(50, 80)]


def test_values_with_many_rows_leave_room_for_others():
    own = np.repeat(np.arange(12), 1000)
    chosen = rows_of_some_values(own, 120)
    assert len(np.unique(own[chosen])) == 10
    assert len(chosen) == 120


def test_rows_without_a_value_are_left_out(tmp_path):
    columns = clustered(groups=80)
    columns["code"] = [None if i % 4 == 0 else one for i, one in enumerate(columns["code"])]
    [(column, gain)] = hidden_units(prepared(tmp_path, columns)).clear
    assert column.name == "code"
    assert gain.rows == 240


@pytest.mark.parametrize("rows", [6, 12])
def test_small_and_empty_tables_say_nothing(tmp_path, rows):
    columns = {
        "x": [1.0, None] * (rows // 2),
        "k": ["a", "b"] * (rows // 2),
        "y": list(range(rows)),
    }
    assert hidden_units(prepared(tmp_path, columns)).clear == []


def test_distances(tmp_path):
    """Numbers have a variance of one; a missing one is in the middle; levels are √2 apart."""
    columns = {"x": [0.0, 2.0, None, None], "k": ["a", "b", "a", "b"], "y": [1.0, 2.0, 3.0, 4.0]}
    near = neighbours(prepared(tmp_path, columns), np.arange(4))
    assert near.squared[0].tolist() == pytest.approx([0, 4 + 2, 1, 1 + 2])
    assert near.without(0)[0].tolist()[1:] == pytest.approx([2, 0, 2])
    assert near.without(1)[0].tolist()[1:] == pytest.approx([4, 1, 1])


def test_of_wide_tables_some_columns_are_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WORK", 10 * 40**2)
    generator = np.random.default_rng(1)
    columns = {f"x{i}": generator.normal(size=40).tolist() for i in range(30)}
    near = neighbours(prepared(tmp_path, columns | {"y": list(range(40))}), np.arange(40))
    assert len(near.features) == 10


@pytest.mark.parametrize(
    ("gain", "without", "error", "clear"),
    [
        (0.2, 0.5, 0.04, True),
        (0.2, 0.5, 0.051, False),
        (0.04, 0.5, 0.001, False),
        (0.2, 0.33, 0.001, False),
        (0.2, 0.5, 0.0, False),
    ],
)
def test_a_gain_is_clear_if_it_is_no_chance_and_large(gain, without, error, clear):
    assert Gain(100, 20, 0.3, without, gain, error).clear is clear


@pytest.mark.parametrize(
    ("alone", "difference_error", "clear"), [(True, 0.04, True), (True, 0.051, False), (False, 0.04, False)]
)  # fmt: skip
def test_values_that_stand_alone_need_no_others_at_their_distance(alone, difference_error, clear):
    found = Gain(100, 20, 0.3, 0.5, 0.01, 0.01, difference_error, alone)
    assert found.clear is clear


@pytest.mark.parametrize(
    ("mates", "nearer", "alone"), [(1.0, 20, True), (1.0, 16, True), (1.0, 15, False), (1.1, 20, False)]
)  # fmt: skip
def test_values_stand_alone_if_mates_are_half_as_far_for_most_rows(mates, nearer, alone):
    distances = np.r_[np.full(nearer, mates), np.full(20 - nearer, 3.0)]
    assert module._alone(distances, np.full(20, 2.0)) is alone


@pytest.mark.parametrize("seed", range(5))
def test_patients_that_no_other_row_is_near_to(tmp_path, seed):
    """Nothing tells how others would fare at that distance; the class is the patient's alone."""
    generator = np.random.default_rng(seed)
    own = np.repeat(np.arange(60), 5)
    x = generator.normal(size=(60, 6))[own] + 0.2 * generator.normal(size=(300, 6))
    label = generator.integers(0, 2, 60)[own]
    columns = {f"x{i}": x[:, i].tolist() for i in range(6)}
    columns |= {"code": [f"k{one}" for one in own], "y": np.array(["no", "yes"])[label].tolist()}
    [(column, gain)] = hidden_units(prepared(tmp_path, columns)).clear
    assert column.name == "code"
    assert gain.alone


def test_the_usual_loss_at_a_distance_is_a_rising_line():
    distances = np.arange(1.0, 9.0)
    at = np.array([0.0, 2.0, 100.0])
    rising = module._expected(distances, 3 + 2 * distances, at)
    assert rising.tolist() == pytest.approx([3, 7, 11]), "no further than the nearer half"
    falling = module._expected(distances, 10 - distances, at)
    assert falling.tolist() == pytest.approx([7.5] * 3)
    assert module._expected(distances, 2 * distances - 2, at)[0] == 0


def test_a_gain_by_hand():
    """Three of four rows have a mate that is nearer than others; the others tell the usual loss."""
    usual = module._Nearest(np.full(40, 2.0), np.full(40, 1.0))
    mates = module._Nearest(np.r_[np.full(30, 1.0), np.full(10, 3.0)], np.zeros(40))
    found = module._gain(np.repeat(np.arange(20), 2), mates, usual, usual)
    error = pytest.approx(np.sqrt(15 * 4) / 40)
    assert found == Gain(40, 20, 0.25, 1.0, 0.75, error, error)
    few = module._Nearest(np.r_[np.full(19, 1.0), np.full(21, 3.0)], np.zeros(40))
    assert module._gain(np.repeat(np.arange(20), 2), few, usual, usual) is None


def test_features_apart_do_not_count(tmp_path):
    columns = {"x": [0.0, 2.0, 1.0, 4.0], "z": [5.0, 1.0, 7.0, 2.0], "y": [1.0, 2.0, 3.0, 4.0]}
    table = prepared(tmp_path, columns)
    assert neighbours(table, np.arange(3), {"z"}).features.tolist() == [0]
