"""Reading csv, csv.gz, tsv, parquet and scikit-learn's own data sets as columns.

Text formats are read as text, so that types can be inferred from the unsealed rows alone.
"""

import csv
import gzip
import io
import itertools
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from heldout.errors import HeldoutError, did_you_mean

MISSING = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "#N/A", "<NA>", "null", "NULL", "None",
)  # fmt: skip
"""Texts that mean missing: most of those that pandas takes for missing."""

SKLEARN = "sklearn:"
DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
DECIMAL_COMMA = r"^([-+]?\d+),(\d+)$"
"""`3,5` in a file whose delimiter is a semicolon, as spreadsheets write it in many countries."""


def read_table(source: str, missing: list[str]) -> pa.Table:
    """Read the table behind a config's `data`.

    Parameters
    ----------
    source
        The path of a csv, csv.gz, tsv or parquet file, or `sklearn:NAME`.
    missing
        Texts that mean missing, besides the usual ones.

    Returns
    -------
    pyarrow.Table
        The columns, with nulls where values are missing. Columns of text formats are texts.

    Examples
    --------
    >>> read_table("sklearn:wine", []).num_rows
    178
    """
    if source.startswith(SKLEARN):
        return _read_sklearn(source.removeprefix(SKLEARN))
    path = Path(source)
    if not path.is_file():
        raise HeldoutError(f"data: no file at '{source}' (looked in {Path.cwd().name}/)")
    if path.stat().st_size == 0:
        raise HeldoutError(f"data: '{source}' is empty")
    if path.suffix.lower() == ".parquet":
        return _read_parquet(path, missing)
    ending = (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()
    if ending not in DELIMITERS:
        raise HeldoutError(
            f"data: '{source}' has an unknown ending; known: .csv, .csv.gz, .tsv, .parquet, sklearn:NAME"
        )
    return _read_text(path, DELIMITERS[ending], {*MISSING, *missing})


def _read_text(path: Path, delimiter: str, missing: set[str]) -> pa.Table:
    from pyarrow import csv as arrow_csv

    header, delimiter = _header(path, delimiter)
    try:
        table = arrow_csv.read_csv(
            path,
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(header) > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in header}, strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, OSError) as error:
        if "UTF8" in str(error):
            raise _not_utf8(path) from None
        raise HeldoutError(f"data: '{path}' could not be read: {error}") from None
    if table.num_rows == 0:
        raise HeldoutError(f"data: '{path}' has a header and no rows")
    columns = [_cleaned(column.combine_chunks(), delimiter, missing) for column in table.columns]
    return pa.table(columns, names=[name.strip() for name in header])


def _cleaned(column: pa.Array, delimiter: str, missing: set[str]) -> pa.Array:
    trimmed = pc.utf8_trim_whitespace(column)
    if delimiter == ";":
        trimmed = pc.replace_substring_regex(trimmed, DECIMAL_COMMA, r"\1.\2")
    return _null_where(trimmed, pc.is_in(trimmed, pa.array(sorted(missing), pa.string())))


def _null_where(column: pa.Array, absent: pa.Array) -> pa.Array:
    return pc.if_else(absent, pa.scalar(None, column.type), column)


def _header(path: Path, delimiter: str) -> tuple[list[str], str]:
    try:
        with _open(path) as file:
            lines = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            first = lines.readline()
            delimiter = _delimiter(first, delimiter)
            header = next(csv.reader(itertools.chain([first], lines), delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except gzip.BadGzipFile:
        raise HeldoutError(f"data: '{path}' ends in .gz and is not gzip-compressed") from None
    except EOFError:
        raise HeldoutError(f"data: '{path}' is cut off (the gzip stream has no end)") from None
    _check_names([name.strip() for name in header], path)
    return header, delimiter


def _delimiter(first: str, usual: str) -> str:
    """The usual delimiter, or, in a csv file without commas, the semicolon or tab in its header."""
    if usual == "," and "," not in first:
        return next((other for other in ";\t" if other in first), usual)
    return usual


def _check_names(names: list[str], path: Path) -> None:
    if not any(names):
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


def _read_parquet(path: Path, missing: list[str]) -> pa.Table:
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:  # parquet.read_table imports more
            table = file.read()
    except (pa.ArrowInvalid, OSError) as error:
        raise HeldoutError(f"data: '{path}' could not be read as parquet: {error}") from None
    _check_names(table.column_names, path)
    if table.num_rows == 0:
        raise HeldoutError(f"data: '{path}' has no rows")
    kept = [name for name in table.column_names if not name.startswith("__index_level_")]
    return pa.table({n: _without(table.column(n).combine_chunks(), missing) for n in kept})


def _without(column: pa.Array, missing: list[str]) -> pa.Array:
    """The column with nulls for the values that the config calls missing."""
    if pa.types.is_dictionary(column.type):
        return _without(column.dictionary_decode(), missing).dictionary_encode()
    if pa.types.is_string_view(column.type):  # pyarrow cannot take rows from these
        column = column.cast(pa.string())
    absent = [_as_type(text, column.type) for text in missing]
    found = pa.array([value for value in absent if value is not None], column.type)
    return _null_where(column, pc.is_in(column, found)) if len(found) else column


def _as_type(text: str, kind: pa.DataType) -> Any:
    """A text as a value of this type; None if no value of this type is spelled so."""
    try:
        return pa.scalar(text).cast(kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


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


def draw_table(source: str, params: dict[str, Any], seed: int) -> pa.Table:
    """Draw rows from an oracle.

    Parameters
    ----------
    source
        `oracle:NAME`.
    params
        All parameters of the oracle, and `rows`: how many to draw.
    seed
        The seed of the draw.

    Returns
    -------
    pyarrow.Table
        The features x1, x2, …, the target y and, where rows come in groups, the column `group`.

    Examples
    --------
    >>> table = draw_table("oracle:noise", {"features": 2, "share": 0.5, "rows": 3}, seed=1)
    >>> table.num_rows, table.column_names
    (3, ['x1', 'x2', 'y'])
    """
    import numpy as np

    from heldout.data.oracle_catalogue import GROUPS, PREFIX, TARGET
    from heldout.data.oracles import feature_names, oracle_of

    oracle = oracle_of(source.removeprefix(PREFIX), params)
    rows, target = oracle.draw(params["rows"], np.random.default_rng(seed))
    columns = {
        name: pa.array(_spelled(rows[:, i], oracle.levels[i]))
        for i, name in enumerate(feature_names(oracle))
    }
    if oracle.grouped:
        columns[GROUPS] = pa.array(oracle.units(len(rows)))
    values = _spelled(target, oracle.classes or [])
    return pa.table({**columns, TARGET: pa.array(values)})


def _spelled(values: Any, levels: list[str]) -> Any:
    """The texts of codes; numbers as they are."""
    return [levels[int(code)] for code in values] if levels else values
