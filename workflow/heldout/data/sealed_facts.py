"""What the checks ask of the sealed rows: counts, which lie in the vault beside the rows, and no value of any row."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from heldout.data.arrow_values import labels_of, values_of
from heldout.data.copies import ComparedRows, Copies, copies_across
from heldout.data.encode import hashes
from heldout.data.kinds import TEXT
from heldout.data.request import Request
from heldout.data.schema import Schema
from heldout.data.vault import private_folders
from heldout.files import read_json, write_json
from heldout.names import seed_for

FACTS = "facts.json"


@dataclass(frozen=True)
class SealedFacts:
    """How many sealed rows there are.

    rows: all of them; units: groups, or rows.
    classes: how many classes they have; None if the target is a number.
    copies: how many are copies of unsealed rows; None where rows are in time order.
    """

    rows: int
    units: int
    classes: int | None
    copies: Copies | None


def facts_of(
    request: Request,
    schema: Schema,
    features: Sequence[np.ndarray],
    unsealed: pa.Table,
    sealed: pa.Table,
) -> SealedFacts:
    """Count what the checks ask of the sealed rows.

    Parameters
    ----------
    request
        What the config says.
    schema
        Of the columns that are used.
    features
        The encoded features of the unsealed and of the sealed rows.
    unsealed, sealed
        The rows as they were read.

    Returns
    -------
    SealedFacts
        The counts.

    Examples
    --------
    >>> from heldout.data.schema import Column, Target
    >>> schema = Schema((Column("x", "number"),), Target("y", ("a", "b")))
    >>> one, other = pa.table({"x": [1.5, 2], "y": ["a", "b"]}), pa.table({"x": [3.5], "y": ["b"]})
    >>> request = Request("t", 19, "table.csv", "y")
    >>> facts_of(request, schema, (schema.encode(one), schema.encode(other)), one, other)
    SealedFacts(rows=1, units=1, classes=1, copies=Copies(rows=1, exact=0, near=0, others=1.0))
    """
    targets = [schema.target.encode(values_of(one, request.target)) for one in (unsealed, sealed)]
    copies = None
    if request.time is None and sealed.num_rows:
        rows = ComparedRows(
            features=np.vstack(features),
            kinds=[column.kind for column in schema.columns],
            target=np.concatenate(targets),
            classes=schema.target.classification,
            apart=np.arange(len(targets[0]) + len(targets[1])) >= len(targets[0]),
            texts=_texts(schema, unsealed, sealed),
        )
        copies = copies_across(rows, seed_for(request.seed, request.task, "copies"))
    classes = len(np.unique(targets[1])) if schema.target.classification else None
    return SealedFacts(sealed.num_rows, _units(request, sealed), classes, copies)


def _units(request: Request, sealed: pa.Table) -> int:
    """The number of groups; of rows, also where a test table of its own does not name their groups."""
    if request.groups is None or request.groups not in sealed.column_names:
        return sealed.num_rows
    return len(labels_of(values_of(sealed, request.groups)).unique())


def _texts(schema: Schema, *tables: pa.Table) -> list[np.ndarray]:
    """A number for each text of the columns of free text."""
    names = [column.name for column in schema.columns if column.kind == TEXT]
    texts = [schema.strings(table) for table in tables]
    return [np.concatenate([hashes(values_of(one, name)) for one in texts]) for name in names]


def write_facts(vault: Path, facts: SealedFacts, private: bool = True) -> None:
    """Write the counts into the vault, as private as the rows."""
    with private_folders(vault, private=private):
        write_json(vault / FACTS, asdict(facts))


def read_facts(vault: Path) -> SealedFacts:
    """Read the counts; of the rows themselves nothing is read.

    Parameters
    ----------
    vault
        The folder of the vault.

    Returns
    -------
    SealedFacts
        What `write_facts` wrote.

    Examples
    --------
    >>> facts = SealedFacts(40, 40, 2, Copies(40, 3, 0))
    >>> write_facts(folder / "vault", facts)
    >>> read_facts(folder / "vault") == facts
    True
    """
    found = read_json(vault / FACTS)
    copies = found.pop("copies")
    return SealedFacts(**found, copies=None if copies is None else Copies(**copies))
