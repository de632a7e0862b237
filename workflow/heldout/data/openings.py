"""Whether sealed rows may be opened for a selection, and how that opening is counted.

What counts is whether rows with this target have judged another selection before, in whatever task.
Tasks of one config that share a table and a target may each open them in the same run. What the ledger
has lost is taken to have judged these rows, unless a witness says otherwise.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from heldout.data.ledger import FOLDER, Ledger, append_opening, read_ledger
from heldout.data.row_digests import set_digest
from heldout.data.witness import Opening, remember, task_folders
from heldout.errors import counted
from heldout.names import Theta

OPENED, AGAIN, REFUSED = "opened", "opened again", "refused"
COMMAND = "heldout run -- --config open_again=true"
OLD_LEDGER = Path("vault", "ledger.jsonl")
"""Where earlier versions kept the openings of a task."""


@dataclass(frozen=True)
class Wish:
    """Who wants to open which rows, and for what.

    `before` is how many tasks of the same config that share table and target come first, `group` the
    digest of all of them; `again` says that the user asks for another opening.
    """

    task: str
    target: str
    selection: str
    learner: str
    theta: Theta
    group: str
    before: int
    row_digests: Sequence[str]
    again: bool = False

    @cached_property
    def sealed(self) -> str:
        """The digest of all rows."""
        return set_digest(list(self.row_digests))


@dataclass(frozen=True)
class Past:
    """An earlier opening that these rows had a part in, or may have had; `opening` is None if all that
    is known is that there was one. `overlap` counts the shared rows, if they are known."""

    name: str
    opening: Opening | None
    overlap: int | None
    covers: bool = False
    """Whether all of these rows have judged this very selection."""

    def harmless(self, wish: Wish) -> bool:
        """Whether it judged the same selection, or belongs to another task of the same run."""
        one = self.opening
        if one is None:
            return False
        return one.selection == wish.selection or (
            one.group == wish.group and one.task != wish.task
        )


@dataclass(frozen=True)
class Verdict:
    """Whether rows were opened; the content of opening.json."""

    state: str
    count: int
    """The place of this selection among those that the rows have judged; if refused, the place that it
    would have had."""
    rows: int
    overlap: int
    """How many of the rows are known to have judged before, this selection or another one."""
    message: str
    notes: list[str]
    ledger: list[str]
    """What is wrong with the ledger."""
    openings: list[dict[str, Any]]
    """This opening and the earlier ones that count, oldest first."""

    @property
    def refused(self) -> bool:
        """Whether the rows stay sealed."""
        return self.state == REFUSED


def open_sealed(folder: Path, wish: Wish) -> Verdict:
    """Record the opening of sealed rows, or refuse it.

    Parameters
    ----------
    folder
        The folder of the task, `results/TASK`; the ledger lies beside `results`.
    wish
        Who wants to open which rows, and for what.

    Returns
    -------
    Verdict
        Whether they may be opened, how the opening counts, and what must be said.

    Examples
    --------
    >>> first = Wish("t", "y", "knn with 5", "knn", {}, "config", 0, ["aa", "bb"])
    >>> task = folder / "results" / "t"
    >>> [open_sealed(task, first).count for _ in range(2)]
    [1, 1]
    >>> second = replace(first, selection="knn with 7", row_digests=["bb", "cc"])
    >>> open_sealed(task, second).state
    'refused'
    >>> open_sealed(task, replace(second, again=True)).count
    2
    """
    place = folder.parent.parent / FOLDER
    while True:
        ledger = read_ledger(place, task_folders(folder.parent))
        past = [*_recorded(ledger, wish), *_lost(ledger, wish), *_old_ledger(folder, wish)]
        state, count = judge(past, wish)
        verdict = _verdict(ledger, past, wish, state, count)
        covering = _covering(past, wish)
        if state == REFUSED or (covering is not None and covering.overlap is not None):
            remember(folder, ledger.digests, _openings(past))
            return verdict
        new = append_opening(place, ledger, _opening(wish, count), wish.row_digests)
        if new is not None:  # otherwise another task was quicker
            seen = ledger.digests | {new.number: new.digest}
            remember(folder, seen, [*_openings(past), new])
            return replace(verdict, openings=[*verdict.openings, asdict(new)])


def judge(past: Sequence[Past], wish: Wish) -> tuple[str, int]:
    """Decide on an opening.

    Parameters
    ----------
    past
        The earlier openings that count.
    wish
        Who wants to open which rows, and for what.

    Returns
    -------
    tuple
        The state, and the place of the selection among those that the rows have judged. In a first run
        the places follow the order of tasks in the config: numbers do not depend on who is first.

    Examples
    --------
    >>> wish = Wish("t", "y", "selection", "knn", {}, "config", 0, ["aa"])
    >>> judge([], wish), judge([Past("opening 1", None, None)], wish)
    (('opened', 1), ('refused', 2))
    """
    covering = _covering(past, wish)
    if covering is not None and covering.opening is not None:
        count = covering.opening.count
    elif all(one.harmless(wish) for one in past):
        count = 1 + wish.before
    else:
        count = 1 + len(_others(past, wish))
        if not wish.again:
            return REFUSED, count
    return (OPENED if count == 1 else AGAIN), count


def _covering(past: Sequence[Past], wish: Wish) -> Past | None:
    """The earlier opening that this one repeats. Another task of the same run has its own place."""
    own = [one for one in past if one.covers and one.opening and one.opening.task == wish.task]
    other = [one for one in past if one.covers and one.opening and one.opening.group != wish.group]
    return next(iter([*own, *other]), None)


def _others(past: Sequence[Past], wish: Wish) -> set[str]:
    """The other selections; an opening of which nothing is known counts as one of its own."""
    found = {one.opening.selection if one.opening else one.name for one in past}
    return found - {wish.selection}


# --- the earlier openings that count ---------------------------------------------------------------


def _recorded(ledger: Ledger, wish: Wish) -> list[Past]:
    found = []
    for number, entry in ledger.entries.items():
        one, overlap = entry.opening, _overlap(entry.row_digests, wish)
        if overlap and one.target == wish.target:
            covers = one.selection == wish.selection and overlap == len(wish.row_digests)
            found.append(Past(f"opening {number}", one, overlap, covers))
    return found


def _overlap(earlier: Sequence[str], wish: Wish) -> int:
    """How many of the rows are among earlier ones."""
    there = set(earlier)
    return sum(one in there for one in wish.row_digests)


def _lost(ledger: Ledger, wish: Wish) -> list[Past]:
    """What the ledger has lost: what a witness knows of it, else that there was something."""
    found = []
    for number in ledger.lost:
        one = ledger.known.get(number)
        if one is None:
            found.append(Past(f"opening {number}", None, None))
        elif one.target == wish.target:
            covers = (one.selection, one.sealed) == (wish.selection, wish.sealed)
            found.append(Past(f"opening {number}", one, None, covers))
    return found


def _old_ledger(folder: Path, wish: Wish) -> list[Past]:
    """The openings that an earlier version of heldout recorded for this task."""
    path = folder / OLD_LEDGER
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found = []
    for line in lines:
        given = json.loads(line)
        facts = {name: given[name] for name in ("selection", "learner", "theta", "time")}
        count = given["selections_so_far"]
        one = Opening(wish.task, wish.target, group="", count=count, sealed="", rows=0, **facts)
        found.append(Past(str(path), one, None))
    return found


# --- what is recorded and said ---------------------------------------------------------------------


def _openings(past: Sequence[Past]) -> list[Opening]:
    return [one.opening for one in past if one.opening is not None]


def _opening(wish: Wish, count: int) -> Opening:
    return Opening(
        task=wish.task,
        target=wish.target,
        selection=wish.selection,
        learner=wish.learner,
        theta=wish.theta,
        group=wish.group,
        count=count,
        sealed=wish.sealed,
        rows=len(wish.row_digests),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _verdict(ledger: Ledger, past: Sequence[Past], wish: Wish, state: str, count: int) -> Verdict:
    entries = [one for one in ledger.entries.values() if one.opening.target == wish.target]
    overlap = _overlap([row for entry in entries for row in entry.row_digests], wish)
    return Verdict(
        state=state,
        count=count,
        rows=len(wish.row_digests),
        overlap=overlap,
        message=_refusal(past, wish, overlap) if state == REFUSED else _opened(count),
        notes=_notes(ledger, past, wish),
        ledger=ledger.faults,
        openings=[asdict(one) for one in _openings(past)],
    )


def _opened(count: int) -> str:
    if count == 1:
        return "this is the first selection that the test set judges"
    return (
        f"the test set is counted as judging selection number {count}; the intervals use "
        f"δ/{count * (count + 1)} instead of δ"
    )


def _refusal(past: Sequence[Past], wish: Wish, overlap: int) -> str:
    others = len(_others(past, wish))
    known = f"{overlap} of its {len(wish.row_digests)} rows" if overlap else "its rows"
    unknown = any(one.opening is None for one in past)
    how = "may have judged" if unknown else "have judged"
    return (
        "the test set has judged an earlier selection, so it was not opened for this one: "
        f"{known} {how} {counted(others, 'other selection')} of '{wish.target}'. To open it again, with an "
        f"interval that is wider for that: {COMMAND}"
    )


def _notes(ledger: Ledger, past: Sequence[Past], wish: Wish) -> list[str]:
    found = [
        f"{_overlap(entry.row_digests, wish)} of these {len(wish.row_digests)} rows have judged a "
        f"selection of '{entry.opening.target}' in task '{entry.opening.task}': another target, not counted"
        for entry in ledger.entries.values()
        if entry.opening.target != wish.target and _overlap(entry.row_digests, wish)
    ]
    old = [one.name for one in past if one.name.endswith(OLD_LEDGER.name)]
    if old:
        found.append(
            f"{old[0]} is the ledger of an earlier version of heldout; its openings are counted as "
            "openings of these rows"
        )
    return list(dict.fromkeys(found))
