"""What was done, in words: the paragraph on methods of a paper."""

from collections.abc import Iterable
from typing import Any

from heldout.errors import counted
from heldout.export.material import Material
from heldout.results import glossary
from heldout.results.answer import title_in_sentence
from heldout.results.display import listed, theta_text
from heldout.results.headline import headline_row, percent, short, span, test_row
from heldout.results.scores import in_words
from heldout.results.tables import Row

RULES = {
    "min": "the best value",
    "one_se": "the simplest value within one standard error of the best",
    "first_local_min": "the first significant local minimum",
    "confidence_set": "the simplest value that cannot be told from the best",
}
"""What the rules of selection choose."""
SOFTWARE = (
    ("scikit-learn", "Pedregosa et al. 2011, Journal of Machine Learning Research 12, 2825–2830"),
    ("Snakemake", "Mölder et al. 2021, F1000Research 10, 33"),
)
"""What heldout is built on, and how its authors ask to be cited."""


def methods(material: Material) -> list[str]:
    """Write the sentences on what was done.

    Parameters
    ----------
    material
        What is known of the task.

    Returns
    -------
    list of str
        Paragraphs of plain text: the data, the procedure, what was found to hold, the software.
    """
    return [
        " ".join(filter(None, part))
        for part in (_data(material), _procedure(material), _estimate(material), _test(material), _software(material))
    ]  # fmt: skip


def references(material: Material) -> list[str]:
    """List what should be cited: the estimator, its interval, the interval of the test, the software."""
    rows = [row for row in (_headline(material), test_row(material.facts.estimates)) if row]
    entries = [
        entry
        for row in rows
        for entry in (
            glossary.estimator(row["estimator"]),
            glossary.interval(row["interval"] or ""),
        )
    ]
    named = [f"{entry.title}: {entry.reference}" for entry in entries if entry.reference]
    own = f"heldout {material.versions['heldout']} (computer software)"
    return list(dict.fromkeys([*named, own, *(f"{name}: {text}" for name, text in SOFTWARE)]))


def _data(material: Material) -> Iterable[str]:
    facts, table = material.facts, material.table
    others = counted(facts.columns, "other") if facts.columns > 1 else "one other"
    yield f"The column {facts.target} was predicted from {others} of {table['source']}."
    if facts.sealed:
        yield (
            f"{_sealed(material)} before anything else was computed from the target; "
            f"the other {counted(facts.rows, 'row')} were used to train, tune and select."
        )
    else:
        yield f"All {counted(facts.rows, 'row')} were used to train, tune and select; none were sealed for a test."
    if table.get("groups"):
        yield f"Rows with the same {_column(table['groups'])} were kept together."
    if table.get("weights"):
        yield f"Rows were weighted by {_column(table['weights'])}, in the fits and in every mean."
    if table.get("time"):
        yield f"Rows are in the order of {table['time'].get('column')}: models were judged by rows later than theirs."


def _sealed(material: Material) -> str:
    """Which rows were sealed, as far as that is known."""
    facts, test = material.facts, material.asked.get("test")
    if isinstance(test, str):
        return f"The {counted(facts.sealed, 'row')} of {test} were sealed"
    share = percent(round(facts.sealed / (facts.rows + facts.sealed), 3))
    rows = f"{counted(facts.sealed, 'row')} ({share})"
    if material.table.get("time"):
        return f"The latest {rows} were sealed"
    within = " within each class" if material.stratified else ""
    return f"{rows}, drawn at random{within}, were sealed" if test else f"{rows} were sealed"


def _column(given: Any) -> str:
    """The name of a column, which stands alone or with facts about it."""
    return str(given.get("column", given) if isinstance(given, dict) else given)


def _procedure(material: Material) -> Iterable[str]:
    selection, facts = material.facts.selection, material.facts
    tried = [f"{name} ({entry['thetas']} θ)" for name, entry in selection["learners"].items()]
    yield f"The learners were {listed(tried)}."
    yield (
        "Imputation, the encoding of categories and, where a learner needs it, scaling were part of the learner and "
        "were fitted to training rows only."
    )
    by = _by({"estimator": selection["by"]}, material)
    rule = RULES.get(selection["rule"], f"the rule {selection['rule']}")
    what = "The learner and its" if len(tried) > 1 else "The"
    yield f"{what} hyper-parameters θ were selected by {facts.scale.label}, estimated by {by}; {rule} was taken."
    if facts.sets.folds:
        yield _folds(material)
    theta = theta_text(selection["theta"])
    yield f"This selected {selection['learner']}{f' with {theta}' if theta else ''}."


def _folds(material: Material) -> str:
    """How the folds were made, as far as that is more than chance."""
    if column := material.asked.get("fold_column"):
        return f"The folds are those of the column {column}."
    return "The folds were stratified by class." if material.stratified else ""


def _by(row: Row, material: Material) -> str:
    """An estimator, with what it is computed from."""
    words = material.facts.sets.words(row["estimator"])
    return title_in_sentence(row) + (f" ({words})" if words else "")


def _headline(material: Material) -> Row | None:
    facts = material.facts
    return headline_row(facts.estimates, pooled=facts.scale.loss.pooled)


def _estimate(material: Material) -> Iterable[str]:
    row = _headline(material)
    if row is None:
        return
    yield (
        f"The {material.facts.scale.label} to expect of the whole procedure was estimated by {_by(row, material)}: "
        f"{_value(row, material)}."
        if glossary.estimator(row["estimator"]).role == "honest"
        else f"The {material.facts.scale.label} was estimated by {_by(row, material)}: {_value(row, material)}."
    )
    yield _interval(row, material)
    yield f"In all, {counted(material.fits, 'model')} were fitted."


def _value(row: Row, material: Material) -> str:
    """A value with its interval."""
    show = material.facts.scale.show
    ends = span(row, show)
    return short(row["score"], show) + (
        f" ({percent(row['level'])} interval {ends})" if ends else ""
    )


def _interval(row: Row, material: Material) -> str:
    """The method of an interval and what it is for, or why there is none."""
    if not row["interval"]:
        return f"No interval is given: {row.get('note') or 'none is known to hold'}."
    title = glossary.interval(row["interval"]).title
    target = in_words(row["interval_target"] or "", material.facts.scale.loss)
    return f"The interval ({title}) is for {target}."


def _test(material: Material) -> Iterable[str]:
    row, test = test_row(material.facts.estimates), material.facts.selection.get("test")
    if row is None:
        line = material.answer.line("sealed test")
        yield f"There is no result on sealed rows: {line.note}." if line else ""
        return
    seen = (
        "once" if not test or test["count"] == 1 else f"and counted for {test['count']} selections"
    )
    yield (
        f"The final model, trained on {counted(material.task.card['trained_on']['rows'], 'row')}, none of them sealed, was applied {seen} to the "
        f"{counted(row['n'], 'sealed row')}: {material.facts.scale.label} {_value(row, material)}."
    )
    yield _interval(row, material)


def _software(material: Material) -> Iterable[str]:
    versions = ", ".join(f"{name} {one}" for name, one in material.versions.items())
    yield f"Random choices derive from the seed {material.results.cells.seed}. Software: {versions}."
