"""The command itself: quick to start, and errors for people."""

import subprocess
import sys

import pytest

from heldout import __version__
from heldout.cli import main
from heldout.errors import HeldoutError

HEAVY = ("sklearn", "pandas", "numpy", "scipy", "pyarrow", "pydantic", "yaml", "snakemake")


def test_help_is_quick_because_it_imports_nothing_heavy():
    code = (
        "import sys\nfrom heldout.cli import parser\nparser().format_help()\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert all(f"\n    {name} " in shown for name in ("init", "check", "predict", "show"))


def test_it_runs_as_a_module_and_knows_its_version():
    command = [sys.executable, "-m", "heldout", "--version"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == f"heldout {__version__}\n"


@pytest.mark.parametrize("wrong", [[], ["chek"], ["init", "t.csv"], ["check", "--confg", "c"]])
def test_wrong_usage_ends_with_2(wrong, capsys):
    with pytest.raises(SystemExit) as end:
        main(wrong)
    assert end.value.code == 2
    assert "usage: heldout" in capsys.readouterr().err


def test_an_error_for_people_ends_with_1_and_without_a_traceback(capsys, monkeypatch):
    from heldout.cli import show

    def fail(_):
        raise HeldoutError("mend the table")

    monkeypatch.setattr(show, "run", fail)
    assert main(["show"]) == 1
    assert capsys.readouterr() == ("", "heldout: mend the table\n")


def test_other_errors_are_not_hidden(monkeypatch):
    from heldout.cli import show

    def fail(_):
        raise ZeroDivisionError

    monkeypatch.setattr(show, "run", fail)
    with pytest.raises(ZeroDivisionError):
        main(["show"])


def test_a_reader_that_has_seen_enough_is_no_error(project):
    command = f"{sys.executable} -m heldout show --all | true"
    found = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert "Traceback" not in found.stderr
