"""Texts that come from data, in Markdown and in LaTeX."""

import re

LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "\u00a0": "~", "θ": r"$\theta$",
    "²": r"\textsuperscript{2}", "−": "$-$", "–": "--", "\u2014": "---", "…": r"\ldots{}",
}  # fmt: skip
"""What LaTeX would take for a command, and characters that some of its fonts lack."""
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$])")
CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def latex(text: str) -> str:
    r"""Escape a text for LaTeX.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        What prints as this text; without line breaks.

    Examples
    --------
    >>> print(latex("50 % of x_1 & {y}"))
    50 \% of x\_1 \& \{y\}
    """
    return "".join(LATEX.get(letter, letter) for letter in CONTROL.sub(" ", text))


def markdown(text: str) -> str:
    r"""Escape a text for Markdown, also inside a table.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        What prints as this text; without line breaks.

    Examples
    --------
    >>> print(markdown("a|b *c*"))
    a\|b \*c\*
    """
    return MARKDOWN.sub(r"\\\1", CONTROL.sub(" ", text))
