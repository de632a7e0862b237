"""Where the workflow is: inside the installed package, or around it in a checkout."""

from pathlib import Path

from heldout.errors import did_you_mean

PACKAGE = Path(__file__).parents[1]
SNAKEFILE = "Snakefile"
PROFILE = "config.yaml"
"""What a folder holds that is a profile."""


def workflow_folder() -> Path:
    """The folder of the Snakefile, its rules, profiles and schemas.

    Returns
    -------
    Path
        `heldout/workflow` of an installed wheel; in a checkout the folder `workflow` that the package is in.

    Examples
    --------
    >>> (workflow_folder() / "Snakefile").is_file()
    True
    """
    inside = PACKAGE / "workflow"
    return inside if (inside / SNAKEFILE).is_file() else PACKAGE.parent


def profile_options(name: str | None) -> list[str]:
    """The options that let Snakemake find a profile.

    Parameters
    ----------
    name
        A path, a folder in `profiles` here, or one that comes with heldout, looked for in this order;
        any other name is left to Snakemake, which knows the user's and the site's. None for the default.

    Returns
    -------
    list of str
        For Snakemake's command line.

    Examples
    --------
    >>> profile_options("slurm")[0]
    '--workflow-profile'
    >>> profile_options("of-my-site")
    ['--profile', 'of-my-site']
    """
    shipped = workflow_folder() / "profiles"
    bare = name or "default"
    places = ([Path(bare)] if name else []) + [Path("profiles", bare), shipped / bare]
    for folder in places:
        if (folder / PROFILE).is_file():
            return ["--workflow-profile", str(folder)]
    return ["--profile", bare]


def profile_hint(name: str) -> str:
    """What to say of a profile that Snakemake has not found either.

    Parameters
    ----------
    name
        The name that was given.

    Returns
    -------
    str
        The end of a sentence.

    Examples
    --------
    >>> profile_hint("slrm")
    "; did you mean 'slurm'?"
    """
    shipped = (path.parent.name for path in (workflow_folder() / "profiles").glob(f"*/{PROFILE}"))
    return did_you_mean(name, sorted(shipped))
