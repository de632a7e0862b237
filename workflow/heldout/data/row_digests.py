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

from heldout.data.schema import values_of
from heldout.names import digest

SIZE = 8
"""Bytes of a row's digest: among a million rows, two meet by chance once in 37 million times."""
NUMBER = r"^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
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
    for i, name in enumerate(names):
        codes[:, i] = _codes(values_of(table, name))
    salt = bytes.fromhex(digest(*names))
    rows, width = memoryview(codes.tobytes()), SIZE * len(names)
    return [
        hashlib.blake2b(rows[start : start + width], digest_size=SIZE, salt=salt).hexdigest()
        for start in range(0, len(rows), width)
    ]


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


def _codes(values: pa.Array) -> np.ndarray:
    """A number of 64 bits for each value, equal for equal values: floats as they are, texts hashed."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _bits(values)
    coded = pc.dictionary_encode(_as_text(values))
    if not len(coded.dictionary):
        return _bits(pa.nulls(len(values), pa.float64()))
    places = pc.fill_null(coded.indices, len(coded.dictionary)).to_numpy(zero_copy_only=False)
    missing = _bits(pa.nulls(1, pa.float64()))
    return np.concatenate([_text_codes(coded.dictionary), missing])[places]


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


def _text_codes(texts: pa.Array) -> np.ndarray:
    """Of different texts: those that are numbers as numbers, the others by a hash."""
    is_number = pc.match_substring_regex(texts, NUMBER)
    codes = _bits(pc.if_else(is_number, texts, pa.scalar(None, pa.string())))
    for place in np.flatnonzero(~is_number.to_numpy(zero_copy_only=False)):
        codes[place] = _hashed(texts[int(place)].as_py())
    return codes


def _hashed(text: str) -> int:
    lower = text.lower()
    plain = lower if lower in BOOLEANS else text
    return int.from_bytes(hashlib.blake2b(plain.encode(), digest_size=SIZE).digest(), "little")
