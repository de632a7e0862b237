"""The kinds of columns. Standard library only: the config names them."""

NUMBER, BOOLEAN, CATEGORY = "number", "boolean", "category"
ORDERED = "ordered"
"""A category whose levels have an order."""
MANY = "many"
"""A category with more than `MOST_LEVELS` levels in the unsealed rows: its levels are not listed."""
DATE, TEXT = "date", "text"

MOST_LEVELS = 50

ASKED = (NUMBER, BOOLEAN, CATEGORY, ORDERED, DATE, TEXT)
"""What the config's `types` may say of a column, besides a list of levels and a spelling of dates."""
IN_STRINGS = (MANY, TEXT)
"""Kinds whose texts the prepared table keeps beside the matrix."""
DATE_SPELLINGS = (
    *("YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD", "DD.MM.YYYY", "DD-Mon-YYYY", "Mon DD, YYYY"),
    *("MM/DD/YYYY", "DD/MM/YYYY", "MM-DD-YYYY", "DD-MM-YYYY", "YYYYMMDD", "YYYY"),
    *("YYYY-MM", "YYYY Mon", "YYYY Qn"),
)
"""How dates may be spelled; `date_texts` has the patterns."""
