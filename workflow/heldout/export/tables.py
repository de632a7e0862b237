"""The table of estimates with their recommended intervals, in Markdown and in LaTeX."""

from collections.abc import Callable, Sequence

from heldout.export.markup import latex, markdown
from heldout.export.material import Material
from heldout.results import glossary
from heldout.results.headline import learner_title, percent, short, span
from heldout.results.scores import in_words
from heldout.results.tables import ALL

OWN = "In the rows of a single learner, the final model is that learner, tuned alone."
MARKS = "abcdefghijklmnopqrstuvwxyz"


def lines_of(material: Material) -> tuple[list[str], list[list[str]], list[str]]:
    """Take the estimates that have a recommended interval, and sentences on what these are for.

    Parameters
    ----------
    material
        What is known of the task.

    Returns
    -------
    tuple
        The titles of the columns; a line for each estimate; sentences on what the intervals are for, to
        which the last column refers by a letter.
    """
    scale, targets = material.facts.scale, list[str]()
    lines = []
    for (learner, estimator), row in material.facts.estimates.recommended().items():
        if not row["interval"]:
            continue
        target = in_words(row["interval_target"] or "", scale.loss)
        if target not in targets:
            targets.append(target)
        mark = MARKS[targets.index(target) % len(MARKS)]
        titles = glossary.estimator(estimator).title, glossary.interval(row["interval"]).title
        ends = span(row, scale.show)
        lines.append(
            [learner_title(learner), titles[0], short(row["score"], scale.show), ends, titles[1], percent(row["level"]), mark]
        )  # fmt: skip
    heads = ["Learner", "Estimator", scale.title, "Interval", "Method", "Level", "For"]
    said = [
        f"{mark}: the interval is for {target}."
        for mark, target in zip(MARKS, targets, strict=False)
    ]
    single = any(line[0] != learner_title(ALL) for line in lines)
    return heads, lines, [*said, *([OWN] if single else [])]


def markdown_table(material: Material) -> str:
    """Write the table in Markdown, with what the intervals are for below it."""
    heads, lines, below = lines_of(material)
    rule = "|" + "---|" * len(heads)
    rows = [_row(heads, markdown), rule, *(_row(line, markdown) for line in lines)]
    return "\n".join([*rows, "", *_paragraphs(list(map(markdown, below)))]) + "\n"


def _paragraphs(texts: Sequence[str]) -> list[str]:
    return [part for text in texts for part in (text, "")][:-1]


def _row(cells: Sequence[str], escape: Callable[[str], str]) -> str:
    return "| " + " | ".join(map(escape, cells)) + " |"


def latex_table(material: Material) -> str:
    """Write the table in LaTeX; it needs the package booktabs."""
    heads, lines, sentences = lines_of(material)
    head, body = _latex_row(heads), [_latex_row(line) for line in lines]
    below = [rf"\footnotesize {latex(text)}\par" for text in sentences]
    caption = latex(f"{material.facts.task}: estimates with their recommended intervals")
    return "\n".join(
        [
            "% needs \\usepackage{booktabs} and, for letters beyond ASCII, a UTF-8 engine or inputenc",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            r"\begin{tabular}{llrrlrl}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\medskip",
            *below,
            r"\end{table}",
            "",
        ]
    )


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex, cells)) + r" \\"
