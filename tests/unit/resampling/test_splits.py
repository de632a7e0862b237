"""Splits: held-out sets that never meet their training rows, even in size and in class."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import prepared

from heldout.errors import HeldoutError
from heldout.resampling import draw, kinds, split
from heldout.resampling.halvings import draw_halvings
from heldout.resampling.rolling import rolling_split
from heldout.resampling.rows import Rows
from heldout.resampling.spans import Span
from heldout.resampling.split_file import read_split, write_split
from heldout.resampling.units import draw_fraction

SEEDS = st.integers(0, 2**31 - 1)
COUNTS = st.lists(st.integers(5, 30), min_size=2, max_size=4)
"""Rows of each class."""
GROUPS = st.lists(st.integers(1, 6), min_size=6, max_size=20)
"""Rows of each group."""


def rows_of(target, classes, units=None):
    """Rows with these classes (none for regression) and units (each row its own)."""
    return Rows(
        unit=np.arange(len(target)) if units is None else units,
        code=None if classes is None else np.asarray(target),
        classes=None if classes is None else [f"class {c}" for c in range(classes)],
        grouped=units is not None,
    )


def labels(counts, seed=0):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))


def units_of(sizes, seed=0):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))


def folds_of(sample, k, stratify, seed):
    [partition] = split.partitions(draw.draw_kfold(sample, k, stratify, [seed]))
    return partition.fold


@given(COUNTS, st.integers(2, 5), SEEDS)
def test_stratified_folds_are_even_in_size_and_in_every_class(counts, k, seed):
    target = labels(counts)
    fold = folds_of(rows_of(target, len(counts)), k, True, seed)
    assert np.ptp(np.bincount(fold, minlength=k)) <= 1
    for label in range(len(counts)):
        assert np.ptp(np.bincount(fold[target == label], minlength=k)) <= 1


@given(st.integers(2, 60), st.integers(2, 8), SEEDS)
def test_folds_of_numbers_are_even_in_size(n, k, seed):
    if n >= k:
        fold = folds_of(rows_of(np.zeros(n), None), k, True, seed)
        assert np.ptp(np.bincount(fold, minlength=k)) <= 1
        assert set(fold) == set(range(k))


@given(GROUPS, st.integers(2, 6), SEEDS)
def test_groups_stay_whole_and_no_fold_is_empty(sizes, k, seed):
    units = units_of(sizes)
    fold = folds_of(rows_of(np.zeros(len(units)), None, units), k, True, seed)
    assert set(fold) == set(range(k))
    assert all(len(set(fold[units == unit])) == 1 for unit in units)
    # The largest group goes first, so no fold exceeds the smallest by more than one group.
    assert np.ptp(np.bincount(fold, minlength=k)) <= max(sizes)


@given(SEEDS)
def test_the_largest_group_is_dealt_first(seed):
    units = np.repeat(np.arange(5), [1, 1, 4, 1, 1])
    fold = folds_of(rows_of(np.zeros(8), None, units), 2, True, seed)
    assert np.bincount(fold).tolist() == [4, 4]


@given(st.lists(st.integers(1, 5), min_size=12, max_size=30), st.integers(2, 4), SEEDS)
def test_stratified_groups_stay_whole_and_no_fold_is_empty(sizes, k, seed):
    """Each group is of one class, the hardest case: groups of two classes never share a load."""
    units = units_of(sizes)
    target = units % 3
    fold = folds_of(rows_of(target, 3, units), k, True, seed)
    assert set(fold) == set(range(k))
    assert all(len(set(fold[units == unit])) == 1 for unit in units)


@given(COUNTS, st.sampled_from([0.1, 0.2, 0.5, 0.8]), SEEDS)
def test_a_part_holds_its_share_of_every_class(counts, fraction, seed):
    target = labels(counts)
    rows = draw_fraction(np.arange(len(target)), target, fraction, seed)
    total = max(round(fraction * len(target)), 1)
    assert len(rows) == len(set(rows)) == total
    for label, count in enumerate(counts):
        assert abs((target[rows] == label).sum() - count * total / len(target)) < 1


@given(GROUPS, st.sampled_from([0.1, 0.3, 0.5]), SEEDS)
def test_a_part_holds_whole_groups(sizes, fraction, seed):
    units = units_of(sizes)
    rows = draw_fraction(units, None, fraction, seed)
    inside, outside = set(units[rows]), set(np.delete(units, rows))
    assert not inside & outside
    assert len(inside) == max(round(fraction * len(sizes)), 1)


def test_every_row_has_the_same_chance_to_be_held_out():
    """2000 draws of 3 of 10 rows: the standard error of a share of 0.3 is 0.0102."""
    held = np.zeros(10)
    for seed in range(2000):
        held[draw_fraction(np.arange(10), np.repeat([0, 1, 2], [5, 4, 1]), 0.3, seed)] += 1
    assert np.abs(held / 2000 - 0.3).max() < 5 * 0.0102


def test_every_row_has_the_same_chance_of_every_fold():
    """3000 draws of 3 folds: the standard error of a share of 1/3 is 0.0086."""
    sample = rows_of(np.repeat([0, 1], [6, 4]), 2)
    counts = np.zeros((10, 3))
    for seed in range(3000):
        counts[np.arange(10), folds_of(sample, 3, True, seed)] += 1
    assert np.abs(counts / 3000 - 1 / 3).max() < 5 * 0.0086


def test_draws_depend_on_the_seed_alone():
    sample = rows_of(labels([20, 20]), 2)
    assert (folds_of(sample, 5, True, 1) == folds_of(sample, 5, True, 1)).all()
    assert (folds_of(sample, 5, True, 1) != folds_of(sample, 5, True, 2)).any()


def test_unstratified_folds_ignore_classes():
    sample = rows_of(np.repeat([0, 1], [30, 3]), 2)
    folds = [folds_of(sample, 3, False, seed)[30:] for seed in range(30)]
    assert any(len(set(fold)) == 1 for fold in folds)


def in_order(sample):
    """The same rows with a time of their own each; groups follow each other."""
    time = np.argsort(np.argsort(sample.unit, kind="stable"))
    return replace(sample, time=time.astype(float))


def all_resamples(sample, k=4):
    """Every kind of held-out set of one sample."""
    seeds = [11, 12]
    drawn = {
        "holdout": draw.draw_holdout(sample, 0.2, True, 7),
        "kfold": draw.draw_kfold(sample, k, True, seeds),
        "loo": draw.loo_split(sample),
        "montecarlo": draw.draw_montecarlo(sample, 0.2, True, seeds),
        "bootstrap": draw.draw_bootstrap(sample, seeds),
        "halvings": draw_halvings(sample, 0.2, True, 2, 2, lambda name: sum(map(ord, name))),
        "rolling": rolling_split(in_order(sample), k, Span(blocks=2), Span()),
    }
    assert set(drawn) == set(kinds.SPLIT_FILE.values())
    return {
        kind: split.resamples(kind, sample.n, drawn) for kind in (kinds.FULL, *kinds.SPLIT_FILE)
    }


def single_fits(resamples):
    return [part for resample in resamples for part in (resample.members or (resample,))]


SAMPLES = {
    "classes": rows_of(labels([30, 18]), 2),
    "numbers": rows_of(np.arange(50.0), None),
    "groups": rows_of(units_of([3] * 16) % 2, 2, units_of([3] * 16)),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_training_never_meets_a_held_out_unit(name):
    sample = SAMPLES[name]
    units = sample.unit
    for resamples in all_resamples(sample).values():
        for resample in single_fits(resamples):
            for held_name, rows in resample.held.items():
                assert len(rows)
                assert len(set(rows)) == len(rows)
                if held_name != split.TRAIN:
                    assert not set(units[rows]) & set(units[resample.train])


@pytest.mark.parametrize("name", SAMPLES)
def test_names_of_held_out_sets_are_safe_and_differ(name):
    for kind, resamples in all_resamples(SAMPLES[name]).items():
        names = [resample.name for resample in resamples]
        assert len(set(names)) == len(names), kind
        assert all(part.replace("+", "").replace(".", "").isalnum() for part in names)


def test_folds_cover_every_row_once_per_repeat():
    sample = SAMPLES["classes"]
    found = all_resamples(sample)[kinds.FOLDS]
    assert len(found) == 8
    for repeat in (found[:4], found[4:]):
        held = np.concatenate([resample.held[resample.name] for resample in repeat])
        assert sorted(held) == list(range(sample.n))
        for resample in repeat:
            both = np.concatenate([resample.train, resample.held[resample.name]])
            assert sorted(both) == list(range(sample.n))


def test_a_pair_holds_out_its_two_folds_under_the_names_of_the_folds():
    found = all_resamples(SAMPLES["classes"])
    singles = {resample.name: resample.held[resample.name] for resample in found[kinds.FOLDS]}
    assert len(found[kinds.PAIRS]) == 2 * 6
    for pair in found[kinds.PAIRS]:
        assert len(pair.held) == 2
        for name, rows in pair.held.items():
            assert (singles[name] == rows).all()
        assert len(pair.train) + sum(map(len, pair.held.values())) == 48
    adjacent = [resample.name for resample in found[kinds.ADJACENT]]
    ring = ["f01+f02", "f02+f03", "f03+f04", "f01+f04"]
    assert adjacent == [f"k4.r{repeat}.{pair}" for repeat in (1, 2) for pair in ring]


def test_leaving_one_out_leaves_each_unit_out_once():
    sample = SAMPLES["groups"]
    found = single_fits(all_resamples(sample)[kinds.LOO])
    assert len(found) == 16
    for resample in found:
        [rows] = resample.held.values()
        assert len(set(sample.unit[rows])) == 1
        assert sorted([*rows, *resample.train]) == list(range(sample.n))


def test_leaving_one_out_in_chunks_loses_none(monkeypatch):
    monkeypatch.setattr(split, "LOO_CHUNK", 7)
    sample = SAMPLES["numbers"]
    chunks = all_resamples(sample)[kinds.LOO]
    assert [len(chunk.members) for chunk in chunks] == [7] * 7 + [1]
    held = np.concatenate([rows for chunk in chunks for rows in chunk.held.values()])
    assert sorted(held) == list(range(sample.n))


def test_a_bag_holds_as_many_units_as_there_are_and_leaves_the_rest_out():
    sample = SAMPLES["groups"]
    units = sample.unit
    for bag in all_resamples(sample)[kinds.BAGS]:
        [held] = bag.held.values()
        assert len(bag.train) == 16 * 3
        drawn = np.bincount(units[bag.train], minlength=16)
        assert (drawn % 3 == 0).all()
        assert set(units[held]) == set(np.flatnonzero(drawn == 0))


def test_halves_are_disjoint_and_rounds_stay_inside_their_half():
    sample = SAMPLES["classes"]
    found = all_resamples(sample)[kinds.HALVES]
    assert len(found) == 2 * 2 * 2
    rows = {resample.name: {*resample.train, *resample.held[resample.name]} for resample in found}
    for halving in ("01", "02"):
        one, other = rows[f"half.{halving}.1.r001"], rows[f"half.{halving}.2.r001"]
        assert not one & other
        assert len(one | other) == sample.n
        assert rows[f"half.{halving}.1.r002"] == one


def test_the_users_own_folds_are_taken_as_they_are(tmp_path):
    columns = {"x": list(range(6)), "f": list("baabcc"), "y": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
    table = prepared(tmp_path, columns, fold_column="f")
    [partition] = split.partitions(draw.user_kfold(table.rows_to_split))
    assert partition.k == 3
    assert partition.fold.tolist() == [1, 0, 0, 1, 2, 2]


@pytest.mark.parametrize("name", SAMPLES)
def test_split_files_bring_back_what_was_written(tmp_path, name):
    drawn = draw.draw_kfold(SAMPLES[name], 3, True, [1, 2])
    write_split(tmp_path / "deep" / "kfold.csv", drawn)
    found = read_split(tmp_path / "deep" / "kfold.csv")
    assert list(found) == list(drawn)
    assert all((found[key] == drawn[key]).all() for key in drawn)


def test_a_class_smaller_than_k_is_an_error_that_names_it():
    sample = rows_of(np.repeat([0, 1], [20, 3]), 2)
    with pytest.raises(
        HeldoutError, match=r"class 'class 1' has 3 unsealed rows, fewer than k = 5"
    ):
        draw.draw_kfold(sample, 5, True, [1])
    assert len(draw.draw_kfold(sample, 5, False, [1])["row"]) == 23


def test_too_few_groups_are_an_error():
    sample = rows_of(np.zeros(9), None, np.repeat([0, 1, 2], 3))
    with pytest.raises(HeldoutError, match="3 rows or groups cannot fill k = 5 folds"):
        draw.draw_kfold(sample, 5, True, [1])


def test_one_group_cannot_be_held_out():
    with pytest.raises(HeldoutError, match="all rows belong to one group"):
        draw_fraction(np.zeros(5, int), None, 0.5, 1)


def test_pairs_need_three_folds():
    drawn = draw.draw_kfold(SAMPLES["classes"], 2, True, [1])
    for kind in (kinds.PAIRS, kinds.ADJACENT):
        with pytest.raises(HeldoutError, match="needs k ≥ 3"):
            split.resamples(kind, 48, {"kfold": drawn})
