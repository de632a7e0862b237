"""The provenance of the numbers: data, cells, libraries, and every opening of the test set."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from heldout import __version__
from heldout.cells.manifest import as_record, manifest_paths
from heldout.data import description
from heldout.files import read_json
from heldout.names import canonical
from heldout.report import steps
from heldout.report.spec import ReportSpec
from heldout.results.task import TaskResults

COLUMNS_SHOWN = 500


def provenance(results: TaskResults, spec: ReportSpec, batches: int) -> dict[str, Any]:
    """The data of the section on provenance."""
    folder, card = results.folder, results.card
    manifests = read_manifest_files(folder, batches)
    learners = [learner.as_spec() for learner in spec.cells.learners]
    absent = absent_steps(
        results.test is not None, bool(spec.metrics), bool(results.selection.get("refit"))
    )
    taken = steps.steps_of(folder, batches, absent)
    return {
        "data": results.facts,
        **columns(results.facts),
        "reading": description.how_read(results.facts.get("reading", {})),
        "manifests": [batch(manifest) for manifest in manifests],
        "learners": time_by_learner(manifests, [one["name"] for one in learners]),
        "steps": steps.as_json(taken),
        "drawing": steps.drawing(taken),
        "opening": results.opening,
        "identity": card.get("identity"),
        "models": card.get("models"),
        "versions": versions(card, spec.versions),
        "seed": spec.cells.seed,
        "level": spec.level,
        "config": json.dumps(spec.config, indent=2, ensure_ascii=False),
        "definitions": json.dumps(learners, indent=2, ensure_ascii=False),
    }


def read_manifest_files(folder: Path, batches: int) -> list[dict[str, Any]]:
    """The content of a task's manifests."""
    return [read_json(path) for path in manifest_paths(folder, batches)]


def absent_steps(tested: bool, metrics: bool, refit: bool) -> list[str]:
    """The rules that this task does not run."""
    runs = {
        "open_test": tested,
        "score_test": tested,
        "train_all": refit,
        "compute_metrics": metrics,
    }
    return [name for name, does in runs.items() if not does]


def columns(facts: dict[str, Any]) -> dict[str, Any]:
    """The target and the columns in words, and how many more there are."""
    some, more = description.chosen(description.described(facts), COLUMNS_SHOWN)
    target = facts["schema"]["target"]
    classes = target["classes"]
    kind = "number" if classes is None else "class"
    spelled, levels = target.get("spelling", ""), description.some_levels(classes or [])
    first = description.Described(target["name"], f"target, {kind}", spelled, "", levels)
    return {"columns": [first, *some], "more_columns": more}


def batch(manifest: dict[str, Any]) -> dict[str, Any]:
    """One fitting job: how many cells it fitted and how many it found in the store."""
    cells = sum(len(entry["sets"]) for entry in manifest["cells"])
    return {
        "name": f"{manifest['batch']} of {manifest['batches']}",
        "cells": cells,
        "fitted": manifest["fitted"],
        "reused": manifest["reused"],
    }


def time_by_learner(manifests: Iterable[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """Cells, θ and seconds of fitting of each learner."""
    entries: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for manifest in manifests:
        for entry in manifest["cells"]:
            entries.setdefault(entry["learner"], []).append(entry)
    return [{"name": name, **totals(own)} for name, own in entries.items()]


def totals(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Cells, θ, seconds and engines of some entries of manifests."""
    records = [as_record(fields) for entry in entries for fields in entry["sets"].values()]
    engines = Counter(record.engine for record in records)
    return {
        "cells": len(records),
        "thetas": len({canonical(entry["theta"]) for entry in entries}),
        "seconds": sum(record.seconds for record in records),
        "engines": [f"{name} ({count})" for name, count in engines.most_common()],
    }


def versions(card: dict[str, Any], libraries: str) -> dict[str, str]:
    """The versions of heldout, Python and the libraries that change numbers."""
    return {"heldout": __version__, **card.get("versions", {}), **json.loads(libraries)}
