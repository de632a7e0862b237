"""Which rows are sealed: a random share of the units, a table of its own, or none.

The draw depends on the seed, the name of the table's file and the target, and not on the task's name or
the folder of the file: tasks that share these, the share, groups and strata seal the same rows.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from heldout.data.asked import not_of_kind
from heldout.data.encode import Lost
from heldout.data.grouping import units_of
from heldout.data.input_checks import check_finite, check_test_table, target_of
from heldout.data.read import read_table
from heldout.data.request import Request
from heldout.data.row_digests import row_digests
from heldout.data.schema import Schema, values_of
from heldout.data.vault import ROW_DIGEST, SOURCE_ROW
from heldout.data.weighting import check_weights
from heldout.errors import HeldoutError
from heldout.names import seed_for
from heldout.resampling.units import draw_fraction


def seal(request: Request, table: pa.Table) -> tuple[np.ndarray, pa.Table]:
    """The numbers of the unsealed rows, and the sealed rows as they were read."""
    everything = np.arange(table.num_rows)
    if isinstance(request.test, str):
        test = read_table(request.test, list(request.missing))
        check_test_table(request, table, test)
        check_weights(request.weights, test, request.test)
        return everything, _labelled(request, request.test, test, np.arange(test.num_rows))
    if request.test == 0:
        return everything, _labelled(request, request.data, table, everything[:0])
    target = target_of(request, table)
    values = values_of(table, request.target)
    sealed = draw_fraction(
        units=units_of(request, table),
        strata=target.encode(values) if target.classification and request.stratify else None,
        fraction=request.test,
        seed=seed_for(request.seed, "seal", Path(request.data).name, request.target),
    )
    if not 0 < len(sealed) < table.num_rows:
        raise HeldoutError(
            f"test: a share of {request.test} of {table.num_rows} rows seals none or all"
        )
    return np.setdiff1d(everything, sealed), _labelled(request, request.data, table, sealed)


def check_sealed(request: Request, schema: Schema, sealed: pa.Table) -> None:
    """Find unusable sealed features now: the test must not fail after all the fits."""
    source = request.test if isinstance(request.test, str) else request.data
    rows, lost = sealed.column(SOURCE_ROW).to_numpy(), list[Lost]()
    check_finite(schema.encode(sealed, lost), schema, rows, source)
    for one in lost:
        if one.column in request.types:
            raise not_of_kind(one, rows)


def _labelled(request: Request, source: str, table: pa.Table, numbers: np.ndarray) -> pa.Table:
    """Some rows of a table, with their numbers and the digests of what the file holds there.

    What the config calls missing must not change a digest, so the file is read once more without that.
    """
    again = request.missing and request.oracle is None and len(numbers)
    raw = read_table(source, []) if again else table
    digests = row_digests(raw.take(pa.array(numbers)))
    sealed = table.take(pa.array(numbers)).append_column(SOURCE_ROW, pa.array(numbers, pa.int64()))
    return sealed.append_column(ROW_DIGEST, pa.array(digests, pa.string()))
