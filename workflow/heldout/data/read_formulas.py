"""Formulas of a sheet (xlsx) whose results are not in the file: no spreadsheet program has computed them."""

import re
from typing import BinaryIO

PIECE = 1 << 20
END = b"</c>"
UNCOMPUTED = re.compile(
    rb'<c\b(?![^>]*\bt="str")[^>]*>\s*<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>'
)
"""A cell with a formula and no value; a text may be empty."""


def uncomputed(sheet: BinaryIO) -> int:
    """How many formulas of a sheet have no stored result.

    Parameters
    ----------
    sheet
        The sheet's XML.

    Returns
    -------
    int
        The number of cells.

    Examples
    --------
    >>> import io
    >>> cells = b'<c r="A1"><f>1+1</f><v></v></c><c r="A2"><f>1+1</f><v>2</v></c>'
    >>> uncomputed(io.BytesIO(cells))
    1
    """
    count, rest = 0, b""
    while piece := sheet.read(PIECE):
        whole, end, rest = (rest + piece).rpartition(END)
        count += len(UNCOMPUTED.findall(whole + end))
    return count
