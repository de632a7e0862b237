"""Which rows are sealed: a random share of the units, the latest share in time, a table of its own, or none.

The draw depends on the seed, the name of the table's file and the target, and not on the task's name or
the folder of the file: tasks that share these, the share, groups and strata seal the same rows.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from heldout.data.asked import not_of_kind
from heldout.data.encode import Lost
from heldout.data.grouping import units_of
from heldout.data.input_checks import (
    check_finite,
    check_test_columns,
    check_test_target,
    rows_with_target,
    target_of,
)
from heldout.data.read import has_sheets, read_raw
from heldout.data.read_values import refined
from heldout.data.reading import found_reading
from heldout.data.request import Request
from heldout.data.row_digests import as_digested, row_digests
from heldout.data.schema import Schema, values_of
from heldout.data.time_order import latest_rows, rows_before
from heldout.data.time_spelling import typed_times
from heldout.data.vault import ROW_DIGEST, SOURCE_ROW
from heldout.data.weighting import check_weights
from heldout.errors import HeldoutError
from heldout.names import seed_for
from heldout.resampling.units import draw_fraction


def seal(
    request: Request, raw: pa.Table, table: pa.Table, numbers: np.ndarray
) -> tuple[np.ndarray, pa.Table]:
    """Seal rows.

    Parameters
    ----------
    request
        What the config says.
    raw
        The source as `heldout.data.read.read_raw` gives it, all rows: what digests are made of.
    table
        The rows that can be sealed, refined.
    numbers
        Their numbers in the source.

    Returns
    -------
    kept, sealed
        The places in `table` of the unsealed rows, and the sealed rows with their numbers and digests.
    """
    everything = np.arange(table.num_rows)
    if isinstance(request.test, str):
        test = _test_table(request, table)
        if request.time is None:
            return everything, test
        return rows_before(request, table, test, numbers), test
    if request.time is not None:
        kept, places = latest_rows(request, table, request.test, numbers)
    else:
        places = sealed_places(request, table, numbers)
        kept = np.setdiff1d(everything, places)
    return kept, _labelled(raw, table.take(pa.array(places)), numbers[places])


def sealed_places(request: Request, table: pa.Table, numbers: np.ndarray) -> np.ndarray:
    """The places of the rows that are sealed: a random share of the units."""
    if request.test == 0:
        return np.arange(0)
    assert not isinstance(request.test, str)
    target = target_of(request, table)
    values = values_of(table, request.target)
    places = draw_fraction(
        units=units_of(request, table, numbers),
        strata=target.encode(values) if target.classification and request.stratify else None,
        fraction=request.test,
        seed=seed_for(request.seed, "seal", Path(request.data).name, request.target),
    )
    if not 0 < len(places) < table.num_rows:
        raise HeldoutError(
            f"test: a share of {request.test} of {table.num_rows} rows seals none or all"
        )
    return places


def _test_table(request: Request, table: pa.Table) -> pa.Table:
    """A table of its own, read with the dialect of the other one where it is in doubt; rows without a target left out."""
    assert isinstance(request.test, str)
    reading = request.reading
    if not has_sheets(Path(request.test)):
        reading = replace(reading, sheet=None)
    raw = read_raw(request.test, reading, found_reading(table))
    test = refined(raw, reading)
    check_test_columns(request, table, test)
    numbers = rows_with_target(replace(request, data=request.test), test, least=1)
    test = test.take(pa.array(numbers)) if len(numbers) < test.num_rows else test
    check_test_target(request, table, test, numbers)
    check_weights(request.weights, test, request.test, numbers)
    _, test = typed_times(request, test, request.test, numbers)
    return _labelled(raw, test, numbers)


def check_sealed(request: Request, schema: Schema, sealed: pa.Table) -> np.ndarray:
    """Find unusable sealed features now: the test must not fail after all the fits. They are returned, encoded."""
    source = request.test if isinstance(request.test, str) else request.data
    rows, lost = sealed.column(SOURCE_ROW).to_numpy(), list[Lost]()
    features = schema.encode(sealed, lost)
    check_finite(features, schema, rows, source)
    for one in lost:
        if one.column in request.types and one.unread:
            raise not_of_kind(one, rows)
    return features


def _labelled(raw: pa.Table, sealed: pa.Table, numbers: np.ndarray) -> pa.Table:
    """Sealed rows with their numbers and the digests of what the file holds there.

    Neither what the config calls missing nor how it reads numbers changes a digest.
    """
    digests = row_digests(as_digested(raw.take(pa.array(numbers))))
    sealed = sealed.append_column(SOURCE_ROW, pa.array(numbers, pa.int64()))
    return sealed.append_column(ROW_DIGEST, pa.array(digests, pa.string()))
