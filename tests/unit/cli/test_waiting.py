"""A line of progress where it takes long, and silence where it does not."""

import sys
import time

from heldout.cli import waiting as module
from heldout.cli.waiting import waiting


def test_quick_work_says_nothing(capsys):
    with waiting() as line:
        line.say("1 of 2 cells")
    assert capsys.readouterr() == ("", "")


def test_long_work_says_what_is_new(capsys, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.02)
    monkeypatch.setattr(module, "EVERY", 0.02)
    with waiting() as line:
        line.say("1 of 2 cells")
        time.sleep(0.3)
        line.say("2 of 2 cells")
        time.sleep(0.3)
    assert capsys.readouterr().err == "1 of 2 cells\n2 of 2 cells\n"


def test_a_terminal_gets_one_line_which_goes(capsys, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.02)
    with waiting() as line:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        line.say("1 of 2 cells")
        time.sleep(0.3)
    assert capsys.readouterr().err == "\r\x1b[K1 of 2 cells\r\x1b[K"
