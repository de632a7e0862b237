"""Digests of raw rows: what tells the ledger whether sealed rows have judged before.

A row's digest is made from all its columns, whatever the config says about them, and from their names;
the order of columns does not count. Values are brought to one form first, so that neither another row
nor another file format changes the digest of a row that stayed as it was: 3, 3.0 and the text 3.00 are
the same number, True and the text true the same boolean.
"""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.reading import found_reading
from heldout.data.schema import values_of
from heldout.data.stacking import is_text, on_columns, stacked
from heldout.names import digest

SIZE = 8
"""Bytes of a row's digest: among a million rows, two meet by chance once in 37 million times."""
NUMBER = r"^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
DECIMAL_COMMA = r"^([-+]?\d+),(\d+)$"
BOOLEANS = ("true", "false")


def row_digests(table: pa.Table) -> list[str]:
    """Digest each row of a table.

    Parameters
    ----------
    table
        Rows as they were read, all columns.

    Returns
    -------
    list of str
        16 hexadecimal digits for each row.

    Examples
    --------
    >>> one = row_digests(pa.table({"x": ["3", None], "y": ["a", "b"]}))
    >>> other = row_digests(pa.table({"y": ["a", "c"], "x": [3.0, 4.0]}))
    >>> one[0] == other[0], one[1] == other[1]
    (True, False)
    """
    names = sorted(table.column_names)
    codes = np.empty((table.num_rows, len(names)), "<u8")
    plain = pa.Table.from_arrays(
        [_codable(values_of(table, name)) for name in names], [str(i) for i in range(len(names))]
    )
    for batch in plain.to_batches():
        for places, values in stacked(batch, lambda kind: True):
            codes[:, places] = _codes(values).reshape(len(places), table.num_rows).T
    salt = bytes.fromhex(digest(*names))
    rows, width = codes.data.cast("B") if codes.size else b"", SIZE * len(names)
    return [
        hashlib.blake2b(rows[start : start + width], digest_size=SIZE, salt=salt).hexdigest()
        for start in range(0, len(rows), width)
    ]


def as_digested(raw: pa.Table) -> pa.Table:
    """Bring rows as they were read to the form that digests have always been made of.

    Names are those of the file, if they differ, and in files with semicolons `3,5` is 3.5; numbers with marks of
    thousands are texts. So a row keeps its digest, however a config says that it is to be read.

    Parameters
    ----------
    raw
        Rows of a table from `heldout.data.read.read_raw`.

    Returns
    -------
    pyarrow.Table
        What `row_digests` takes.

    Examples
    --------
    >>> from heldout.data.reading import with_found
    >>> rows = with_found(pa.table({"x": ["3,5"]}), {"delimiter": ";"})
    >>> as_digested(rows).to_pydict()
    {'x': ['3.5']}
    """
    found = found_reading(raw)
    renamed = found.get("renamed", {})
    given = [renamed.get(name, name) for name in raw.column_names]
    if renamed and len(set(given)) == len(given):
        raw = raw.rename_columns(given)
    if found.get("delimiter") != ";":
        return raw
    return on_columns(
        raw, is_text, lambda texts: pc.replace_substring_regex(texts, DECIMAL_COMMA, r"\1.\2")
    )


def set_digest(digests: list[str]) -> str:
    """Digest a set of rows, whatever their order; rows that occur twice count twice.

    Parameters
    ----------
    digests
        The digests of the rows.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> set_digest(["aa", "bb"]) == set_digest(["bb", "aa"]) != set_digest(["aa", "bb", "bb"])
    True
    """
    return digest("".join(sorted(digests)))


def _codable(values: pa.Array) -> pa.Array:
    """The values as numbers or as texts."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return values if _is_number(values.type) else _as_text(values)


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _codes(values: pa.Array) -> np.ndarray:
    """A number of 64 bits for each value, equal for equal values: floats as they are, texts hashed."""
    if _is_number(values.type):
        return _bits(values)
    is_number = pc.fill_null(pc.match_substring_regex(values, NUMBER), False)
    codes = _bits(pc.if_else(is_number, values, pa.scalar(None, pa.string())))
    is_word = pc.and_(pc.invert(is_number), pc.is_valid(values))
    words = pc.dictionary_encode(values.filter(is_word))
    if len(words):
        hashes = np.array([_hashed(word) for word in words.dictionary.to_pylist()], "<u8")
        codes[is_word.to_numpy(zero_copy_only=False)] = hashes[words.indices.to_numpy()]
    return codes


def _bits(numbers: pa.Array) -> np.ndarray:
    floats = pc.fill_null(numbers.cast(pa.float64(), safe=False), np.nan)
    plain = floats.to_numpy(zero_copy_only=False) + 0.0  # -0.0 becomes 0.0
    return np.where(np.isnan(plain), np.nan, plain).astype("<f8").view("<u8")


def _as_text(values: pa.Array) -> pa.Array:
    try:
        return values.cast(pa.string())
    except (
        pa.ArrowInvalid,
        pa.ArrowNotImplementedError,
    ):  # lists and the like, which must be dropped
        return pa.array([None if v is None else repr(v) for v in values.to_pylist()], pa.string())


def _hashed(text: str) -> int:
    lower = text.lower()
    plain = lower if lower in BOOLEANS else text
    return int.from_bytes(hashlib.blake2b(plain.encode(), digest_size=SIZE).digest(), "little")
