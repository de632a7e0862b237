"""``heldout init``: look at a table and write a first config for it."""

import argparse
import math
from collections.abc import Iterator
from typing import Any

import yaml

from heldout.cli import CONFIG
from heldout.data.survey import SEED, Survey, survey
from heldout.errors import HeldoutError
from heldout.estimates.lookup import default_estimators
from heldout.execution.study import Study
from heldout.files import write_text
from heldout.learners.catalogue import CATALOG

FOLDS = 5
REPEATS = 3
FEW = 100
"""With so many rows (or groups) to learn from or fewer, the risk depends much on how folds are drawn."""
N_NEIGHBORS = [1, 3, 5, 9, 15, 25, 41]


def run(arguments: argparse.Namespace) -> int:
    """Write the config and say what to do next."""
    output = arguments.output
    if output.exists() and not arguments.force:
        raise HeldoutError(f"'{output}' exists; overwrite it with --force, or choose --output FILE")
    found = survey(arguments.table, arguments.target, arguments.groups, arguments.time)
    if not found.features:
        raise HeldoutError(f"'{found.data}' has no column that looks like a feature: {found.drop}")
    text = config_text(found)
    Study(yaml.safe_load(text))
    write_text(output, text)
    print(
        f"wrote {output}: task '{found.task}', {found.n} rows to learn from, {found.sealed} sealed"
    )
    for name, reason in found.drop.items():
        print(f"  drops {name!r}: {reason}")
    elsewhere = "" if output == CONFIG else f" --configfile {output}"
    check = "" if output == CONFIG else f" --config {output}"
    print(f"next: heldout check{check}, then: snakemake --cores all{elsewhere}")
    return 0


def config_text(found: Survey) -> str:
    """The whole file."""
    return "\n".join([*_head(found), *_task(found), *_learners(found)]) + "\n"


def _head(found: Survey) -> Iterator[str]:
    yield _note(f"A first config for {found.data}; every key: config/README.md").strip()
    yield f"seed: {SEED}      # the root of every random choice"
    yield "level: 0.95   # confidence level of every interval"
    yield ""


def _task(found: Survey) -> Iterator[str]:
    yield "tasks:"
    yield f"  {_flow(found.task)}:"
    yield f"    data: {_flow(found.data)}"
    yield f"    target: {_flow(found.target)}{_target_note(found)}"
    yield from _drop(found)
    groups = "null  # a column whose rows belong together (a patient, a site), if there is one"
    yield f"    groups: {_flow(found.groups) if found.groups is not None else groups}"
    if found.weights is not None:
        note = "if it says how much each row counts; then without knn, which takes no weights"
        yield f"    # weights: {found.weights}{_note(note)}"
    yield from _loss(found)
    if found.time is not None:
        yield f"    time: {_flow(found.time)}  # models are judged by rows that are later than theirs"
        yield f"    rolling: {{blocks: {found.blocks}, window: null, gap: 0}}  # window: 90d, gap: 7d, or so many blocks"
    yield from _test(found)
    yield f"    estimators: {_flow(_estimators(found))}"
    if found.time is None:
        yield from _kfold(found)
    by = "kfold" if found.time is None else "rolling"
    yield f"    select: {{by: {by}, rule: min}}  # one_se: the simplest of the nearly best"
    yield f"    learners: {_flow(list(_grids(found)))}"
    yield ""


def _target_note(found: Survey) -> str:
    if found.coded:
        return _note("whole numbers taken for classes; if they are amounts, set loss: squared")
    return ""


def _drop(found: Survey) -> Iterator[str]:
    if not found.drop:
        yield "    drop: []  # columns never used"
        return
    yield "    drop:  # columns never used; delete a line to use its column"
    for name, reason in found.drop.items():
        yield f"      - {_flow(name)}{_note(reason)}"


def _loss(found: Survey) -> Iterator[str]:
    if found.classes is None:
        yield "    loss: squared  # or absolute"
        metric = "r2"
    else:
        yield "    loss: zero_one  # or cross_entropy, brier"
        metric = "balanced_accuracy"
    metrics = [metric] if found.units >= 2 * FOLDS else []
    yield f"    metrics: {_flow(metrics)}  # further measures, reported with intervals and never selected on"


def _test(found: Survey) -> Iterator[str]:
    what = "groups" if found.groups is not None else "rows"
    if found.sealed:
        which = "the latest share" if found.time is not None else "share"
        yield f"    test: {found.test}  # {which} of the {what}, sealed now and opened once at the end"
    else:
        yield f"    test: 0  # {found.units} {what} are too few to seal some of them"


def _estimators(found: Survey) -> list[str]:
    """The default estimators, without those that these rows do not allow."""
    impossible = set() if found.sealed else {"test"}
    if _folds(found)[0] < 3:
        impossible |= {"nested_cv"}
    usual = default_estimators(in_time=found.time is not None)
    return [name for name in usual if name not in impossible]


def _folds(found: Survey) -> tuple[int, bool]:
    """k, and whether to stratify: a class must have a row (or group) for every fold."""
    most = min(FOLDS, found.units)
    if found.smallest is None or found.smallest[1] >= most:
        return most, True
    return (found.smallest[1], True) if found.smallest[1] >= 3 else (most, False)


def _kfold(found: Survey) -> Iterator[str]:
    k, stratify = _folds(found)
    settings: dict[str, Any] = {"k": k, "stratify": stratify}
    notes = []
    if _repeated(found):
        settings["repeats"] = REPEATS
        what = "groups" if found.groups is not None else "rows"
        notes.append(f"few {what}: three partitions make the estimate steadier")
    if found.smallest is not None and found.smallest[1] < min(FOLDS, found.units):
        label, size = found.smallest
        notes.append(f"class {label} has only {size} of the rows to learn from")
    yield f"    kfold: {_flow(settings)}{_note('; '.join(notes)) if notes else ''}"


def _repeated(found: Survey) -> bool:
    """Whether to draw several partitions; with as many folds as rows (or groups) all are the same."""
    return _folds(found)[0] < found.units <= FEW


def _learners(found: Survey) -> Iterator[str]:
    yield "learners:"
    for name, grid in _grids(found).items():
        if not grid:
            yield f"  {name}: {{estimator: {name}}}{_baseline_note(name)}"
            continue
        yield f"  {name}:"
        yield f"    estimator: {name}"
        yield f"    grid: {_flow(grid)}"
        simpler = {key: way for key, way in CATALOG[name].simpler.items() if key in grid}
        yield f"    simpler: {_flow(simpler)}"


def _baseline_note(name: str) -> str:
    return "  # the baseline: looks at no feature" if name in ("majority", "mean") else ""


def _grids(found: Survey) -> dict[str, dict[str, Any]]:
    """The learners to start with, and their grids."""
    if found.classes is not None:
        names = ["majority", "knn", "tree", "logistic"]
    else:
        names = ["mean", "linear", "ridge", "knn", "tree"]
    return {name: CATALOG[name].grid for name in names} | {"knn": _knn_grid(found)}


def _knn_grid(found: Survey) -> dict[str, Any]:
    """At most as many neighbours as the smallest training set has rows: nested CV leaves out two folds."""
    left_out = 2 * math.ceil(found.n / _folds(found)[0])
    if found.time is not None:  # the first block is all that the first model is trained on
        left_out = found.n - found.n // found.blocks
    return {"n_neighbors": [k for k in N_NEIGHBORS if k <= max(1, found.n - left_out)]}


def _note(text: str) -> str:
    """A comment on one line, even if a name in it has line breaks."""
    return f"  # {' '.join(text.split())}"


def _flow(value: Any) -> str:
    """A value as YAML on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=math.inf, sort_keys=False, allow_unicode=True
    )
    return text.removesuffix("...\n").strip()
