"""``heldout check --price``: what a run will cost, in words and as a table by learner."""

import argparse
import sys
from collections.abc import Iterator

from heldout.cells.price import LearnerPrice, Price
from heldout.cells.progress import duration
from heldout.cli.columns import aligned
from heldout.cli.waiting import waiting
from heldout.errors import HeldoutError, counted
from heldout.execution.pricing import price_of
from heldout.execution.study import Study

LONG = 3600.0
"""From so many seconds on, it is said what to cut."""
MUCH = 0.4
"""A learner with this share of a long run is named."""


def print_price(study: Study, task: str, arguments: argparse.Namespace) -> bool:
    """Print what a task costs; whether all its learners could be fitted."""
    try:
        with waiting() as line:
            line.say(f"{task}: timing a few fits of each learner")
            price = price_of(study, task, arguments.results, arguments.seconds, arguments.learners)
    except HeldoutError as error:
        print(f"heldout: task '{task}': {error}", file=sys.stderr)
        return False
    for text in lines(price):
        print(text)
    return not any(one.probe and one.probe.failure for one in price.learners)


def lines(price: Price) -> Iterator[str]:
    """The price in a sentence, a table by learner, and what is worth saying about it.

    Parameters
    ----------
    price
        Of a task.

    Returns
    -------
    iterator
        Over lines of text.

    Examples
    --------
    >>> from heldout.cells.price import Missing, Probe
    >>> missing = Missing(cells=340, stored=0, thetas=20, sets=17, to_fit=17)
    >>> learner = LearnerPrice("knn", missing, Probe(0.3, 0.1, 1e6), jobs=2)
    >>> for line in lines(Price("irises", [learner], cores=2, steps=3.0)):
    ...     print(line)
    irises: 340 cells, about 4 s on 2 cores, 17 MB
      learner  cells   θ  fitted  a training set  in all     MB
      knn        340  20       0          0.10 s     2 s  17.00
    """
    yield f"{price.task}: {sentence(price)}"
    table = aligned(_rows(price), right=range(1, 7))
    yield from (f"  {line}" for line in table.splitlines())
    for one in price.learners:
        if one.probe is not None and one.probe.failure:
            yield f"  learner '{one.name}': a fit has failed: {one.probe.failure}"
        elif one.rough:
            yield f"  note: {_rough(one)}"
    for name in price.unpriced:
        yield f"  note: learner '{name}' is not priced, for it is code of your own: --learners does"
    for note in price.notes:
        yield f"  note: {note}"
    if price.seconds >= LONG:
        yield from _cuts(price)


def sentence(price: Price) -> str:
    """The price in a line: ``1,240 cells, about 4 min on 2 cores, 60 MB``.

    Parameters
    ----------
    price
        Of a task.

    Returns
    -------
    str
        Without the name of the task.

    Examples
    --------
    >>> sentence(Price("irises", [], cores=1, steps=3.0))
    '0 cells, about 3 s on 1 core, 0 MB'
    """
    cells = f"{price.cells:,} cells"
    if price.stored:
        which = "all" if price.stored == price.cells else f"{price.stored:,}"
        cells += f", {which} of them fitted"
    least = any(one.probe is not None and one.probe.share == 0 for one in price.learners)
    about = "more than" if least else "very roughly" if price.rough else "about"
    time = f"{about} {duration(price.seconds)} on {counted(price.cores, 'core')}"
    return f"{cells}, {time}, {price.megabytes:,.0f} MB"


def _rows(price: Price) -> list[list[str]]:
    head = ["learner", "cells", "θ", "fitted", "a training set", "in all", "MB"]
    return [head, *([*_row(one)] for one in price.learners)]


def _row(one: LearnerPrice) -> Iterator[str]:
    yield one.name
    yield f"{one.missing.cells:,}"
    yield f"{one.missing.thetas:,}"
    yield f"{one.missing.stored:,}"
    if one.probe is None:
        done = one.missing.stored == one.missing.cells
        yield from ("-", "0 s" if done else "?", "0" if done else "?")
        return
    yield f"{one.probe.later:.2f} s" if one.probe.later < 100 else duration(one.probe.later)
    yield duration(one.seconds)
    yield f"{one.bytes / 1e6:,.2f}"


def _rough(one: LearnerPrice) -> str:
    assert one.probe is not None
    if one.probe.share == 0:
        return f"learner '{one.name}': no fit has ended in time; --seconds gives more"
    if one.probe.rows < 1:
        return (
            f"learner '{one.name}' was timed on {one.probe.rows:.0%} of the training rows: more may take "
            "longer than that says; --seconds gives more time"
        )
    return (
        f"learner '{one.name}': {one.probe.share:.0%} of its grid was timed; --seconds gives more"
    )


def _cuts(price: Price) -> Iterator[str]:
    total = sum(one.seconds for one in price.learners)
    for one in sorted(price.learners, key=lambda learner: -learner.seconds):
        if total and one.seconds >= MUCH * total:
            what = "fewer θ in its grid" if one.missing.thetas > 1 else "another learner"
            yield (
                f"  to cut: learner '{one.name}' takes {one.seconds / total:.0%} of the time: {what}; or fewer "
                f"than {one.missing.sets} training sets (kfold.k, kfold.repeats, estimators without nested_cv)"
            )
