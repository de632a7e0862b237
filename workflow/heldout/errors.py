"""The one error that is meant for people: what is wrong, where, and what to do."""


class HeldoutError(Exception):
    """Something the user can mend; shown without a traceback."""


def did_you_mean(word: str, known: list[str]) -> str:
    """``; did you mean 'seed'?`` or, when nothing is close, the list of what is known."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known: {', '.join(known)}" if known else ""
