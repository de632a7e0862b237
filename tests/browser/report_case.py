"""A small task folder made by hand, with everything that the report reads but no cells."""

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from heldout.data.prepared import ROWS, write_prepared
from heldout.estimates.spec import LossTableSpec
from heldout.learners.learner import Learner
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.report.spec import ReportSpec

LEVEL = 0.95
RISK_COLUMNS = "learner theta estimator risk sd se ci_low ci_high interval n".split()  # noqa: SIM905
ESTIMATE_COLUMNS = (  # noqa: SIM905
    "learner estimator target theta risk se ci_low ci_high interval level n chosen "
    "interval_target recommended se_noise se_training se_selection note score score_low score_high"
).split()
PARTS = {"se_noise": 0.012, "se_training": 0.016, "se_selection": 0.0}


COUNTS = [60, 40]
"""The rows of the first two classes."""
OPENED = {"state": "opened", "count": 1, "rows": 100, "message": "the first", "ledger": []}


def canonical(theta: dict[str, Any]) -> str:
    return json.dumps(theta, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass
class Case:
    """What the task is about; `grids` maps each learner to its θ, `risk` gives a risk for each."""

    grids: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"mean": [{}], "knn": [{"k": k} for k in (1, 3, 9)]}
    )
    task: str = "small"
    loss: str = "zero_one"
    positive: str | None = None
    classes: list[str] | None = field(default_factory=lambda: ["no", "yes"])
    columns: list[str] = field(default_factory=lambda: ["age", "size"])
    estimators: tuple[str, ...] = ("training", "kfold", "nested_cv", "test")
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    """Why an estimator has no recommended interval."""
    selected: dict[str, Any] = field(default_factory=dict)
    """More keys of selection.json."""
    test: dict[str, Any] | None = field(default_factory=lambda: dict(OPENED))
    opening_notes: list[str] = field(default_factory=list)

    def risk(self, learner: str, theta: dict[str, Any], estimator: str) -> float:
        place = list(self.grids).index(learner) + 0.1 * self.grids[learner].index(theta)
        return round(0.4 / (1 + place) + 0.01 * len(estimator), 6)

    @property
    def loss_spec(self) -> LossSpec:
        return LossSpec(self.loss, positive=self.positive)

    @property
    def best(self) -> str:
        return list(self.grids)[-1]

    def spec(self) -> ReportSpec:
        learners = [
            Learner(
                name=name,
                classifier="sklearn.dummy.DummyClassifier" if name == "mean" else "x.Y",
                regressor=None,
                params={},
                scale=False,
                polynomial=False,
                grid={},
                simpler={},
            )
            for name in self.grids
        ]
        return ReportSpec(
            task=self.task,
            level=LEVEL,
            config={"data": "table.csv", "target": "y"},
            metrics={
                row["metric"]: LossSpec(row["metric"], positive=self.positive)
                for row in self.tables.get("metrics", [])
            },
            versions='{"numpy":"2.0"}',
            cells=LossTableSpec(seed=19, loss=self.loss_spec, kinds=["full"], learners=learners),
        )

    def write(self, root: Path) -> Path:
        folder = root / self.task
        target = np.repeat(np.arange(len(self.classes or [""])), COUNTS[0])[: sum(COUNTS)]
        arrays = np.zeros((len(target), 1)), target, np.zeros(len(target), ROWS)
        write_prepared(folder / "data", self._facts(), *arrays)
        write_json(folder / "selection.json", self._selection())
        write_json(
            folder / "final" / "card.json", {"versions": {"python": "3.11"}, "identity": "m1"}
        )
        write_json(folder / "cells" / "manifests" / "1-of-1.json", self._manifest())
        write_csv(folder / "risks.csv", RISK_COLUMNS, self._risks())
        write_csv(folder / "estimates.csv", ESTIMATE_COLUMNS, self._estimates())
        for name, rows in self.tables.items():
            write_csv(folder / f"{name}.csv", list(rows[0]), rows)
        if self.test is not None:
            opening = {"time": "2026-01-02T03:04:05+00:00", "task": self.task, "selection": "abc"}
            opening |= {"learner": self.best, "theta": self.grids[self.best][-1], "count": 1}
            about = {"overlap": 0, "notes": self.opening_notes, "openings": [opening]}
            write_json(folder / "vault" / "opening.json", self.test | about)
        return folder

    def _facts(self) -> dict[str, Any]:
        columns = [{"name": name, "kind": "number", "levels": []} for name in self.columns]
        target = {"name": "y", "classes": self.classes}
        return {
            "source": "table.csv", "source_rows": 120, "n": 100, "sealed": 20, "groups": None,
            "notes": self.notes, "schema": {"columns": columns, "target": target}, "digest": "d1",
        }  # fmt: skip

    def _selection(self) -> dict[str, Any]:
        learners = {name: {"theta": grid[-1]} for name, grid in self.grids.items()}
        return {
            "learner": self.best, "theta": self.grids[self.best][-1], "by": "kfold", "rule": "min",
            "why": "smallest kfold risk", "learners": learners, "warnings": self.warnings,
            "test": self.test, **self.selected,
        }  # fmt: skip

    def _manifest(self) -> dict[str, Any]:
        record = ["key", "score", None, "generic", 0.25]
        cells = [
            {"learner": name, "theta": theta, "sets": {"full": record, "k2.r1.f01": record}}
            for name, grid in self.grids.items()
            for theta in grid
        ]
        return {"batch": 1, "batches": 1, "fitted": 2, "reused": 2 * len(cells) - 2, "cells": cells}

    def _risks(self) -> Iterable[dict[str, Any]]:
        for name, grid in self.grids.items():
            for theta in grid:
                for estimator in self.estimators:
                    if estimator not in ("test", "nested_cv"):
                        risk = self.risk(name, theta, estimator)
                        row = {"learner": name, "theta": canonical(theta), "estimator": estimator}
                        yield row | {"risk": risk, "n": 100} | interval(estimator, risk)

    def _estimates(self) -> Iterable[dict[str, Any]]:
        for name in [*self.grids, "all"]:
            chosen = self.best if name == "all" else name
            theta = self.grids[chosen][-1]
            for estimator in self.estimators:
                if estimator != "test" or name in (self.best, "all"):
                    risk = self.risk(chosen, theta, estimator)
                    row = {"learner": name, "estimator": estimator, "target": "E[ℓ_D(A_θ(S))]"}
                    row |= {"theta": canonical(theta), "risk": risk, "n": 100, "chosen": chosen}
                    row |= {"level": LEVEL} | interval(estimator, risk)
                    yield row | self._advice(estimator) | self._scores(row)

    def _scores(self, row: dict[str, Any]) -> dict[str, Any]:
        """The risk and its interval as people read them."""
        loss = loss_for(self.loss_spec, self.classes, COUNTS)
        ends = [row.get("ci_low"), row.get("ci_high")]
        low, high = reversed(ends) if loss.greater else ends
        values = {"score": row["risk"], "score_low": low, "score_high": high}
        return {name: None if one is None else loss.score(one) for name, one in values.items()}

    def _advice(self, estimator: str) -> dict[str, Any]:
        """Whether the interval is recommended, and what it is for."""
        if estimator == "training" or estimator in self.reasons:
            return {"recommended": False, "note": self.reasons.get(estimator)}
        parts = PARTS if estimator == "nested_cv" else {}
        return {"recommended": True, "interval_target": f"the target of {estimator}"} | parts


def interval(estimator: str, risk: float) -> dict[str, Any]:
    if estimator == "training":
        return {"interval": None}
    name = "clopper_pearson" if estimator == "test" else "bayle_all_pairs"
    return {"interval": name, "se": 0.02, "ci_low": max(0.0, risk - 0.04), "ci_high": risk + 0.04}


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def write_csv(path: Path, columns: list[str], rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows_of(packed: dict[str, Any]) -> list[dict[str, Any]]:
    """What the page's scripts make of a packed table."""
    values = [
        [column["levels"][code] for code in column["codes"]] if isinstance(column, dict) else column
        for column in packed["values"]
    ]
    return [dict(zip(packed["columns"], row, strict=True)) for row in zip(*values, strict=True)]
