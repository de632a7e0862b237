"""Doing something to many columns at once: they are stacked into one long array, and cut again.

Twenty thousand columns of a hundred rows take as long as one column of two million rows.
"""

from collections.abc import Callable, Iterator

import pyarrow as pa

BLOCK = 1 << 29
"""Bytes of a stacked array, about: offsets of 32 bits are enough."""


def is_text(kind: pa.DataType) -> bool:
    """Whether values of a type are texts."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def on_columns(
    table: pa.Table,
    wanted: Callable[[pa.DataType], bool],
    change: Callable[[pa.Array], pa.Array],
) -> pa.Table:
    """Change columns value by value.

    Parameters
    ----------
    table
        The table.
    wanted
        Says of a type whether columns of it are changed.
    change
        From a long array to one of the same length; it may be called for parts of the table.

    Returns
    -------
    pyarrow.Table
        The table with these columns changed, chunk by chunk; metadata of the schema stay.

    Examples
    --------
    >>> import pyarrow.compute as pc
    >>> table = pa.table({"a": ["x"], "b": [1], "c": ["y"]})
    >>> on_columns(table, is_text, pc.utf8_upper).to_pydict()
    {'a': ['X'], 'b': [1], 'c': ['Y']}
    """
    names, metadata = table.column_names, table.schema.metadata
    parts = [_changed(batch, wanted, change) for batch in table.to_batches()]
    if not parts:
        return table
    columns = [pa.chunked_array(list(chunks)) for chunks in zip(*parts, strict=True)]
    return pa.table(columns, names=names).replace_schema_metadata(metadata)


def _changed(
    batch: pa.RecordBatch,
    wanted: Callable[[pa.DataType], bool],
    change: Callable[[pa.Array], pa.Array],
) -> list[pa.Array]:
    columns = batch.columns
    for places, long in stacked(batch, wanted):
        changed = change(long)
        for i, place in enumerate(places):
            columns[place] = changed.slice(i * batch.num_rows, batch.num_rows)
    return columns


def stacked(
    batch: pa.RecordBatch, wanted: Callable[[pa.DataType], bool]
) -> Iterator[tuple[list[int], pa.Array]]:
    """The columns of some types, stacked: places of columns of one type, and their values one after the other."""
    by_type: dict[pa.DataType, list[int]] = {}
    for place, field in enumerate(batch.schema):
        if wanted(field.type):
            by_type.setdefault(field.type, []).append(place)
    for places in by_type.values():
        for block in _blocks(batch, places):
            yield block, pa.concat_arrays([batch.column(place) for place in block])


def _blocks(batch: pa.RecordBatch, places: list[int]) -> Iterator[list[int]]:
    """Columns that are not too large together."""
    if batch.nbytes <= BLOCK:
        yield places
        return
    block: list[int] = []
    size = 0
    for place in places:
        weight = max(batch.column(place).nbytes, 1)
        if block and size + weight > BLOCK:
            yield block
            block, size = [], 0
        block.append(place)
        size += weight
    if block:
        yield block
