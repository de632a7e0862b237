"""Reading csv, csv.gz, tsv, parquet and scikit-learn's own data sets as columns.

Text formats are read as text, so that types can be inferred from the unsealed rows alone.
"""

import csv
import gzip
import io
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from heldout.errors import HeldoutError, did_you_mean

MISSING = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "#N/A", "<NA>", "null", "NULL", "None",
)  # fmt: skip
"""Texts that mean 'missing' (those of pandas, but for a few oddities)."""

SKLEARN = "sklearn:"
DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}


def read_table(source: str, missing: list[str]) -> pa.Table:
    """The table behind a config's `data`, with nulls where values are missing."""
    if source.startswith(SKLEARN):
        return _read_sklearn(source.removeprefix(SKLEARN))
    path = Path(source)
    if not path.is_file():
        raise HeldoutError(f"data: no file at '{source}' (looked in {Path.cwd().name}/)")
    if path.stat().st_size == 0:
        raise HeldoutError(f"data: '{source}' is empty")
    if path.suffix == ".parquet":
        return _read_parquet(path)
    ending = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if ending not in DELIMITERS:
        raise HeldoutError(
            f"data: '{source}' has an unknown ending; known: .csv, .csv.gz, .tsv, .parquet, sklearn:NAME"
        )
    return _read_text(path, DELIMITERS[ending], {*MISSING, *missing})


def _read_text(path: Path, delimiter: str, missing: set[str]) -> pa.Table:
    from pyarrow import csv as arrow_csv

    names, delimiter = _header(path, delimiter)
    try:
        table = arrow_csv.read_csv(
            path,
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in names}, strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if "UTF8" in str(error):
            raise _not_utf8(path) from None
        raise HeldoutError(f"data: '{path}' could not be read: {error}") from None
    if table.num_rows == 0:
        raise HeldoutError(f"data: '{path}' has a header and no rows")
    absent = pa.array(sorted(missing))
    columns = [_with_nulls(column.combine_chunks(), absent) for column in table.columns]
    return pa.table(dict(zip(names, columns, strict=True)))


def _with_nulls(column: pa.Array, absent: pa.Array) -> pa.Array:
    trimmed = pc.utf8_trim_whitespace(column)
    return pc.if_else(pc.is_in(trimmed, absent), pa.scalar(None, pa.string()), trimmed)


def _header(path: Path, delimiter: str) -> tuple[list[str], str]:
    try:
        with _open(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            first = text.readline()
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except gzip.BadGzipFile:
        raise HeldoutError(f"data: '{path}' ends in .gz and is not gzip-compressed") from None
    if delimiter == "," and "," not in first and ";" in first:
        delimiter = ";"
    names = next(csv.reader([first], delimiter=delimiter), [])
    _check_names(names, path)
    return names, delimiter


def _check_names(names: list[str], path: Path) -> None:
    if not any(name.strip() for name in names):
        raise HeldoutError(f"data: '{path}' has no header line")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise HeldoutError(
            f"data: '{path}' has the column name {twice[0]!r} {names.count(twice[0])} times; "
            "column names must differ"
        )


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb"))


def _not_utf8(path: Path) -> HeldoutError:
    with _open(path) as file:
        whole = file.read()
    good = whole.decode("utf-8", errors="replace").partition("\N{REPLACEMENT CHARACTER}")[0]
    return HeldoutError(
        f"data: '{path}' is not UTF-8 (line {good.count(chr(10)) + 1}); convert it, for instance with "
        "iconv -f latin1 -t utf-8"
    )


def _read_parquet(path: Path) -> pa.Table:
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise HeldoutError(f"data: '{path}' could not be read as parquet: {error}") from None
    _check_names(table.column_names, path)
    if table.num_rows == 0:
        raise HeldoutError(f"data: '{path}' has no rows")
    return table.drop_columns([n for n in table.column_names if n.startswith("__index_level_")])


def _read_sklearn(name: str) -> pa.Table:
    from sklearn import datasets

    loaders = {
        n.removeprefix("load_"): getattr(datasets, n) for n in dir(datasets) if n[:5] == "load_"
    }
    tables = ["breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine"]
    if name not in tables:
        raise HeldoutError(f"data: unknown data set 'sklearn:{name}'{did_you_mean(name, tables)}")
    loaded: Any = loaders[name](**({"scaled": False} if name == "diabetes" else {}))
    names = [str(n) for n in loaded.feature_names]
    columns = {n: pa.array(loaded.data[:, i]) for i, n in enumerate(names)}
    if loaded.target.ndim == 2:
        columns |= {n: pa.array(loaded.target[:, i]) for i, n in enumerate(loaded.target_names)}
    elif "target_names" in loaded:
        columns["target"] = pa.array([str(loaded.target_names[t]) for t in loaded.target])
    else:
        columns["target"] = pa.array(loaded.target)
    return pa.table(columns)
