"""The commands that a user is told to run next."""

from pathlib import Path

from heldout.cli import CONFIG


def snakemake(config: Path, *options: str) -> str:
    """The command that runs the workflow.

    Parameters
    ----------
    config
        The config of the study.
    options
        What to do instead of running it on all cores.

    Returns
    -------
    str
        A command line.

    Examples
    --------
    >>> snakemake(Path("config/config.yaml"))
    'snakemake --cores all'
    >>> snakemake(Path("other.yaml"), "--unlock")
    'snakemake --unlock --configfile other.yaml'
    """
    elsewhere = () if config == CONFIG else ("--configfile", str(config))
    return " ".join(["snakemake", *(options or ("--cores", "all")), *elsewhere])


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
    >>> heldout(Path("other.yaml"), "check", "--repair")
    'heldout check --repair --config other.yaml'
    """
    return " ".join(["heldout", *words, *(() if config == CONFIG else ("--config", str(config)))])
