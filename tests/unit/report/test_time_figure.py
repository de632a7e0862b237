"""The figure of risk over time: each block where it lies in time."""

import pytest
from matplotlib import pyplot as plt

from heldout.measures.registry import LOSSES
from heldout.results.display import Format
from heldout.results.figures.over_time import time_figure
from heldout.results.scale import Scale
from heldout.results.tables import pack


@pytest.mark.parametrize("dates", [True, False])
def test_risk_over_time_draws_each_block_where_it_lies_in_time(dates):
    day = 86400.0 if dates else 1.0
    columns = {
        "learner": ["ridge", "ridge", "mean", "all"],
        "estimator": ["rolling", "rolling", "nested_rolling", "nested_rolling"],
        "start": [0.0, 10 * day, 0.0, 10 * day],
        "end": [9 * day, 19 * day, 9 * day, 19 * day],
        "risk": [2.0, 4.0, 9.0, 5.0],
    }
    in_time = {"column": "when", "dates": dates, "table": pack(columns)}
    drawn = time_figure(in_time, Scale(LOSSES["squared"], Format()))
    [axis] = drawn.axes
    lines = {line.get_label(): line.get_ydata().tolist() for line in axis.get_lines()}
    assert sorted(lines.values()) == [[2.0, 4.0], [5.0]]
    assert sum("tuned before each block" in label for label in lines) == 1
    spans = [segment[:, 0].tolist() for one in axis.collections for segment in one.get_segments()]
    assert spans == [[0.0, 9.0], [10.0, 19.0], [10.0, 19.0]]
    assert axis.get_xlabel() == "when"
    plt.close(drawn)
