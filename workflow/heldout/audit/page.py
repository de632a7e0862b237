"""The page of an audit: findings, charts and tables, self-contained."""

import json
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader

from heldout.audit import assets as own
from heldout.audit import findings
from heldout.audit.spec import AuditPageSpec
from heldout.audit.summary import AuditRow, SelectionRow
from heldout.data import oracle_catalogue
from heldout.estimates import targets
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import read_rows
from heldout.measures.registry import named_loss
from heldout.report import assets
from heldout.report.page import environment
from heldout.results import glossary
from heldout.results.display import Format, format_for, theta_text
from heldout.results.tables import Table, read_table


def audit_page(folder: Path, spec: AuditPageSpec) -> str:
    """Render the page of an audit.

    Parameters
    ----------
    folder
        `results/TASK`, with the tables of the audit.
    spec
        The task, its data and its settings.

    Returns
    -------
    str
        A self-contained HTML page.
    """
    rows: list[AuditRow] = read_rows(folder / "audit.csv", AuditRow)
    selections: list[SelectionRow] = read_rows(folder / "audit" / "selection.csv", SelectionRow)
    loss = named_loss(spec.loss, _classification(spec.data, rows))
    show = format_for(loss.name, [findings.typical_risk(rows)])
    learner = findings.headline(rows)
    k = spec.folds
    words = _words(rows, k)
    payload = _payload(folder, spec, show, learner, words)
    scripts = [*assets.libraries(), own.script()]
    templates = environment()
    templates.filters["pair"] = pair_text
    templates.loader = ChoiceLoader([FileSystemLoader(own.HERE), FileSystemLoader(assets.HERE)])
    return templates.get_template("audit.html").render(
        style=assets.style(),
        scripts=scripts,
        policy=assets.policy(scripts),
        payload=assets.json_text(payload),
        task=spec.task,
        loss=f"{loss.title} (risks are {loss.optimum:g} − {loss.label})"
        if loss.greater
        else loss.title,
        show=show,
        percent=findings.percent,
        signed=findings.signed_percent,
        level=spec.level,
        source=_source_text(spec),
        truth=_truth_text(spec),
        learner=learner,
        sections=_sections(rows, selections, learner, show, k),
        advised=[one for m in findings.sizes(rows) for one in _advised(rows, learner, m)],
        selections=selections,
        words=words,
        meanings=targets.MEANING,
        replicates=selections[0].replicates,
        refused=sum(row.refused for row in selections if row.learner == learner),
    )


def _at(rows: list[AuditRow], learner: str, m: int) -> list[AuditRow]:
    return [row for row in rows if row.learner == learner and row.m == m]


def _advised(rows: list[AuditRow], learner: str, m: int) -> list[findings.Recommendation]:
    return findings.recommendations(_at(rows, learner, m))


def _sections(
    rows: list[AuditRow],
    selections: list[SelectionRow],
    learner: str,
    show: Format,
    k: int | None,
) -> list[dict[str, Any]]:
    chosen = {row.m: row for row in selections if row.learner == learner}
    return [
        findings.findings_at(_at(rows, learner, m), chosen[m], show, k)
        for m in findings.sizes(rows)
    ]


def _classification(data: str, rows: list[AuditRow]) -> bool:
    """Whether targets are classes; used only where the config names no loss."""
    if oracle_catalogue.is_oracle(data):
        return oracle_catalogue.entry_of(data).classification
    return all(row.interval not in ("t", "bootstrap_percentile") for row in rows)


def _words(rows: list[AuditRow], k: int | None) -> dict[str, Any]:
    names = glossary.in_order({row.estimator for row in rows})
    intervals = list(dict.fromkeys(row.interval for row in rows if row.interval))
    words = glossary.as_json(names, intervals)
    for name, word in words["estimators"].items():
        word["title"] = findings.title_of(name, k)
    return words


def pair_text(text: str) -> str:
    """`ridge {"alpha":1.0}` as `ridge, alpha = 1`."""
    learner, _, rest = text.partition("{")
    texts = [learner.strip(), theta_text(json.loads("{" + rest))]
    return ", ".join(text for text in texts if text) or "–"


def _payload(
    folder: Path, spec: AuditPageSpec, show: Format, learner: str, words: dict[str, Any]
) -> dict[str, Any]:
    paths = {"audit": folder / "audit.csv", "selection": folder / "audit" / "selection.csv"}
    tables = {name: read_table(path) or Table([], []) for name, path in paths.items()}
    return {
        "task": spec.task,
        "level": spec.level,
        "format": vars(show),
        "learner": learner,
        "wanted": {name: entry.aims[0] for name, entry in ESTIMATORS.items()},
        "meanings": targets.MEANING,
        "words": words,
        "tables": {name: table.packed() for name, table in tables.items()},
    }


def _source_text(spec: AuditPageSpec) -> str:
    if not oracle_catalogue.is_oracle(spec.data):
        return f"draws without replacement from the unsealed rows of {spec.data}"
    known = {name: value for name, value in spec.oracle.items() if value is not None}
    given = ", ".join(f"{name} = {value}" for name, value in known.items())
    return f"{oracle_catalogue.entry_of(spec.data).title} ({given})"


def _truth_text(spec: AuditPageSpec) -> str:
    rows = spec.truth
    if oracle_catalogue.is_oracle(spec.data):
        return (
            "The true risk of a model is computed in closed form where there is one (affine "
            f"predictors of Gaussian features), else over {rows} fresh rows for each draw, on which "
            "the expected loss given x is exact."
        )
    return f"The true risk of a model is its mean loss on the rows not drawn (at most {rows})."
