"""The error that is meant for users (what is wrong, where, and what to do), and words for it."""


class HeldoutError(Exception):
    """Something that the user can correct; shown without a traceback."""


def did_you_mean(word: str, known: list[str]) -> str:
    """Word the end of an error about an unknown name.

    Parameters
    ----------
    word
        The unknown name.
    known
        The names there are.

    Returns
    -------
    str
        A suggestion, or the list of what is known where nothing is close.

    Examples
    --------
    >>> did_you_mean("sed", ["seed", "level"])
    "; did you mean 'seed'?"
    >>> did_you_mean("x", ["seed", "level"])
    '; known: seed, level'
    """
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known: {', '.join(known)}" if known else ""


def counted(count: int, word: str) -> str:
    """Count things in words.

    Parameters
    ----------
    count
        How many there are.
    word
        What they are, in the singular.

    Returns
    -------
    str
        The number and the word, in the plural if need be.

    Examples
    --------
    >>> counted(1, "cell"), counted(2, "cell")
    ('1 cell', '2 cells')
    """
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
