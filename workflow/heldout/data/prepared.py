"""The prepared table: arrays on disk that every later step maps into memory.

``table.json`` holds the schema and the digest of the data, ``X.npy`` the encoded features,
``strings.parquet`` the texts of columns that no number stands for, ``unused.parquet`` dropped columns that
may say which rows belong together, ``y.npy`` the target, and ``rows.npy`` for each row its number in the source table (`source`),
the unit that is resampled as a whole (`unit`: its group, or itself), the user's own fold
(`fold`: -1 if there is none) and, only if rows have them, its weight (`weight`) and its time (`time`:
a number, or seconds since 1970).
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.files import read_json, write_array, write_atomic, write_json, write_text
from heldout.names import canonical, digest
from heldout.resampling.rows import Rows

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

STRINGS = "strings.parquet"
UNUSED = "unused.parquet"
WIDE = 1000
ROWS = np.dtype([("source", np.int64), ("unit", np.int64), ("fold", np.int64)])
WEIGHT = "weight"
TIME = "time"


def rows_with(*further: str) -> np.dtype:
    """The type of the array of rows, with further numbers: weights, times."""
    return np.dtype([*ROWS.descr, *((name, np.float64) for name in further)])


@dataclass(frozen=True)
class Prepared:
    """The unsealed rows of a task.

    Parameters
    ----------
    facts
        What `table.json` holds.
    stored_features
        The encoded features, a row per row of the table; or the file that has them.
    target
        Numbers, or positions in `classes`.
    rows
        For each row its number in the source table, its unit and the user's own fold.
    weights
        The weight of each row; None if all count alike.
    stored_strings
        The texts of columns of kind `many` and `text`; or the file that has them. None: there are none.
    stored_frame
        The features as a DataFrame, where the matrix and the texts do not tell all of it.
    stored_unused
        Columns that are no features, as numbers for their values; or the file that has them.
    """

    facts: dict[str, Any]
    stored_features: np.ndarray | Path
    target: np.ndarray
    rows: np.ndarray
    weights: np.ndarray | None = None
    stored_strings: "pa.Table | Path | None" = None
    stored_frame: "pd.DataFrame | None" = None
    stored_unused: dict[str, np.ndarray] | Path | None = None

    @cached_property
    def features(self) -> np.ndarray:
        """The encoded features; mapped into memory when they are first asked for."""
        stored = self.stored_features
        return np.load(stored, mmap_mode="r") if isinstance(stored, Path) else stored

    @cached_property
    def row_digests(self) -> list[str]:
        """The digest of each row of the features."""
        return [row_digest(row) for row in self.features]

    @cached_property
    def strings(self) -> "pa.Table | None":
        """The texts that the matrix does not hold; read when they are first asked for."""
        stored = self.stored_strings
        return _read_strings(stored) if isinstance(stored, Path) else stored

    @cached_property
    def unused(self) -> dict[str, np.ndarray]:
        """Dropped columns whose values come again, as numbers for their values (-1: missing); no fit sees them."""
        stored = self.stored_unused
        if not isinstance(stored, Path):
            return stored or {}
        from heldout.data.unused import read_unused  # here: most steps do without pyarrow

        return read_unused(stored)

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """The features as a DataFrame with the user's column names, row by row as in the matrix."""
        if self.stored_frame is not None:
            return self.stored_frame
        from heldout.data.frame import frame_of, strings_in  # here: most steps do without pyarrow
        from heldout.data.schema import schema_from_json

        texts = {} if self.strings is None else strings_in(self.strings)
        return frame_of(schema_from_json(self.facts["schema"]).columns, self.features, texts)

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def digest(self) -> str:
        """The digest of everything a fit can see."""
        return str(self.facts["digest"])

    @property
    def classes(self) -> list[Any] | None:
        """The labels, or None for regression."""
        return self.facts["schema"]["target"]["classes"]

    @property
    def classification(self) -> bool:
        """Whether the target is one of several classes."""
        return self.classes is not None

    @cached_property
    def class_counts(self) -> list[int] | None:
        """The number of rows of each class; None for regression."""
        if self.classes is None:
            return None
        return np.bincount(np.asarray(self.target), minlength=len(self.classes)).tolist()

    @property
    def grouped(self) -> bool:
        """Whether rows come in groups."""
        return self.facts["groups"] is not None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weights is not None

    @cached_property
    def times(self) -> np.ndarray | None:
        """The time of each row; None if rows are in no time order."""
        return _column(self.rows, TIME)

    @property
    def dates(self) -> bool:
        """Whether times are dates, in seconds since 1970."""
        return bool((self.facts.get(TIME) or {}).get("dates"))

    @property
    def rows_to_split(self) -> Rows:
        """What the drawing of splits looks at: units, classes, the user's own folds, and times."""
        return Rows(
            unit=np.asarray(self.rows["unit"]),
            code=np.asarray(self.target) if self.classification else None,
            classes=self.classes,
            fold=np.asarray(self.rows["fold"]),
            grouped=self.grouped,
            time=self.times,
            dates=self.dates,
        )

    @cached_property
    def names(self) -> list[str]:
        """The names of the features."""
        return [column["name"] for column in self.facts["schema"]["columns"]]

    def columns_of(self, kind: str) -> list[int]:
        """The indices of the features of a kind."""
        columns = self.facts["schema"]["columns"]
        return [i for i, column in enumerate(columns) if column["kind"] == kind]


def row_digest(row: np.ndarray) -> str:
    """The digest of a row of the features.

    Parameters
    ----------
    row
        The numbers of one row.

    Returns
    -------
    str
        The digest.

    Examples
    --------
    >>> row_digest(np.array([0.0])) == row_digest(np.array([-0.0]))
    False
    """
    return digest(np.ascontiguousarray(row).data.cast("B"))


def seen_digest(
    schema: dict[str, Any],
    features: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray | None = None,
    strings: "pa.Table | None" = None,
) -> str:
    """Digest everything that a fit can see.

    Parameters
    ----------
    schema
        The JSON form of the schema.
    features, target, weights
        The arrays; no weights if all rows are alike.
    strings
        The texts that the matrix does not hold.

    Returns
    -------
    str
        The digest.

    Examples
    --------
    >>> one, other = (seen_digest({}, np.zeros((2, 1)), np.array(y)) for y in ([0, 1], [1, 0]))
    >>> one == other
    False
    """
    arrays = [features, target] if weights is None else [features, target, weights]
    texts = [] if strings is None else [canonical(c.to_pylist()) for c in strings.columns]
    seen = [np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for array in arrays]
    return digest(canonical(schema), *seen, *texts)


def write_prepared(
    folder: Path,
    facts: dict[str, Any],
    features: np.ndarray,
    target: np.ndarray,
    rows: np.ndarray,
    strings: "pa.Table | None" = None,
    unused: "pa.Table | None" = None,
) -> None:
    """Write the arrays, the texts and the columns that no fit reads, and last the facts with the digest."""
    seen = seen_digest(facts["schema"], features, target, _weights_in(rows), strings)
    for name, array in (("X", features), ("y", target), ("rows", rows)):
        write_array(folder / f"{name}.npy", array)
    _write_columns(folder / STRINGS, strings)
    _write_columns(folder / UNUSED, unused)
    _write_facts(folder / "table.json", {**facts, "digest": seen})


def _write_facts(path: Path, facts: dict[str, Any]) -> None:
    """Indented for people; of a wide table in one line, which is written in a tenth of the time."""
    if len(facts["schema"]["columns"]) > WIDE:
        write_text(path, canonical(facts) + "\n")
    else:
        write_json(path, facts)


def _write_columns(path: Path, columns: "pa.Table | None") -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({}) if columns is None else columns
    write_atomic(path, lambda file: parquet.write_table(table, file))


def _read_strings(path: Path) -> "pa.Table":
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        return file.read()


def open_prepared(folder: Path | str) -> Prepared:
    """Open a prepared table; its arrays are mapped into memory, not read.

    Parameters
    ----------
    folder
        The folder `data` of a task, as `write_prepared` wrote it.

    Returns
    -------
    Prepared
        The unsealed rows.

    Examples
    --------
    >>> facts = {"schema": {"columns": [], "target": {"name": "y", "classes": None}}, "groups": None}
    >>> arrays = np.zeros((3, 1)), np.array([0.5, 1.0, 1.5]), np.zeros(3, ROWS)
    >>> write_prepared(folder, facts, *arrays)
    >>> table = open_prepared(str(folder))
    >>> table.n, table.classification
    (3, False)
    """
    folder = Path(folder)
    target, rows = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("y", "rows"))
    facts = read_json(folder / "table.json")
    return Prepared(
        facts,
        folder / "X.npy",
        target,
        rows,
        _weights_in(rows),
        folder / STRINGS,
        stored_unused=folder / UNUSED,
    )


def _weights_in(rows: np.ndarray) -> np.ndarray | None:
    return _column(rows, WEIGHT)


def _column(rows: np.ndarray, name: str) -> np.ndarray | None:
    return np.array(rows[name]) if name in (rows.dtype.names or ()) else None
