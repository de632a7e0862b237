"""The commands that a user is told to run next."""

from pathlib import Path

from heldout.cli import CONFIG


def heldout(config: Path, *words: str) -> str:
    """A command of heldout.

    Parameters
    ----------
    config
        The config of the study.
    words
        The command and its options.

    Returns
    -------
    str
        A command line.

    Examples
    --------
    >>> heldout(Path("config/config.yaml"), "run")
    'heldout run'
    >>> heldout(Path("other.yaml"), "check", "--repair")
    'heldout check --repair --config other.yaml'
    """
    return " ".join(["heldout", *words, *(() if config == CONFIG else ("--config", str(config)))])
