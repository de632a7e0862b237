"""`heldout export`: what a paper gets says what the tables say, and no text of the data is a command."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from browser.report_case import Case
from small_study import CONFIG

from heldout.cli import main
from heldout.execution.study import Study
from heldout.export.card import TO_FILL, model_card
from heldout.export.markup import LATEX, latex, markdown
from heldout.export.material import Material
from heldout.export.methods import methods
from heldout.export.tables import latex_table, markdown_table
from heldout.export.write import methods_text
from heldout.receipts import Receipt, write_receipt
from heldout.results.study import Task
from heldout.selection.plain import NotPlainError

HOSTILE = ["a_b & 50 % $x$ #1 {y} ~^\\", "|<script>|*b*", "line\nbreak"]


def received(folder: Path, step: str, spec: object) -> None:
    write_receipt(folder / "receipts" / f"{step}.json", Receipt(step, {"spec": spec}, {}, {}))


def material(case: Case, root: Path, **card: object) -> Material:
    """A task made by hand, with a card and a receipt of its cells."""
    folder = case.write(root)
    spec = case.spec().cells
    learners = [learner.as_spec() for learner in spec.learners]
    cells = {"seed": 19, "loss": vars(spec.loss), "kinds": ["full"], "learners": learners}
    received(folder, "estimate_risks", {"cells": cells})
    whole = {
        "trained_on": {"rows": 100, "source": "table.csv", "digest": "d"}, "features": case.columns,
        "classes": case.classes, "identity": "m1", "seed": 19, "versions": {"python": "3.11"},
        "libraries": '{"numpy": "2.0"}',
    }  # fmt: skip
    (folder / "final" / "card.json").write_text(json.dumps(whole | card))
    selection = json.loads((folder / "selection.json").read_text())
    for name, entry in selection["learners"].items():
        entry.setdefault("thetas", len(case.grids[name]))
    (folder / "selection.json").write_text(json.dumps(selection))
    found = Material(Task(folder))
    vars(found)["plain"] = NotPlainError("it was written by hand")  # there is no model file
    return found


# --- the whole command -------------------------------------------------------------------------


@pytest.fixture
def study(project: Path) -> Path:
    request = Study(CONFIG).request("estimate_risks", "small")
    receipt = Receipt("estimate_risks", json.loads(json.dumps(request)), {}, {})
    write_receipt(project / "results/small/receipts/estimate_risks.json", receipt)
    return project


def test_everything_is_written(study: Path, capsys: pytest.CaptureFixture) -> None:
    shutil.rmtree("results/small/vault")
    assert main(["export", "small", "--output", "paper"]) == 0
    named = capsys.readouterr().out.splitlines()
    found = {str(path) for path in Path("paper").rglob("*") if path.is_file()}
    assert found == set(named)
    assert {Path(name).name for name in named} >= {"methods.md", "methods.txt", "model_card.md"}
    assert sorted(path.suffix for path in Path("paper/figures").glob("predictions.*")) == [
        ".pdf", ".png", ".svg",
    ]  # fmt: skip
    assert not list(Path("paper/figures").glob("over_time.*"))
    assert not Path("results/small/figures").exists()


def test_the_table_is_that_of_estimates(study: Path) -> None:
    task = Task(Path("results/small"))
    with (task.folder / "estimates.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["recommended"] == "True"]
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in markdown_table(Material(task)).splitlines()
        if line.startswith("| ")
    ][1:]
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        assert line[0] == ("all together" if row["learner"] == "all" else row["learner"])
        assert line[2].replace("\u00a0", " ") == f"{100 * float(row['risk']):.1f} %"
        low, high = float(row["ci_low"]), float(row["ci_high"])
        assert line[3].replace("\u00a0", " ") == f"{100 * low:.1f} to {100 * high:.1f} %"
    below = markdown_table(Material(task)).split("\n\n", 1)[1]
    for target in {row["interval_target"] for row in rows}:
        assert f"the interval is for {target}." in below
    assert below.count("In the rows of a single learner, the final model is that learner") == 1


def test_the_number_of_fits_is_that_of_the_manifests(study: Path) -> None:
    found = Material(Task(Path("results/small")))
    cells = list(Path("results/small/cells").glob("*/*/*.safetensors"))
    assert found.fits == len(cells)
    assert f"In all, {len(cells)} models were fitted." in methods_text(found)


def test_errors_are_for_people(study: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["export", "smal"]) == 1
    assert "no task 'smal' in 'results'; did you mean 'small'?" in capsys.readouterr().err
    Path("results/small/estimates.csv").unlink()
    assert main(["export", "small"]) == 1
    assert "has no estimates.csv: it is not finished" in capsys.readouterr().err
    assert not Path("export").exists()


# --- the methods -------------------------------------------------------------------------------


def said(case: Case, root: Path, **card: object) -> str:
    return " ".join(methods(material(case, root, **card))).replace("\u00a0", " ")


def test_the_methods_say_what_was_done(tmp_path: Path) -> None:
    text = said(Case(), tmp_path)
    for words in (
        "The column y was predicted from 2 others of table.csv.",
        "The learners were mean (1 θ) and knn (3 θ).",
        "estimated by K-fold CV (2 folds); the best value was taken. This selected knn with k = 9.",
        "was estimated by nested CV (2 folds): 27.2 % (95 % interval 23.2 to 31.2 %).",
        "(Bayle, all pairs) is for the target of nested_cv.",
        "The learner and its hyper-parameters θ were selected by error",
        "trained on 100 rows, none of them sealed, was applied once to the 100 sealed rows: error 22.2 %",
        "the seed 19. Software: heldout",
        "python 3.11, numpy 2.0.",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("test", "time", "words"),
    [
        (0.2, None, "20 rows (16.7 %), drawn at random, were sealed before"),
        ("late.csv", None, "The 20 rows of late.csv were sealed before"),
        (0.2, {"column": "day"}, "The latest 20 rows (16.7 %) were sealed before"),
        (None, None, "20 rows (16.7 %) were sealed before"),
    ],
)
def test_how_rows_were_sealed_is_not_guessed(
    test: object, time: object, words: str, tmp_path: Path
) -> None:
    found = material(Case(), tmp_path)
    received(found.task.folder, "prepare_data", {"test": test})
    path = found.task.folder / "data" / "table.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"time": time}))
    assert words in " ".join(methods(found)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("asked", "rows", "folds"),
    [
        ({"stratify": True, "classification": True}, "at random within each class, were", "The folds were stratified by class."),
        ({"stratify": True, "classification": False}, "drawn at random, were", ""),
        ({"stratify": True, "classification": True, "fold_column": "f"}, "within each class", "The folds are those of the column f."),
    ],
)  # fmt: skip
def test_strata_and_own_folds_are_said(
    asked: dict[str, object], rows: str, folds: str, tmp_path: Path
) -> None:
    found = material(Case(), tmp_path)
    received(found.task.folder, "prepare_data", asked | {"test": 0.2})
    text = " ".join(methods(found)).replace("\u00a0", " ")
    assert rows in text
    assert folds in text
    assert ("stratified" in text) == ("stratified" in folds)


def test_no_interval_and_no_test_are_said(tmp_path: Path) -> None:
    refused = {"state": "refused", "count": 2, "message": "they judged before", "ledger": []}
    case = Case(
        estimators=("training", "kfold", "nested_cv"), test=refused, reasons={"nested_cv": "no"}
    )
    text = said(case, tmp_path)
    assert "No interval is given: no." in text
    assert "There is no result on sealed rows: they judged before." in text
    assert "interval 2" not in text
    again = {"state": "opened again", "count": 2, "rows": 100, "message": "2nd", "ledger": []}
    assert "applied and counted for 2 selections" in said(Case(test=again), tmp_path / "2")


def test_an_estimate_by_the_rows_that_chose_is_not_called_one_of_the_procedure(
    tmp_path: Path,
) -> None:
    text = said(Case(estimators=("training", "kfold", "test")), tmp_path)
    assert "The error was estimated by K-fold CV" in text
    assert "of the whole procedure" not in text


# --- the card ----------------------------------------------------------------------------------


def test_the_card_has_what_people_expect_and_leaves_the_use_to_the_user(tmp_path: Path) -> None:
    checks = [
        {"code": "H5", "title": "t", "status": "fail", "severity": "warning", "message": "on the edge"},
        {"code": "H6", "title": "t", "status": "pass", "severity": "warning", "message": "fine"},
    ]  # fmt: skip
    text = model_card(
        material(Case(tables={"checks": checks}), tmp_path, threshold=0.3, positive="yes")
    )
    titles = re.findall("^## (.*)$", text, re.M)
    assert titles == [
        "Model details", "Intended use", "Factors", "Metrics", "Training data", "Evaluation data",
        "Quantitative analyses", "Ethical considerations", "Caveats and recommendations",
    ]  # fmt: skip
    use = text.split("## Intended use")[1].split("## ")[0]
    assert use.count(TO_FILL) == 2
    assert "- warning H5: on the edge" in text
    assert "fine" not in text
    assert "Decision threshold: 0.3 for yes" in text


# --- escaping ----------------------------------------------------------------------------------


def test_every_command_of_latex_is_escaped() -> None:
    for letter in "&%$#_{}~^\\<>|":
        assert letter in LATEX
        assert latex(f"a{letter}b") == f"a{LATEX[letter]}b"
    assert latex("a\nb\x00c") == "a b c"
    assert markdown("a|b\n# c") == r"a\|b \# c"


def test_names_of_the_data_are_no_commands(tmp_path: Path) -> None:
    case = Case(grids={"mean": [{}], **{name: [{name: 1}] for name in HOSTILE}}, columns=HOSTILE)
    found = material(case, tmp_path)
    table = latex_table(found)
    rows = [line for line in table.splitlines() if line.endswith(r" \\")]
    plain = [re.sub(r"\\[&%$#_{}]", "", row) for row in rows]
    assert all(row.count("&") == 6 for row in plain)
    assert not re.search(r"(?<!\\)[#_%]", "\n".join(plain))
    lines = [line for line in markdown_table(found).splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {8}
    assert "<script>" not in model_card(found)
