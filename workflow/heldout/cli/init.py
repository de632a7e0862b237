"""``heldout init``: look at a table and write a first config for it."""

import argparse
import math
from collections.abc import Iterator
from typing import Any

import yaml

from heldout.cli import CONFIG
from heldout.cli.starters import Size, Starter, forest_bytes, learner_lines, starters
from heldout.data.survey import SEED, Survey, survey
from heldout.errors import HeldoutError
from heldout.estimates.lookup import default_estimators
from heldout.execution.study import Study
from heldout.files import write_text

FOLDS = 5
REPEATS = 3
FEW = 100
"""With so many rows (or groups) to learn from or fewer, the risk depends much on how folds are drawn."""
MANY = 20_000
"""With more rows than this, the sealed ones tell the risk well enough without nested CV."""
LARGE = 2 * 10**7
"""With more numbers (rows × columns) than this, one hold-out chooses θ."""
NO_GROUPS = "none"
"""What `--groups` says to refuse what is proposed."""
POSSIBLE_SHOWN = 5
"""So many columns that may be groups are named."""
DROPS_SHOWN = 20
"""The terminal names so many of the columns that are not used; the config has all of them."""
MODELS = 10**9
"""Bytes on disk that all models may take."""


def run(arguments: argparse.Namespace) -> int:
    """Write the config and say what to do next."""
    output = arguments.output
    if output.exists() and not arguments.force:
        raise HeldoutError(f"'{output}' exists; overwrite it with --force, or choose --output FILE")
    refused = arguments.groups == NO_GROUPS
    groups = None if refused else arguments.groups
    found = survey(arguments.table, arguments.target, groups, arguments.time, propose=not refused)
    if not found.features:
        raise HeldoutError(f"'{found.data}' has no column that looks like a feature: {found.drop}")
    text = config_text(found)
    Study(yaml.safe_load(text))
    write_text(output, text)
    print(
        f"wrote {output}: task '{found.task}', {found.n} rows to learn from, {found.sealed} sealed"
    )
    for line in _about_groups(found):
        print(f"  {line}")
    for name, reason in list(found.drop.items())[:DROPS_SHOWN]:
        print(f"  drops {name!r}: {reason}")
    if len(found.drop) > DROPS_SHOWN:
        print(f"  drops {len(found.drop) - DROPS_SHOWN} more columns: see {output}")
    elsewhere = "" if output == CONFIG else f" --config {output}"
    print(f"next: heldout check{elsewhere} --price, then: heldout run{elsewhere}")
    return 0


def _about_groups(found: Survey) -> Iterator[str]:
    """What a person should look at."""
    if found.proposed is not None:
        one = found.proposed
        yield (
            f"groups: {one.name!r} has {one.fact} and {one.reason}, so its rows are kept together; look at it "
            f"(--groups {NO_GROUPS} refuses it)"
        )
    for one in found.possible[:POSSIBLE_SHOWN]:
        yield f"perhaps groups: {one.name!r} has {one.fact}; {one.reason}"


def config_text(found: Survey) -> str:
    """The whole file."""
    size = _size(found)
    learners = starters(size)
    parts = [*_head(found), *_models(size, learners), "", *_task(found, learners)]
    return "\n".join([*parts, *_learners(learners), *_left_out(learners)]) + "\n"


def _size(found: Survey) -> Size:
    left_out = (2 if _nests(found) else 1) * math.ceil(found.n / _folds(found)[0])
    if found.time is not None:  # the first block is all that the first model is trained on
        left_out = found.n - found.n // found.blocks
    return Size(
        rows=found.n,
        least=max(1, found.n - left_out),
        features=found.features,
        width=found.width,
        classes=len(found.classes or ()),
        spread=found.spread,
        sets=_sets(found),
    )


def _sets(found: Survey) -> int:
    """How many training sets there are: all rows, the dev set's, folds and pairs of folds, or blocks of time."""
    if found.time is not None:
        return 2 + found.blocks
    if _by(found) == "holdout":
        return 2
    k, repeats = _folds(found)[0], REPEATS if _repeated(found) else 1
    return 2 + repeats * (k + (math.comb(k, 2) if _nests(found) else 0))


def _head(found: Survey) -> Iterator[str]:
    yield _note(f"A first config for {found.data}; every key: config/README.md").strip()
    yield f"seed: {SEED}      # the root of every random choice"
    yield "level: 0.95   # confidence level of every interval"


def _models(size: Size, learners: dict[str, Starter]) -> Iterator[str]:
    """Forests of large tables fill a disk."""
    if forest_bytes(size, learners.get("forest")) > MODELS:
        yield "models: none  # the forests of all folds take gigabytes; the final model is kept"


def _task(found: Survey, learners: dict[str, Starter]) -> Iterator[str]:
    yield "tasks:"
    yield f"  {_flow(found.task)}:"
    yield f"    data: {_flow(found.data)}"
    yield f"    target: {_flow(found.target)}{_target_note(found)}"
    yield from _drop(found)
    yield from _groups(found)
    if found.weights is not None:
        note = "if it says how much each row counts"
        yield f"    # weights: {found.weights}{_note(note)}"
    yield from _loss(found)
    if found.time is None and found.dates:
        note = "if new rows will be later than these: models are then judged by later rows"
        yield f"    # time: {_flow(found.dates[0])}{_note(note)}"
    if found.time is not None:
        yield f"    time: {_flow(found.time)}  # models are judged by rows that are later than theirs"
        yield f"    rolling: {{blocks: {found.blocks}, window: null, gap: 0}}  # window: 90d, gap: 7d, or so many blocks"
    yield from _test(found)
    yield f"    estimators: {_flow(_estimators(found))}{_estimators_note(found)}"
    if found.time is None:
        yield from _kfold(found)
    yield f"    select: {{by: {_by(found)}, rule: min}}  # one_se: the simplest of the nearly best"
    yield f"    learners: {_flow(list(learners))}"
    yield ""


def _target_note(found: Survey) -> str:
    if found.coded:
        return _note("whole numbers taken for classes; if they are amounts, set loss: squared")
    if found.counted:
        return _note("whole numbers taken for amounts; if they are classes, set loss: zero_one")
    return ""


def _drop(found: Survey) -> Iterator[str]:
    if not found.drop:
        yield "    drop: []  # columns never used"
        return
    yield "    drop:  # columns never used; delete a line to use its column"
    for name, reason in found.drop.items():
        yield f"      - {_flow(name)}{_note(reason)}"


def _groups(found: Survey) -> Iterator[str]:
    if found.proposed is not None:
        note = f"{found.proposed.fact}, and {found.proposed.reason}; if its rows do not belong together: groups: null"
        yield f"    groups: {_flow(found.groups)}{_note(note)}"
    elif found.groups is not None:
        yield f"    groups: {_flow(found.groups)}"
    elif found.panel is not None:
        unit, time = map(_flow, found.panel)
        note = (
            f"{unit} comes again at each {time}; if new rows will be of another one: groups: {unit}"
        )
        yield f"    groups: null{_note(note)}"
    else:
        yield "    groups: null  # a column whose rows belong together (a patient, a site), if there is one"
    for one in found.possible[:POSSIBLE_SHOWN]:
        note = f"perhaps groups: {_flow(one.name)} ({one.fact}; {one.reason})"
        yield f"   {_note(note)}"


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
    """The default estimators, without those that these rows do not allow, or would take hours for."""
    impossible = set() if found.sealed else {"test"}
    if not _nests(found):
        impossible |= {"nested_cv"}
    if _by(found) == "holdout":
        impossible |= {"kfold", "min_cv"}
    usual = default_estimators(in_time=found.time is not None)
    return [name for name in usual if name not in impossible]


def _nests(found: Survey) -> bool:
    """Whether nested CV is possible and worth its fits."""
    return _folds(found)[0] >= 3 and (found.n <= MANY or not found.sealed)


def _by(found: Survey) -> str:
    """What θ is chosen by."""
    if found.time is not None:
        return "rolling"
    return "holdout" if found.n * found.width > LARGE and found.sealed else "kfold"


def _estimators_note(found: Survey) -> str:
    if _nests(found) or not found.sealed or found.n <= MANY:
        return ""
    note = f"nested_cv costs three times as many fits; {found.sealed} sealed rows tell the risk as well"
    return _note(note)


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


def _learners(learners: dict[str, Starter]) -> Iterator[str]:
    yield "learners:"
    for name, note, block in learner_lines(learners):
        if len(block) == 1:
            yield f"  {name}: {_flow(block)}{_note(note) if note else ''}"
            continue
        yield f"  {name}:"
        yield from (f"    {key}: {_flow(value)}" for key, value in block.items())


def _left_out(learners: dict[str, Starter]) -> Iterator[str]:
    """Learners that a reader would look for."""
    for name in ("forest", "boosting"):
        if name not in learners:
            yield f"  # {name} is left out: with so many columns or rows it takes hours"


def _note(text: str) -> str:
    """A comment on one line, even if a name in it has line breaks."""
    return f"  # {' '.join(text.split())}"


def _flow(value: Any) -> str:
    """A value as YAML on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=math.inf, sort_keys=False, allow_unicode=True
    )
    return text.removesuffix("...\n").strip()
