"""The report in a real browser: charts are drawn, numbers are those of the files, nothing breaks."""

import csv
import html
import json
from pathlib import Path

import numpy as np
from browser.chromium import drive, load, needs_browser
from browser.report_case import Case, csv_rows
from browser.report_pages import HOSTILE, Write, case_with_everything, classes, numbers

from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions
from heldout.report.overview import index_page
from heldout.results.predictions import HeldOut, classification

pytestmark = needs_browser

MARKS = """
const count = (place, what) => document.querySelectorAll(`${place} :is(${what})`).length;
return {
  estimates: count("#by-learner", "g[aria-label=dot] path, g[aria-label=dot] circle"),
  learners: count("#by-estimator", "g[aria-label=dot] path, g[aria-label=dot] circle"),
  curves: [...document.querySelectorAll("#grids article")].map((card) =>
    [card.querySelectorAll("g[aria-label=dot] circle").length, card.querySelectorAll("g[aria-label=cell] rect").length]),
  folds: count("#all-folds", "g[aria-label=dot] circle"),
  pairs: count("#all-comparisons", "g[aria-label=dot] circle"),
  confusions: document.querySelectorAll("#held-out article")[0]?.querySelectorAll("g[aria-label=cell] rect").length,
  figures: count("#held-out", "svg[role=img]"),
  reliability: count("#judged", "svg[role=img]"),
  bins: count("#judged", "g[aria-label=dot] circle"),
  bars: [...document.querySelectorAll("#judged g[aria-label=rule]")].at(-1)?.querySelectorAll("line").length,
  bands: count("#judged", "g[aria-label=area] path"),
  numbers: count("#judged", "tbody tr"),
};
"""


def test_every_chart_is_drawn(write: Write, tmp_path: Path) -> None:
    page = write(case_with_everything(), classes(["a", "b", "c"]))
    found = drive(page, tmp_path / "profile", MARKS)
    assert found["estimates"] == 4  # training, K-fold, nested CV, test
    assert found["learners"] == 6  # five learners and all together
    # training and K-fold of each θ; a cell for each θ and one for the selected; the same of a slice
    assert found["curves"] == [[10, 0], [6, 0], [0, 13], [0, 5]]
    assert found["folds"] == 5
    assert found["pairs"] == 2  # the baseline is left to the table
    assert found["confusions"] == 9
    assert found["figures"] == 3  # confusions, ROC, precision and recall
    assert (found["reliability"], found["bands"], found["numbers"]) == (1, 1, 10)
    assert found["bins"] == found["bars"] == 10


AUC = """
const texts = (place) => [...document.querySelectorAll(place)].map((node) => node.textContent);
const svg = (place) => document.querySelector(`${place} svg[role=img]`);
const open = (place) => { document.querySelector(`${place} details`).open = true; };
const points = (place) => [...document.querySelectorAll(`${place} g[aria-label=dot] circle`)].map((dot) => dot.getBBox().y);
open("#grids"); open("#all-folds"); open("#all-comparisons"); open("#all-metrics");
await new Promise((done) => setTimeout(done, 50));
return {
  heads: texts("#by-learner thead th").slice(0, 3),
  values: [...document.querySelectorAll("#by-learner tbody tr")].map((row) =>
    [...row.querySelectorAll("td.number")].slice(0, 2).map((cell) => cell.textContent)),
  axes: ["#by-learner", "#grids", "#all-folds", "#all-comparisons"].map((place) => svg(place).textContent),
  order: texts("#by-estimator svg g[aria-label='y-axis tick label'] text"),
  folds: points("#all-folds"),
  foldTable: [...document.querySelectorAll("#all-folds tbody tr")].map((row) => row.cells[3].textContent),
  pairs: [...document.querySelectorAll("#all-comparisons tbody tr")].map((row) => row.cells[2].textContent),
  pairText: texts("#all-comparisons figcaption")[0],
  metrics: texts("#all-metrics tbody tr")[0],
  curves: document.querySelectorAll("#held-out article:nth-child(2) g[aria-label=line] path").length,
};
"""


def test_an_auc_is_drawn_and_written_as_an_auc(write: Write, tmp_path: Path) -> None:
    case = case_with_everything()
    case.loss = "roc_auc"
    found = drive(write(case, classes(["no", "yes"], sets=4)), tmp_path / "profile", AUC)
    assert found["heads"] == ["Estimator", "AUC", "Interval"]
    rows = [row for row in csv_rows(tmp_path / "small" / "estimates.csv") if row["learner"] == "all"]  # fmt: skip
    for (value, interval), row in zip(found["values"], rows, strict=True):
        assert value.startswith(f"{1 - float(row['risk']):.4f}")
        if row["recommended"] == "True":
            ends = [1 - float(row[name]) for name in ("ci_high", "ci_low")]
            assert interval == "{:.4f} to {:.4f}".format(*ends)
    for text in found["axes"][:3]:
        assert "AUC, greater is better" in text
    assert "difference in AUC" in found["axes"][3]
    assert found["order"][-1] == "mean", "the baseline is the worst, and at the bottom"
    assert found["folds"] == sorted(found["folds"]), "a larger risk is further down"
    assert found["foldTable"] == [f"{1 - fold / 100:.4f}" for fold in range(1, 6)]
    assert set(found["pairs"]) == {"−0.1000"}
    assert "Right of zero: the selected learner is better" in found["pairText"]
    assert "0.50000.4500 to 0.5500" in found["metrics"]
    assert found["curves"] == 6  # the diagonal, four sets and their mean


def test_a_regression_shows_its_residuals(write: Write, tmp_path: Path) -> None:
    page = write(Case(classes=None, loss="squared"), numbers())
    script = """
    const cards = [...document.querySelectorAll("#held-out article")];
    return cards.map((card) => card.querySelectorAll("g[aria-label=dot] circle").length);
    """
    assert drive(page, tmp_path / "profile", script) == [200, 200, 0]


def test_every_class_can_be_judged(write: Write, tmp_path: Path) -> None:
    predictions = classes(["a", "b", "c"])
    script = """
    const seen = [];
    const select = document.querySelector("#judged select");
    for (const option of [...select.options]) {
      select.value = option.value;
      select.dispatchEvent(new Event("change"));
      seen.push({
        caption: document.querySelector("#judged caption").textContent,
        values: [...document.querySelectorAll("#judged td.number")].map((cell) => cell.dataset.value),
        drawn: document.querySelectorAll("#judged g[aria-label=dot] circle").length,
      });
    }
    const links = [...document.querySelectorAll("#judged a.term")].map((link) => link.getAttribute("href"));
    return { seen, lost: links.filter((link) => !document.querySelector(link)) };
    """
    found = drive(write(case_with_everything(), predictions), tmp_path / "profile", script)
    assert found["lost"] == []
    for name, shown, one in zip("abc", found["seen"], predictions["calibration"], strict=True):
        assert shown["caption"] == f"{name} against the rest"
        assert shown["drawn"] == len(one["bins"])
        wanted = [number["value"] for number in one["numbers"]]
        assert [float(value) for value in shown["values"]] == wanted


def test_two_classes_need_no_choice_and_a_missing_number_has_its_reason(
    write: Write, tmp_path: Path
) -> None:
    target = np.repeat([0, 1], [40, 20])
    proba = np.linspace(0.1, 0.9, 60)
    given = Predictions(target, np.column_stack([1 - proba, proba]))
    held = HeldOut(np.arange(60), target, given, np.zeros(60))
    script = """
    const [slope] = document.querySelectorAll("#judged tbody tr");
    return [document.querySelectorAll("#judged select").length, slope.textContent,
            slope.querySelector("td").dataset.value, document.querySelector("#judged caption").textContent];
    """
    page = write(case_with_everything(), classification(held, ["no", "yes"]))
    choices, text, value, caption = drive(page, tmp_path / "profile", script)
    assert (choices, value, caption) == (0, "", "yes against no")
    assert "Not known: the probabilities tell the class from the rest without an error" in text


def test_without_probabilities_nothing_is_judged(write: Write, tmp_path: Path) -> None:
    target = np.arange(60) % 2
    held = HeldOut(np.arange(60), target, Predictions(target), np.zeros(60))
    page = write(case_with_everything(), classification(held, ["no", "yes"]))
    script = "return [!!document.querySelector('#probabilities'), document.querySelectorAll('#held-out article').length];"
    assert drive(page, tmp_path / "profile", script) == [False, 1]


def test_the_numbers_are_those_of_the_files(write: Write, tmp_path: Path) -> None:
    page = write(case_with_everything())
    script = """
    const wanted = document.querySelector("#by-learner select");
    wanted.value = "knn";
    wanted.dispatchEvent(new Event("change"));
    const rows = document.querySelectorAll("#by-learner tbody tr");
    return [...rows].map((row) => [...row.querySelectorAll("td.number")].map((cell) => cell.dataset.value));
    """
    found = drive(page, tmp_path / "profile", script)
    wanted = [row for row in csv_rows(page.parent / "estimates.csv") if row["learner"] == "knn"]
    assert len(found) == len(wanted) == 3
    for (risk, low, n, _), row in zip(found, wanted, strict=True):
        assert float(risk) == float(row["risk"])
        assert low == "" if row["ci_low"] == "" else float(low) == float(row["ci_low"])
        assert n == row["n"]


def test_the_csv_button_saves_the_file_as_it_was(write: Write, tmp_path: Path) -> None:
    page = write(case_with_everything())
    script = """
    const blobs = [];
    URL.createObjectURL = (blob) => { blobs.push(blob); return "#"; };
    HTMLAnchorElement.prototype.click = () => {};
    document.querySelector("#grids article button").click();
    return await blobs[0].text();
    """
    text = drive(page, tmp_path / "profile", script)
    saved = list(csv.DictReader(text.splitlines()))
    wanted = [row for row in csv_rows(page.parent / "risks.csv") if row["learner"] == "knn"]
    numeric = ("risk", "se", "ci_low", "ci_high", "n")
    for found, row in zip(saved, wanted, strict=True):
        assert json.loads(found["theta"]) == json.loads(row["theta"])
        assert [found[key] and float(found[key]) for key in numeric] == [
            row[key] and float(row[key]) for key in numeric
        ]


def test_controls_sort_switch_and_change_the_theme(write: Write, tmp_path: Path) -> None:
    page = write(case_with_everything())
    script = """
    const heads = document.querySelectorAll("#matrix thead th");
    const column = () => [...document.querySelectorAll("#matrix tbody tr")].map((row) => row.cells[4].dataset.value);
    heads[4].querySelector("button").click();
    const up = column();
    heads[4].querySelector("button").click();
    const down = column();
    const lines = () => document.querySelectorAll("#grids article:first-child g[aria-label=line] path").length;
    const before = lines();
    document.querySelector(".legend button[aria-pressed=true]").click();
    document.querySelector("#theme").click();
    const paper = getComputedStyle(document.body).backgroundColor;
    document.querySelector("#theme").click();
    return { up, down, sort: heads[4].getAttribute("aria-sort"), lines: [before, lines()],
             papers: [paper, getComputedStyle(document.body).backgroundColor] };
    """
    found = drive(page, tmp_path / "profile", script)
    present = [float(value) for value in found["up"] if value]
    assert present == sorted(present)
    assert [value for value in found["down"] if value] == [str(v) for v in present[::-1]]
    assert found["up"][-1] == found["down"][-1] == ""  # no test for this learner: always last
    assert found["sort"] == "descending"
    assert found["lines"] == [2, 1]
    assert len(set(found["papers"])) == 2


def test_hostile_labels_neither_run_nor_break_the_page(write: Write, tmp_path: Path) -> None:
    grids = {f"{i}{text}": [{"a": 1}, {text: text}, {"a": None}] for i, text in enumerate(HOSTILE)}
    case = Case(grids=grids, classes=HOSTILE, columns=HOSTILE, warnings=HOSTILE)
    page = write(case, classes(HOSTILE))
    script = """
    return { images: document.images.length, drawn: document.querySelectorAll("svg[role=img]").length,
             wide: document.documentElement.scrollWidth <= innerWidth };
    """
    found = drive(page, tmp_path / "profile", script)
    assert found["images"] == 0
    assert found["drawn"] >= 6
    assert found["wide"]


def test_the_page_fits_a_phone(write: Write, tmp_path: Path) -> None:
    page = write(case_with_everything(), classes(["a", "b"]))
    inside = html.escape(page.read_text(encoding="utf-8"), quote=True)
    host = page.with_name("phone.html")
    host.write_text(
        '<meta http-equiv="Content-Security-Policy" content=""><body>'
        f'<iframe width="375" height="3000" srcdoc="{inside}"></iframe></body>',
        encoding="utf-8",
    )
    script = """
    const frame = document.querySelector("iframe");
    const drawn = () => frame.contentDocument.querySelector("#held-out svg");
    while (!drawn()) await new Promise((done) => setTimeout(done, 20));
    const inner = frame.contentDocument;
    return [inner.documentElement.scrollWidth, inner.querySelectorAll("svg[role=img]").length];
    """
    width, drawn = drive(host, tmp_path / "profile", script)
    assert width == 375
    assert drawn >= 6


def test_the_page_is_silent_and_refuses_other_scripts(write: Write, tmp_path: Path) -> None:
    page = write(case_with_everything(), classes(["a", "b"]))
    assert load(page, tmp_path / "profile").console == []
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("</main>", "<script>document.title = 'taken'</script></main>"))
    loaded = load(page, tmp_path / "profile")
    assert "<title>taken" not in loaded.dom
    assert any("Content Security Policy" in line for line in loaded.console)


def test_hundreds_of_learners_are_drawn_in_part(write: Write, tmp_path: Path) -> None:
    grids = {f"learner {i}": [{"a": a} for a in range(1, 21)] for i in range(200)}
    page = write(Case(grids=grids))
    script = """
    const cards = document.querySelectorAll("#grids article").length;
    const rows = document.querySelectorAll("#matrix tbody tr").length;
    return { cards, rows, learners: document.querySelectorAll("#by-estimator g[aria-label=dot] path").length };
    """
    assert drive(page, tmp_path / "profile", script) == {"cards": 12, "rows": 201, "learners": 40}


def test_the_index_is_silent(tmp_path: Path) -> None:
    case = Case()
    case.write(tmp_path)
    page = tmp_path / "index.html"
    page.write_text(index_page(tmp_path, {case.task: LossSpec(case.loss)}), encoding="utf-8")
    loaded = load(page, tmp_path / "profile")
    assert loaded.console == []
    assert 'href="small/report.html"' in loaded.dom
