"""Parquet and feather (or Arrow) files, in parts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from heldout.data.read_names import renaming_notes, usable_names
from heldout.data.stacking import on_columns
from heldout.errors import HeldoutError

Parts = tuple[dict[str, Any], Callable[[int | None], Iterator[pa.Table]]]
INDEX = "__index_level_"
"""Begins the names of columns that hold the index of a pandas frame."""
FAILURES = (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError)


def open_parquet(path: Path) -> Parts:
    """How a parquet file is read, and what gives its rows."""
    from pyarrow import parquet

    def parts(rows: int | None) -> Iterator[pa.Table]:
        with parquet.ParquetFile(path) as file:  # parquet.read_table imports more
            if rows is None:
                yield file.read()
                return
            for batch in file.iter_batches(batch_size=rows):
                yield pa.Table.from_batches([batch])

    return _opened(path, "parquet", parts, lambda: _parquet_names(path))


def _parquet_names(path: Path) -> list[str]:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        return file.schema_arrow.names


def open_feather(path: Path) -> Parts:
    """How a feather file is read, and what gives its rows: Arrow's formats for files and streams, and Feather 1."""

    def parts(rows: int | None) -> Iterator[pa.Table]:
        with pa.OSFile(str(path)) as file:
            start = file.read(6)
        if start.startswith(b"FEA1"):
            from pyarrow import feather

            yield feather.read_table(path)
            return
        with pa.memory_map(str(path)) as file:
            if start == b"ARROW1":
                whole = pa.ipc.open_file(file)
                batches = (whole.get_batch(i) for i in range(whole.num_record_batches))
            else:
                batches = iter(pa.ipc.open_stream(file))
            yield from (pa.Table.from_batches([batch]) for batch in batches)

    def names() -> list[str]:
        return next(parts(None), pa.table({})).column_names

    return _opened(path, "feather", parts, names)


def _opened(
    path: Path,
    form: str,
    parts: Callable[[int | None], Iterator[pa.Table]],
    names: Callable[[], list[str]],
) -> Parts:
    try:
        given = names()
    except FAILURES as error:
        raise _unreadable(path, form, error) from None
    kept = [i for i, name in enumerate(given) if not name.startswith(INDEX)]
    new, renamed = usable_names([given[i] for i in kept], str(path), trim=False)

    def usable(rows: int | None) -> Iterator[pa.Table]:
        try:
            for part in parts(rows):
                yield on_columns(part.select(kept).rename_columns(new), _is_view, _as_string)
        except FAILURES as error:
            raise _unreadable(path, form, error) from None

    return {"format": form, "renamed": renamed, "notes": renaming_notes(renamed)}, usable


def _unreadable(path: Path, form: str, error: Exception) -> HeldoutError:
    return HeldoutError(f"data: '{path}' could not be read as {form}: {error}")


def _is_view(kind: pa.DataType) -> bool:
    """Pyarrow cannot take rows from these."""
    return pa.types.is_string_view(kind)


def _as_string(values: pa.Array) -> pa.Array:
    return values.cast(pa.string())
