"""``heldout clean``: remove cells that the config no longer names, and files of earlier runs."""

import argparse

from heldout.cli import commands
from heldout.config.files import read_config
from heldout.errors import counted
from heldout.execution.study import Study
from heldout.execution.upkeep.clean import Removal, removals
from heldout.execution.upkeep.lock import refuse_during_a_run


def run(arguments: argparse.Namespace) -> int:
    """Remove, or only say what would be removed, and how much."""
    refuse_during_a_run(commands.heldout(arguments.config, "run", "--unlock"))
    study = Study(read_config(arguments.config))
    found = removals(study, arguments.results)
    for removal in found:
        print(f"  {removal.what}: {_amount([removal])}")
    if not arguments.dry_run:
        refuse_during_a_run(commands.heldout(arguments.config, "run", "--unlock"))
        for removal in found:
            removal.carry_out()
    print(f"{'would remove' if arguments.dry_run else 'removed'} {_amount(found)}")
    return 0


def _amount(found: list[Removal]) -> str:
    files = sum(len(removal.files) for removal in found)
    return f"{counted(files, 'file')}, {readable(sum(removal.bytes for removal in found))}"


def readable(size: float) -> str:
    """A size for people.

    Parameters
    ----------
    size
        In bytes.

    Returns
    -------
    str
        With a unit.

    Examples
    --------
    >>> readable(312), readable(48_211), readable(2.5e9)
    ('312 bytes', '48.2 kB', '2.5 GB')
    """
    units = ["bytes", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        del units[0]
    return f"{size:.0f} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"
