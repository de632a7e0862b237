"""A model card in Markdown (Mitchell et al. 2019, Model cards for model reporting)."""

from collections.abc import Iterable
from typing import Any

from heldout.export.markup import markdown
from heldout.export.material import PIPELINE, Material
from heldout.export.tables import markdown_table
from heldout.results import glossary
from heldout.results.answer import failed_checks
from heldout.results.display import theta_text
from heldout.results.headline import learner_title
from heldout.results.tables import ALL
from heldout.selection.plain import NotPlainError

TO_FILL = "**To be filled in:**"
"""What nobody but the user knows begins with these words."""
SHOWN = 200
"""So many columns are listed."""


def model_card(material: Material) -> str:
    """Write the card of the final model.

    Parameters
    ----------
    material
        What is known of the task.

    Returns
    -------
    str
        Markdown.
    """
    sections = {
        "Model details": _details(material),
        "Intended use": _use(),
        "Factors": [f"{TO_FILL} groups, instruments and circumstances for which it may work less well."],
        "Metrics": _metrics(material),
        "Training data": _training(material),
        "Evaluation data": _evaluation(material),
        "Quantitative analyses": [markdown_table(material).rstrip()],
        "Ethical considerations": [f"{TO_FILL} who may be harmed by a wrong prediction, and how."],
        "Caveats and recommendations": _caveats(material),
    }  # fmt: skip
    body = [f"## {title}\n\n" + "\n\n".join(parts) for title, parts in sections.items()]
    return f"# Model card: {markdown(material.facts.task)}\n\n" + "\n\n".join(body) + "\n"


def _listing(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _details(material: Material) -> list[str]:
    card, selection = material.task.card, material.facts.selection
    theta = theta_text(selection["theta"]) or "no hyper-parameter"
    versions = ", ".join(f"{name} {one}" for name, one in material.versions.items())
    lines = [
        f"Learner: {markdown(selection['learner'])}, {markdown(theta)}",
        f"Why it was selected: {markdown(selection['why'])}",
        f"Predicts: {markdown(material.facts.target)}{_classes(card['classes'])}",
        "File: `final/model.joblib`, a pickle; open it only if you trust whoever made it",
        f"Without heldout: {_plain(material)}",
        f"Identity: `{card['identity']}`",
        f"Seed: {card['seed']}",
        f"Software: {markdown(versions)}",
    ]
    if card.get("threshold") is not None:
        lines.append(
            f"Decision threshold: {card['threshold']} for {markdown(str(card['positive']))}"
        )
    return [_listing(lines), f"{TO_FILL} people, date, licence, whom to ask."]


def _plain(material: Material) -> str:
    if isinstance(material.plain, NotPlainError):
        return f"not possible, {markdown(str(material.plain))}; `requirements.txt` says what to install"
    return f"`{PIPELINE}`, a Pipeline of scikit-learn's own classes; `requirements.txt` says what to install"


def _classes(classes: list[Any] | None) -> str:
    return f" ({markdown(', '.join(map(str, classes)))})" if classes else " (a number)"


def _use() -> list[str]:
    return [
        f"{TO_FILL} what it is meant for, and for whom.",
        f"{TO_FILL} what it must not be used for.",
        "The numbers below are about rows drawn as those of the table were; they say nothing about others.",
    ]


def _metrics(material: Material) -> list[str]:
    scale = material.facts.scale
    further = {row["metric"]: None for row in material.results.table("metrics").rows}
    names = (
        f" Further measures, in `metrics.csv`: {markdown(', '.join(further))}." if further else ""
    )
    return [f"{markdown(scale.title)}: {markdown(scale.loss.title)}; {scale.direction}.{names}"]


def _training(material: Material) -> list[str]:
    card = material.task.card
    named = list(map(markdown, card["features"]))
    more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    lines = [
        f"Source: {markdown(str(card['trained_on']['source']))}",
        f"Rows: {card['trained_on']['rows']}, none of them sealed (digest `{card['trained_on']['digest']}`)",
        f"Columns: {', '.join(named[:SHOWN])}{more}",
    ]
    missing = material.table.get("missing") or {}
    if missing:
        counts = ", ".join(f"{markdown(name)} {count}" for name, count in missing.items())
        lines.append(f"Missing values: {counts}")
    return [_listing(lines), f"{TO_FILL} how, when and where the rows were collected."]


def _evaluation(material: Material) -> list[str]:
    line = material.answer.line("sealed test")
    parts = [
        f"Estimates other than the sealed test hold out rows of the same {material.facts.rows}."
    ]
    if line is not None and line.measured:
        parts.append(
            f"Sealed test: {markdown(line.note)}. Its rows were set aside before anything was fitted."
        )
    elif line is not None:
        parts.append(f"Sealed test: none; {markdown(line.note)}.")
    return parts


def _caveats(material: Material) -> list[str]:
    checks = material.facts.checks
    failed = [
        f"{row['severity']} {row['code']}: {markdown(row['message'] or row['title'])}"
        for row in failed_checks(checks)
    ]
    warnings = (
        [] if checks and checks.rows else list(map(markdown, material.facts.selection["warnings"]))
    )
    found = failed or warnings
    said = _listing(found) if found else "No check failed."
    refit = material.facts.selection.get("refit")
    without = [
        f"{markdown(learner_title(learner))}, {glossary.estimator(name).title}: {markdown(row['note'])}"
        for (learner, name), row in material.facts.estimates.recommended().items()
        if learner == ALL and row.get("note") and not row["interval"]
    ]
    return [
        said,
        *([f"Estimates without an interval:\n\n{_listing(without)}"] if without else []),
        *([markdown(refit["note"])] if refit else []),
    ]  # fmt: skip
