"""``heldout predict``: a final model and a table of new rows → a csv file of predictions."""

import argparse
import csv
import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from heldout.data.encode import Lost, in_all_parts
from heldout.data.read import read_chunks
from heldout.data.reading import Reading, found_reading
from heldout.data.schema import schema_from_json
from heldout.errors import HeldoutError
from heldout.files import write_atomic
from heldout.results.model import load_model
from heldout.selection.final import Predictor

CELLS = 4_000_000
"""Values of a part of the table that is predicted at once."""
MOST_ROWS = 20_000


def run(arguments: argparse.Namespace) -> int:
    """Predict part by part, and print or write the rows as they come."""
    predictor = load_predictor(arguments.model, arguments.all)
    lines = _lines(predictor, _parts(predictor, arguments.table), arguments.proba)
    if arguments.output is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(lines)
        return 0
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(arguments.output, lambda file: _fill(file, lines))
    with arguments.output.open(encoding="utf-8") as file:
        count = sum(1 for _ in csv.reader(file)) - 1
    print(f"{count} predictions in {arguments.output}", file=sys.stderr)
    return 0


def _fill(file: BinaryIO, lines: Iterator[list[Any]]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    csv.writer(text, lineterminator="\n").writerows(lines)
    text.detach()


def _parts(predictor: Predictor, source: str) -> Iterator[Any]:
    """The new rows in parts that fit into memory; in doubt they are read as the rows of the training were."""
    schema = schema_from_json(predictor.schema)
    names = {column.name for column in schema.columns}
    rows = min(max(CELLS // max(len(names), 1), 1), MOST_ROWS)
    reading = Reading(missing=schema.missing)
    notes: list[str] | None = None
    for part in read_chunks(source, reading, rows, predictor.reading):
        if notes is None:
            notes = found_reading(part).get("notes", [])
            _say(notes)
        for new, old in found_reading(part).get("renamed", {}).items():
            if old in names and new not in names:
                raise HeldoutError(
                    f"data: '{source}' has the column '{old}' twice, and the model was trained with one"
                )
        yield part


def load_predictor(path: Path, every_row: bool = False) -> Predictor:
    """The final model in a file, or in a task's results folder: the tested one, or that of all rows."""
    name = "model_all.joblib" if every_row else "model.joblib"
    file = path / "final" / name if path.is_dir() else path
    if every_row and not path.is_dir():
        raise HeldoutError(f"--all goes with the folder of a task's results, and '{path}' is none")
    if every_row and not file.is_file():
        raise HeldoutError(f"no model of all rows at '{file}'; `refit: all` in the config makes it")
    return load_model(file)


def _lines(predictor: Predictor, parts: Iterator[Any], proba: bool) -> Iterator[list[Any]]:
    """The header, then for each row its number from 1, the prediction and the probabilities."""
    classes = predictor.classes
    if proba and classes is None:
        raise HeldoutError("--proba: the model predicts a number, which has no probabilities")
    number, lost = 0, list[tuple[int, Lost]]()
    for part in parts:
        predicted, shares, gone = _predicted(predictor, part, proba)
        lost += [(number, one) for one in gone]
        if not number:  # only now: nothing is printed if the first rows cannot be predicted
            yield ["row", "prediction", *(f"p_{label}" for label in (classes or []) if proba)]
        for label, share in zip(predicted, shares, strict=True):
            number += 1
            yield [number, label, *share]
    _say(map(str, in_all_parts(lost)))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"heldout: {line}", file=sys.stderr)


def _predicted(
    predictor: Predictor, part: Any, proba: bool
) -> tuple[list[Any], list[list[float]], list[Lost]]:
    lost: list[Lost] = []
    try:
        said = predictor.predictions(part, lost=lost)
        predicted = predictor.answers(said).tolist()
        shares = predictor.shares(said).tolist() if proba else [[]] * len(predicted)
    except (AttributeError, ValueError) as error:
        raise HeldoutError(f"the model refuses these rows: {error}") from None
    return predicted, shares, lost
