"""The line of progress of an evaluation in memory."""

import io
import itertools

import pytest

from heldout.memory.progress import Line, is_watched, line_for


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_tells_cells_and_the_time_that_is_left_and_is_wiped_out() -> None:
    stream, clock = Terminal(), itertools.count()
    line = Line("irises", stream, lambda: float(next(clock)))
    line.expect(2000)
    for _ in range(4):
        line.add(250)
    states = stream.getvalue().split("\r")[1:]
    assert states[0] == "irises   250 of 2,000 cells"
    assert states[1].rstrip() == "irises   500 of 2,000 cells   6 s left"
    assert states[3].rstrip() == "irises   1,000 of 2,000 cells   4 s left"
    line.end()
    wiped = stream.getvalue().split("\r")[-2:]
    assert wiped[0].isspace()
    assert len(wiped[0]) >= max(map(len, states))
    assert wiped[1] == ""


def test_it_is_silent_where_nobody_looks() -> None:
    assert is_watched(Terminal())
    assert not is_watched(io.StringIO())
    line = Line("irises", None)
    line.expect(3)
    line.add(3)
    line.end()
    assert (line.done, line.total) == (3, 3)


def test_what_is_asked_for_counts(capsys: pytest.CaptureFixture[str]) -> None:
    for wanted, shown in ((True, True), (False, False), (None, False)):
        line = line_for("irises", wanted)
        line.expect(1)
        line.add()
        line.end()
        assert bool(capsys.readouterr().err) is shown
