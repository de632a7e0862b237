"""Writes an export: methods, tables, a model card and the figures of a task."""

from pathlib import Path

from heldout.export.card import model_card
from heldout.export.markup import markdown
from heldout.export.material import Material
from heldout.export.methods import methods, references
from heldout.export.tables import latex_table, markdown_table
from heldout.files import write_text
from heldout.results.figures.drawing import draw_figures
from heldout.results.study import Task
from heldout.user_code.search import look_in_study_folder


def write_export(task: Task, folder: Path) -> list[Path]:
    """Write everything that a paper needs of a task.

    Parameters
    ----------
    task
        A finished task.
    folder
        Where to write; made if need be. Files of an earlier export are replaced.

    Returns
    -------
    list of pathlib.Path
        What was written.
    """
    material = Material(task)
    texts = {
        "methods.md": methods_markdown(material),
        "methods.txt": methods_text(material),
        "estimates.md": markdown_table(material),
        "estimates.tex": latex_table(material),
        "model_card.md": model_card(material),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(folder / name, text)
    level = max(
        (row["level"] for row in material.facts.estimates.rows if row["level"]), default=0.95
    )
    results = material.results
    loss = results.cells.loss
    if loss is not None and loss.source:  # a function of the user's own is imported from there
        look_in_study_folder()
    drawn = draw_figures(results.folder, results.cells, results.batches, level, folder / "figures")
    return [*(folder / name for name in texts), *drawn]


def methods_markdown(material: Material) -> str:
    """The paragraphs on methods in Markdown, with what should be cited."""
    cited = [f"- {markdown(one)}" for one in references(material)]
    said = [markdown(one) for one in methods(material)]
    return (
        "\n\n".join(["## Methods", *said, "References", "\n".join(cited)]).replace("\u00a0", " ")
        + "\n"
    )


def methods_text(material: Material) -> str:
    """The same as plain text."""
    cited = "\n".join(references(material))
    return "\n\n".join([*methods(material), f"References:\n{cited}"]).replace("\u00a0", " ") + "\n"
