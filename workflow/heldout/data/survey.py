"""The facts about a table that a first config is written from.

Columns are judged by the rows that the config will leave unsealed. So the only thing in the config
that depends on sealed values is whether the target is a class. Groups are proposed by a column's name and how
often its values come again, and all rows of a group are sealed or none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from heldout.data.arrow_values import plain
from heldout.data.infer_target import infer_target
from heldout.data.kinds import CATEGORY, DATE, MANY
from heldout.data.panels import panel_of
from heldout.data.prepare import prepare
from heldout.data.prepared import Prepared, open_prepared
from heldout.data.proposed_groups import Possible, possible_groups
from heldout.data.read import SKLEARN, read_table
from heldout.data.request import Request
from heldout.data.schema import values_of
from heldout.data.unit_names import names_units
from heldout.errors import HeldoutError
from heldout.resampling.spec import Rolling
from heldout.resampling.units import smallest_class

SEED = 19
TEST = 0.2
ENOUGH_TO_SEAL = 50
"""With fewer rows (or groups), a sealed fifth is too small to estimate a risk."""
BLOCK = 256
"""Columns that are looked at together."""
FEW_CLASSES = 10
ROWS_PER_CLASS = 5
"""Whole numbers with at most so many values are taken for classes if each is so often there; of two values, on average."""
WEIGHT_NAMES = ("weight", "weights", "sample_weight")
"""Columns of these names may say how much a row counts."""
ID_NAME = re.compile(
    r"(?i:(^|[_\s.-])(id|uuid|guid|index|rowid|rownames?)$)|^$|^Unnamed: 0$|^column_1$|(?<=[a-z])(Id|ID)$"
)


@dataclass(frozen=True)
class Survey:
    """The facts that a config is written from."""

    task: str
    data: str
    target: str
    groups: str | None
    drop: dict[str, str]
    """Columns that are better left out, and why."""
    classes: list[Any] | None
    coded: bool
    """Whether the classes are numbers."""
    counted: bool
    """Whether the target is a few whole numbers that are taken for amounts."""
    n: int
    sealed: int
    units: int
    features: int
    """The columns that are used."""
    width: int
    """The columns that a linear model sees: a category has one for each level."""
    spread: float
    """The standard deviation of a target of numbers; 0 for classes."""
    smallest: tuple[Any, int] | None
    """The smallest class and its unsealed rows (or groups)."""
    time: str | None
    """The column that puts rows in time order, if one was named."""
    blocks: int
    """How many blocks of time there may be."""
    dates: list[str]
    """The features that are dates."""
    weights: str | None
    """A feature that may be the weight of each row, by its name."""
    panel: tuple[str, str] | None
    """A column of units that come again at each time, and that of time."""
    possible: tuple[Possible, ...] = ()
    """Columns that may say which rows belong together, the best one first."""
    proposed: Possible | None = None
    """The one that `groups` is, if nobody named it."""

    @property
    def test(self) -> float:
        """The share of rows to seal."""
        return TEST if self.sealed else 0


def survey(
    data: str, target: str, groups: str | None, time: str | None = None, propose: bool = True
) -> Survey:
    """Look at a table and find what a config should say about it.

    Parameters
    ----------
    data
        A file, or `sklearn:NAME`.
    target
        The column to predict.
    groups
        A column whose rows belong together, if there is one.
    time
        A column that puts rows in time order, if there is one.
    propose
        Whether to look for groups, if none are named, and to use what is found by name and values.

    Returns
    -------
    Survey
        The columns to drop, the classes, and how many rows and groups there are.

    Examples
    --------
    >>> found = survey("sklearn:iris", "target", None)
    >>> found.task, found.n, found.sealed, found.smallest
    ('iris', 120, 30, ('setosa', 40))
    """
    if groups is not None or not propose:
        return replace(_look(data, target, groups, time), possible=())
    found = _look(data, target, None, time)
    for one in found.possible:
        if one.to_set and time is None:
            try:
                known = _look(data, target, one.name, None)
            except (
                HeldoutError
            ):  # such groups are missing in a sealed row, or cannot be divided into folds
                continue
            others = tuple(other for other in found.possible if other != one)
            return replace(known, possible=others, proposed=one)
    return found


def _look(data: str, target: str, groups: str | None, time: str | None) -> Survey:
    """The facts about the table with these groups."""
    table = read_table(data)
    drop = {} if target not in table.column_names else _unusable(table, {target, groups, time})
    coded, counted = False, False
    if target in table.column_names:
        coded, counted = _coded_or_counted(values_of(table, target))
    request = Request(
        task=task_name(data),
        seed=SEED,
        data=data,
        target=target,
        groups=groups,
        drop=tuple(drop),
        classification=True if coded else None,
        test=TEST if _units(table, groups) >= ENOUGH_TO_SEAL else 0,
        time=time,
        rolling=Rolling(_blocks(table, time)),
    )
    with TemporaryDirectory(prefix="heldout-init-") as folder:
        facts = prepare(request, Path(folder) / "data", Path(folder) / "vault")
        prepared = open_prepared(Path(folder) / "data")
        drop |= dict.fromkeys(facts["constant"], "the same value in every row")
        drop |= _uninformative(prepared, facts["source_rows"])
        return _survey_of(request, facts, prepared, drop, coded, counted)


def _blocks(table: pa.Table, time: str | None) -> int:
    """The usual number of blocks; fewer where the unsealed rows have few time stamps."""
    usual = Rolling().blocks
    if time not in table.column_names:
        return usual
    stamps = int((1 - TEST) * len(table.column(time).unique()))
    return max(2, min(usual, stamps))


def task_name(data: str) -> str:
    """A name for the task from the name of its file."""
    name = data.removeprefix(SKLEARN)
    if name == data:
        name = Path(data).name
        for ending in (".gz", ".csv", ".tsv", ".txt", ".parquet"):
            name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:60] or "task"


def _unusable(table: pa.Table, apart: set[str | None]) -> dict[str, str]:
    """Columns with lists or the like in their rows, and their types."""
    found, rowless = {}, table.slice(0, 0)
    for name in table.column_names:
        try:
            if name not in apart:
                plain(name, values_of(rowless, name))
        except HeldoutError:
            found[name] = f"of type {table.schema.field(name).type}"
    return found


def _coded_or_counted(values: pa.Array) -> tuple[bool, bool]:
    """Whether the target is a few whole numbers that look like classes, or like counts.

    Of counts, the large ones are rare.
    """
    if values.null_count or infer_target("target", values, None).classification:
        return False, False
    target = infer_target("target", values, True)
    labels = target.classes or ()
    if len(labels) > FEW_CLASSES or not all(isinstance(label, int) for label in labels):
        return False, False
    often = np.bincount(target.encode(values), minlength=len(labels))
    coded = (often.mean() if len(labels) <= 2 else often.min()) >= ROWS_PER_CLASS
    return bool(coded), not coded


def _units(table: pa.Table, groups: str | None) -> int:
    known = groups in table.column_names
    return len(table.column(groups).unique()) if known else table.num_rows


def _uninformative(table: Prepared, source_rows: int) -> dict[str, str]:
    """Columns that are constant or look like identifiers, and why."""
    found, columns = {}, table.facts["schema"]["columns"]
    for start in range(0, len(columns), BLOCK):
        block = np.array(table.features[:, start : start + BLOCK]).T
        for column, values in zip(columns[start:], block, strict=False):
            reason = _why_drop(column, values[~np.isnan(values)], table.n, source_rows)
            if reason:
                found[column["name"]] = reason + _if_text(column["name"], table.facts["notes"])
    return found


def _if_text(name: str, notes: list[str]) -> str:
    """The setting that a note proposes for a column of texts of several words."""
    setting = f"types: {{{name}: text}}"
    proposed = any(note.endswith(setting) for note in notes)
    return f"; if it is free text, use it by {setting}" if proposed else ""


def _why_drop(column: dict[str, Any], values: np.ndarray, n: int, source_rows: int) -> str:
    different = len(np.unique(values))
    named = ID_NAME.search(column["name"]) is not None
    if different == 1 and len(values) == n:
        return "the same value in every row"
    if column["kind"] in (CATEGORY, MANY):
        if different > max(20, 0.8 * n):
            return f"a different text in nearly every row ({different} in {n}): an identifier?"
    elif column["kind"] == DATE:
        return ""
    elif different == len(values) > 1 and (named or _counts_rows(values, source_rows)):
        return "a different number in every row: an identifier?"
    if named and n / 10 < different < n:
        unit = names_units(column["name"]) is not None
        advice = f"; if its rows belong together: groups: {column['name']}" if unit else ""
        return f"an identifier that repeats{advice}"
    if column["kind"] in (CATEGORY, MANY) and different > max(20, n / 2):
        return f"{different} different texts in {n} rows: less than two rows of each on average"
    return ""


def _counts_rows(values: np.ndarray, source_rows: int) -> bool:
    """Whole numbers that go up from row to row, none beyond the number of rows."""
    whole = (values == np.round(values)).all()
    return bool(
        whole and (np.diff(values) > 0).all() and 0 <= values[0] <= values[-1] <= source_rows
    )


def _survey_of(
    request: Request,
    facts: dict[str, Any],
    table: Prepared,
    drop: dict[str, str],
    coded: bool,
    counted: bool,
) -> Survey:
    return Survey(
        task=request.task,
        data=request.data,
        target=request.target,
        groups=request.groups,
        drop=drop,
        classes=table.classes,
        coded=coded,
        counted=counted,
        n=table.n,
        sealed=facts["sealed"],
        units=len(np.unique(table.rows["unit"])),
        features=len([name for name in table.names if name not in drop]),
        width=sum(_widths(facts, drop)),
        spread=0.0 if table.classification else float(np.std(table.target)),
        smallest=_smallest_class(table),
        time=request.time,
        blocks=request.rolling.blocks,
        dates=[table.names[i] for i in table.columns_of(DATE) if table.names[i] not in drop],
        weights=next((name for name in WEIGHT_NAMES if name in table.names), None),
        panel=panel_of(table, drop),
        possible=_possible(request, table, drop),
    )


def _possible(request: Request, table: Prepared, drop: dict[str, str]) -> tuple[Possible, ...]:
    if request.groups is not None:
        return ()
    apart = {request.target, request.time or request.target, *WEIGHT_NAMES}
    return tuple(possible_groups(table, apart, drop))


def _widths(facts: dict[str, Any], drop: dict[str, str]) -> Iterator[int]:
    for column in facts["schema"]["columns"]:
        if column["name"] not in drop:
            yield len(column["levels"]) if column["kind"] == CATEGORY else 1


def _smallest_class(table: Prepared) -> tuple[Any, int] | None:
    if table.classes is None:
        return None
    place, units = smallest_class(table.rows["unit"], table.target, len(table.classes))
    return table.classes[place], units
