"""The final model: takes rows of the original table, returns labels or numbers."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from heldout.data.arrow_values import table_of
from heldout.data.encode import Lost
from heldout.data.schema import schema_from_json
from heldout.errors import HeldoutError
from heldout.estimates.thresholds import decided
from heldout.predictions import Predictions


class Predictor:
    """A fitted Pipeline together with the schema of the table that it was trained on.

    Takes a pandas DataFrame, a pyarrow Table or the path of a table; columns are found by name,
    unknown categories and missing values are handled as in training.

    Where there is a threshold, a row gets the class at position `positive` if its probability is at least the
    threshold, else the other one of two classes. `reading` says how the table of the training was read: in doubt, new
    ones are read so too.
    """

    threshold: float | None = None  # here too: models of earlier versions were stored without it
    positive: int | None = None
    reading: dict[str, Any] | None = None

    def __init__(
        self,
        pipeline: Any,
        schema: dict[str, Any],
        threshold: float | None = None,
        positive: int | None = None,
    ):
        self.pipeline = pipeline
        self.schema = schema
        self.threshold = threshold
        self.positive = positive

    @property
    def classes(self) -> list[Any] | None:
        """The labels, or None for regression."""
        return self.schema["target"]["classes"]

    def predict(self, rows: Any) -> np.ndarray:
        """The predicted label or number of each row."""
        return self.answers(self.predictions(rows))

    def predict_proba(self, rows: Any) -> np.ndarray:
        """The probability of each class, in the order of `classes`."""
        return self.shares(self.predictions(rows))

    def answers(self, said: Predictions) -> np.ndarray:
        """The label or number of each row."""
        if self.classes is None:
            assert said.value is not None
            return said.value
        assert said.label is not None
        return np.asarray(self.classes)[said.label]

    def shares(self, said: Predictions) -> np.ndarray:
        """The probabilities of each row."""
        if said.proba is None:
            raise AttributeError(f"{type(self.pipeline[-1]).__name__} gives no probabilities")
        return said.proba

    def predictions(
        self, rows: Any, sealed: bool = False, lost: list[Lost] | None = None
    ) -> Predictions:
        """Labels, probabilities and decision values, or values: whatever the model gives.

        What could not be read as what its column holds counts as missing, and unknown levels as such. It is added to
        `lost` if that is given, else said on standard error, column by column; values of sealed rows are not named.
        """
        from heldout.numerics.predict import predict

        schema = schema_from_json(self.schema)
        gone = list[Lost]()
        # Sealed rows have been read: 1.234 is that number, whatever separates thousands in the file.
        table = rows if sealed else _as_table(rows, schema.missing, self.reading)
        takes_frame = getattr(self.pipeline[0], "takes_frame", False)
        encode = schema.frame if takes_frame else schema.encode
        features = encode(table, gone)
        if lost is None:
            self._tell(gone, sealed)
        else:
            lost += gone
        count, features = len(features), self.pipeline[:-1].transform(features)
        if features.shape[0] != count:
            raise HeldoutError(
                f"the model's steps give {features.shape[0]} rows for {count}: one leaves rows out"
            )
        said = predict(self.pipeline[-1], features, self.classes)
        if self.threshold is None:
            return said
        assert self.positive is not None
        return decided(said, self.threshold, self.positive)

    def _tell(self, lost: list[Lost], sealed: bool) -> None:
        """Each line once, though probabilities are asked for after labels."""
        told: set[str] = self.__dict__.setdefault("_told", set())
        lines = [one.without_value for one in lost if one.unread] if sealed else map(str, lost)
        for line in lines:
            if line not in told:
                print(f"heldout: {line}", file=sys.stderr)
                told.add(line)

    def __getstate__(self) -> dict[str, Any]:
        """What is stored: not what was said."""
        return {name: value for name, value in self.__dict__.items() if name != "_told"}


class Untrained:
    """In the place of a model that could not be trained; whoever asks it is told why."""

    def __init__(self, why: str):
        self.why = why

    def predict(self, rows: Any) -> NoReturn:
        """An error that says why there is no model."""
        raise HeldoutError(self.why)

    predict_proba = predictions = predict


def _as_table(rows: Any, missing: Sequence[str], hint: dict[str, Any] | None) -> Any:
    import pyarrow as pa

    from heldout.data.read import as_read, read_table
    from heldout.data.reading import Reading

    if isinstance(rows, str | Path):
        return read_table(str(rows), Reading(missing=missing), hint)
    table = rows if isinstance(rows, pa.Table) else table_of(rows)
    return as_read(table, Reading(missing=missing), hint)
