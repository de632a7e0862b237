"""``heldout predict``: a final model and a table of new rows → a csv file of predictions."""

import argparse
import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from heldout.data.read import read_table
from heldout.data.schema import schema_from_json
from heldout.errors import HeldoutError
from heldout.files import write_text
from heldout.selection.final import Predictor, Untrained
from heldout.user_code.search import look_in_study_folder


def run(arguments: argparse.Namespace) -> int:
    """Predict, and print or write the rows."""
    predictor = load_predictor(arguments.model, arguments.all)
    table = read_table(arguments.table, list(schema_from_json(predictor.schema).missing))
    text = _as_csv(_lines(predictor, table, arguments.proba))
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        write_text(arguments.output, text)
        print(f"{table.num_rows} predictions in {arguments.output}", file=sys.stderr)
    return 0


def load_predictor(path: Path, every_row: bool = False) -> Predictor:
    """The final model in a file, or in a task's results folder: the tested one, or that of all rows."""
    import joblib

    name = "model_all.joblib" if every_row else "model.joblib"
    file = path / "final" / name if path.is_dir() else path
    if every_row and not path.is_dir():
        raise HeldoutError(f"--all goes with the folder of a task's results, and '{path}' is none")
    if every_row and not file.is_file():
        raise HeldoutError(f"no model of all rows at '{file}'; `refit: all` in the config makes it")
    if not file.is_file():
        raise HeldoutError(
            f"no model at '{file}'; `snakemake` makes results/TASK/final/model.joblib"
        )
    look_in_study_folder()  # a learner of the user's own is imported from there
    try:
        loaded = joblib.load(file)
    except Exception as error:  # unpickling a file that is no model can raise anything
        raise HeldoutError(f"'{file}' cannot be read as a model: {error}") from None
    if isinstance(loaded, Untrained):
        raise HeldoutError(loaded.why)
    if not isinstance(loaded, Predictor):
        raise HeldoutError(f"'{file}' holds a {type(loaded).__name__}, not a model of heldout")
    return loaded


def _lines(predictor: Predictor, table: Any, proba: bool) -> Iterator[list[Any]]:
    """The header, then for each row its number from 1, the prediction and the probabilities."""
    classes = predictor.classes
    if proba and classes is None:
        raise HeldoutError("--proba: the model predicts a number, which has no probabilities")
    try:
        predicted = predictor.predict(table).tolist()
        shares = predictor.predict_proba(table).tolist() if proba else [[]] * len(predicted)
    except (AttributeError, ValueError) as error:
        raise HeldoutError(f"the model refuses these rows: {error}") from None
    yield ["row", "prediction", *(f"p_{label}" for label in (classes or []) if proba)]
    for i, (label, share) in enumerate(zip(predicted, shares, strict=True)):
        yield [i + 1, label, *share]


def _as_csv(lines: Iterator[list[Any]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()
