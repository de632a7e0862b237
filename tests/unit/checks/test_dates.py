"""H019: dates among the features, or rows in the order of one, and rows held out at random."""

from types import SimpleNamespace

import numpy as np

from heldout.checks.time_order import dates_not_shuffled


def outcome(columns, features, times=None):
    table = SimpleNamespace(
        facts={"schema": {"columns": columns}}, features=np.asarray(features, float), times=times
    )
    return dates_not_shuffled(SimpleNamespace(loss_table=SimpleNamespace(table=table)))


def column(name, kind="number", levels=()):
    return {"name": name, "kind": kind, "levels": levels}


def test_a_feature_with_dates_fails_and_names_time():
    found = outcome([column("taken", "date")], np.zeros((5, 1)))
    assert found.status == "fail"
    assert "set time: taken" in found.message


def test_rows_in_the_order_of_a_year_fail():
    years = np.repeat(np.arange(1990, 2000), 3)[:, None]
    assert outcome([column("year")], years).status == "fail"
    mixed = np.random.default_rng(1).permutation(years)
    assert outcome([column("year")], mixed).status == "pass"
    assert outcome([column("length")], years).status == "pass"


def test_ordinary_tables_pass():
    columns = [
        column("x"),
        column("island", "category", ("Biscoe", "Dream")),
        column("version", "category", ("1.2", "1.3")),
    ]
    assert outcome(columns, np.zeros((4, 3))).status == "pass"


def test_with_time_there_is_nothing_to_check():
    assert outcome([column("taken", "date")], np.zeros((4, 1)), np.arange(4)).status == "na"


def test_numbers_that_look_like_dates_and_rise_or_fall():
    days = np.array([20240101 + 100 * month + day for month in range(12) for day in (0, 9)])[
        :, None
    ]
    seconds = 1.6e9 + 86_400.0 * np.arange(24)[:, None]
    for values in (days, days[::-1], seconds, 1000 * seconds):
        assert outcome([column("code")], values).status == "fail"
        assert (
            outcome([column("code")], np.random.default_rng(1).permutation(values)).status == "pass"
        )
    assert outcome([column("code")], 20_240_199 + np.arange(24)[:, None]).status == "pass"
    assert outcome([column("when")], days[:5]).status == "pass", "five numbers may be anything"
    assert outcome([column("year")], np.arange(2010, 2000, -1)[:, None]).status == "fail"
