"""Columns of text, aligned for a terminal."""

from collections.abc import Collection, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Lines in which every column has the width of its longest entry; some flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths, right) for row in rows)


def _line(row: Sequence[str], widths: list[int], right: Collection[int]) -> str:
    cells = [
        text.rjust(width) if i in right else text.ljust(width)
        for i, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()
