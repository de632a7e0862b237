"""Losses of 0 and 1 are remembered in a byte each, and come back as they were."""

import numpy as np
import pytest

from heldout.estimates.loss_table import _narrow

NUMBERS = {
    "zero and one": ([0.0, 1.0, 1.0], np.uint8),
    "between": ([0.0, 0.5], np.float64),
    "above": ([0.0, 2.0], np.float64),
    "below": ([0.0, -1.0], np.float64),
    "missing": ([0.0, np.nan], np.float64),
    "infinite": ([0.0, np.inf], np.float64),
    "none": ([], np.float64),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_nothing_is_lost(name: str) -> None:
    given, kind = NUMBERS[name]
    losses = np.array(given, np.float64)
    narrow = _narrow(losses)
    assert narrow.dtype == kind
    np.testing.assert_array_equal(narrow.astype(np.float64), losses)
